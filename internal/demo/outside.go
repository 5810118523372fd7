package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/officeapi"
	"github.com/flaketap/flaketap/mock/intercept"
)

// outsideRuns is how often the requests to an API with an external service are replayed.
const outsideRuns = 3

// outside shows what moves because an external service does: an exchange office passes on the rate of another service.
// Where connections cannot be led, it says so.
func (d *demonstration) outside(ctx context.Context) error {
	self, err := executable()
	if err != nil {
		return err
	}
	if _, _, err := intercept.Choose(ctx, intercept.AnyEngine, []string{self, "mock", "stage"}, d.Dir); err != nil {
		d.heading("External services are left out: %s.", console.OneLine(err.Error()))
		return nil
	}
	rates, stop, err := officeapi.StartRates(ctx)
	if err != nil {
		return err
	}
	defer stop()
	db := d.path("office.db")
	led := []string{"--start",
		client.ShellQuoted(self) + " demo api --set office --listen 127.0.0.1:{port} --rates http://" + rates,
		"--ready", "http://127.0.0.1:{port}/health", "--external", "--mock", rates, "--allow", "localhost", "--db", db}
	d.heading("An exchange office asks another service for its rate, which is another one each time.")
	start := "--start 'flaketap demo api --set office --rates http://" + rates + "' --external --mock " + rates + " --allow localhost --db " + db
	d.show("record " + start + " -- flaketap demo client --set office")
	drive := []string{"--", self, "demo", "client", "--set", "office", "--rounds", "1"}
	if status := d.Command(ctx, slices.Concat([]string{"record", "--listen", "127.0.0.1:0"}, led, drive)...); status != 0 {
		return console.ExitStatus(status)
	}
	d.show(fmt.Sprintf("replay --runs %d %s", outsideRuns, start))
	if status := d.Command(ctx, append([]string{"replay", "--runs", fmt.Sprint(outsideRuns)}, led...)...); status != 0 {
		return console.ExitStatus(status)
	}
	return d.scoreOutside(ctx, db, rates)
}

// scoreOutside prints what follows that service, and how the map holds against the labels.
func (d *demonstration) scoreOutside(ctx context.Context, db, rates string) error {
	m, err := d.mapOf(ctx, db, "office.json")
	if err != nil {
		return err
	}
	labels, err := officeapi.LoadTruth()
	if err != nil {
		return err
	}
	d.heading("What moves there, and what it follows; the labels say what it should:")
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if !f.Volatile() || f.Protocol {
				continue
			}
			fmt.Fprintf(d.Out, "%s %s %s: %s, %s\n", op.Method, op.Template, f.Place, f.Category,
				strings.ReplaceAll(strings.Join(f.Evidence, " "), rates, "rates"))
		}
	}
	printScore(d.Out, Score(m, labels))
	return nil
}

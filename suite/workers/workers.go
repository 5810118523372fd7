// Package workers says on which instances of an API the runs of a suite go side by side: on so many that are started
// here, or on those that the workers of a hub lend.
//
// A worker lends its API for one run, and the suite runs here: behind the same recorder, with the same files, results
// and faults as on an API of this machine. So no suite leaves this machine, and no worker runs a command but its own
// --start. What takes long is the API, which has its machine for itself; the suites wait for it, as many at once as
// there are workers. The other way, a suite that is sent to the workers, would need its runner and all that it imports
// on each of them, a command that they accept, and a way back for all that is recorded. A worker that is killed takes a
// run with it: nobody can tell what the API had seen, so what was seen is thrown away, and the run is done again
// ([service.ErrLost]) on another. Connections go by the hub (package line), sealed (package queue).
package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/service"
)

// most is the most instances of an API that are used at once.
const most = 64

// Lent are the workers of a hub, which lend their APIs. The nil Lent are none.
type Lent struct {
	*queue.Lender
	link    *hub.Link
	console *console.Console
}

// Read reads how many runs go at once, or at which hub the workers are that say so.
func Read(text string) (n int, hub string, err error) {
	if strings.Contains(text, "://") {
		return 0, text, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < 1 || n > most {
		err = console.Usage(fmt.Errorf("--workers must be from 1 to %d, or a hub such as nats://127.0.0.1:4222/NAME, got %s",
			most, text))
	}
	return n, "", err
}

// At are the workers that are found by a link, and share a key.
func At(link *hub.Link, key *queue.Key, c *console.Console) *Lent {
	return &Lent{link: link, console: c, Lender: &queue.Lender{Board: link.Work(), Wire: link.Wire(), Key: key, Console: c,
		Plan: queue.LendingPlan()}}
}

// Service is the API as these workers have it.
func (l *Lent) Service() *service.Service { return &service.Service{From: l.Lender} }

// Count is how many runs may go at once: as many as there are workers now, and one where there is none yet.
func (l *Lent) Count(ctx context.Context) (int, error) {
	there, err := l.link.Crew().Present(ctx, time.Now())
	if err != nil {
		return 0, err
	}
	n := there[queue.Plays]
	if n == 0 {
		l.console.Say("flaketap: no %s is at that hub; waiting for one: start flaketap worker nats://HOST:PORT/NAME %s and the "+
			"same --token-key", queue.Plays.Worker(), queue.Plays.Start())
		return 1, nil
	}
	l.console.Say("flaketap: %s at that hub", console.Count(n, "worker"))
	return min(n, most), nil
}

// AtOnce is how many runs go at once: n, or, where that is 0, as many as there are workers.
func (l *Lent) AtOnce(ctx context.Context, n int) (int, error) {
	if n > 0 {
		return n, nil
	}
	return l.Count(ctx)
}

// partingTime is how long a hub may take to clear what is done.
const partingTime = 10 * time.Second

// Close takes back what was asked of the workers, and leaves the hub.
func (l *Lent) Close() error {
	if l == nil {
		return nil
	}
	defer l.link.Close()
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	return l.Lender.Close(ctx)
}

// Conditions are what runs beside each other are up against.
type Conditions struct {
	Service       *service.Service // as flags say; nil where others run the API
	Target, Reset string           // likewise
	Listen        string           // the address that the user names; "" for none
	Results       []string         // where the runner leaves results, as the user says
	Suites        []string         // files or folders
	Files         []string         // of these, as far as they are known
}

// Check refuses runs at once, so many or as many as a hub has workers (0), where they would meet: at an API that is
// there once, in a folder that their runner builds in, at an address or in a file of results. It says what of the
// conditions is left to the workers of a hub.
func (o Conditions) Check(n int, c *console.Console) error {
	var err error
	switch {
	case n == 1:
	case n > 1 && o.Target != "":
		err = errors.New("use either --target or --workers, not both: there is one API at that address, and runs at once would " +
			"change what each other finds; --start with {port} starts one for each")
	case n > 1 && (o.Service == nil || !o.Service.ChoosesPort()):
		err = errors.New("--workers needs --start with {port}: each instance of the API needs a port of its own")
	case n > 1 && o.Reset != "" && !strings.Contains(o.Reset, "{port}"):
		err = errors.New("--workers needs {port} in --reset: it has to reset one instance of the API and leave the others")
	case o.Listen != "" && !strings.HasSuffix(o.Listen, ":0"):
		err = errors.New("use either --listen or --workers, not both: there is one recorder at that address, and runs at once " +
			"need one each")
	case len(o.Results) > 0:
		err = errors.New("use either --results or --workers, not both: runs at once would leave their results in the same place; " +
			"{results} in the command names a file for each")
	default:
		if built := o.built(); built != "" {
			err = fmt.Errorf("--workers: runs at once would build in the same folder, as the suite has %s: use --workers 1",
				console.OneLine(built))
		}
	}
	if err != nil {
		return console.Usage(err)
	}
	if n == 0 && cmp.Or(o.Target, o.Reset) != "" {
		c.Say("flaketap: the workers start, find and reset the API: --start, --reset and --target are theirs")
	}
	return nil
}

// built is what one of the suites has that its runner builds by; "" for none.
func (o Conditions) built() string {
	names := []string{"pom.xml", "build.gradle", "build.gradle.kts"}
	for _, file := range o.Files {
		if slices.Contains(names, filepath.Base(file)) {
			return file
		}
	}
	for _, suite := range o.Suites {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(suite, name)); err == nil {
				return name
			}
		}
	}
	return ""
}

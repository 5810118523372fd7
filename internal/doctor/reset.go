package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/proof"
	"github.com/flaketap/flaketap/store"
)

// reset tries whether the API comes back to its start.
func (v *visit) reset(ctx context.Context) ([]Finding, error) {
	switch {
	case v.Reset == "" && v.Service == nil:
		return one(Skipped, "", "none given", "say how the API is put back to its start: --reset CMD|URL, or --start CMD --ready URL")
	case v.Target == nil && (v.refused || v.Service == nil):
		return one(Skipped, "", "no address of the API is known to read from", "say where it is: --target URL")
	case v.refused, v.Service != nil && v.running == nil:
		return one(Skipped, "", "the API was not started", "")
	}
	trial, err := v.trial()
	if err != nil {
		return one(Problem, "", "the recording cannot be read: "+err.Error(), "name another with --db FILE")
	}
	question := fmt.Sprintf("put the API at %s back to its start three times, which destroys what it holds", v.Target)
	if n := len(trial.Writes); n > 0 {
		question += fmt.Sprintf(", and send it %s that may change it", console.Count(n, "recorded request"))
	}
	ok, err := v.allow(ctx, question+"?")
	if err != nil {
		return nil, err
	}
	if !ok {
		return one(Skipped, "", "not tried: it destroys what the API holds", "--yes tries it without asking")
	}
	shown, err := trial.Run(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return one(Problem, "", err.Error(), "try the reset by itself in a shell: it must put all data back, exit with 0 or answer 2xx")
	}
	return one(judged(shown))
}

// judged puts into words what a trial of a reset has shown.
func judged(shown proof.Verdict) (status Status, about, says, do string) {
	const advice = "have it put all data back to the start, caches and files included; or use --start with new data for each start"
	switch {
	case len(shown.Grown) > 0:
		return Problem, "", "it does not reset: longer after each reset is " + some(shown.Grown), advice
	case len(shown.Left) > 0:
		return Problem, "", "it does not reset: left as requests changed it is " + some(shown.Left), advice
	case shown.Proven():
		return OK, "", fmt.Sprintf("puts back what %s changed: %s", console.Count(shown.Sent, "request"), some(shown.Changed)), ""
	case shown.Sent > 0:
		return Note, "", "it runs, but no request that was sent changed what can be read, so nothing shows that it resets",
			"record a client that reads what it has written, and give --db FILE"
	}
	return Note, "", "it runs, but nothing was changed in between, so nothing shows that it resets",
		"once there is a recording whose requests change something, flaketap doctor --db FILE tries the reset with these"
}

// some names the first of many.
func some(names []string) string {
	const most = 3
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// trial is how the reset is tried: by requests of the recording where there is one.
func (v *visit) trial() (t proof.Trial, err error) {
	s, err := store.OpenReadOnly(v.DB)
	if err == nil {
		t.Reads, t.Writes, err = proof.Requests(s.Exchanges())
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	if len(t.Reads) == 0 {
		t.Reads = []proof.Request{{Method: "GET", Target: "/"}}
	}
	t.Client, t.Restore = v.client(), v.restore
	return t, nil
}

// restore puts the API back to its start: a new process where flaketap runs it, and the reset.
func (v *visit) restore(ctx context.Context) (*url.URL, error) {
	if v.Service == nil {
		return v.Target, v.Reset.Within(ctx, v.ResetTimeout)
	}
	if err := v.running.Stop(); err != nil {
		return nil, err
	}
	var err error
	if v.running, err = v.Service.Start(ctx); err != nil {
		return nil, err
	}
	return v.base(), v.running.Reset(v.Reset).Within(ctx, v.ResetTimeout)
}

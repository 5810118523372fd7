package serve

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/replay/service"
)

const (
	// warmTries is how often a request is sent to an API that was just started, at most, until it does what it does warm.
	warmTries = 5
	// warmPatience is the time within which it has to answer.
	warmPatience = 10 * time.Second
)

// warm sends an API that was just started some requests, each until it does what it did before or gives no answer, and
// forgets what was asked. That it does not get there is no error: the tests will tell. Its state and the stubs are the
// caller's to put back.
func warm(
	ctx context.Context, api *url.URL, server *mock.Server, reset service.Reset, requests []warmup.Request,
) error {
	for _, r := range requests {
		stubs, err := mock.ParseStubs(r.Mappings, mock.NoFile)
		if err != nil {
			return fmt.Errorf("warm the API up: %w", err)
		}
		for range warmTries {
			if err := reset.Run(ctx); err != nil {
				return err
			}
			server.Book.Replace(stubs)
			server.Journal.Clear()
			e, err := ask(ctx, api, r.Sent, warmPatience)
			if err != nil {
				return err
			}
			if e.Response == nil { // it is not for being cold, and may take as long each time
				break
			}
			asked := warmup.Services(server.Journal.Noted().Calls)
			if e.Response.Status == r.Status && slices.Equal(asked, r.Services) {
				break
			}
		}
	}
	return nil
}

// warmer keeps in mind by which trial an API is warmed up that is started anew: of those that went well, the one in
// which most services were asked, in TLS rather than without.
type warmer struct {
	requests []warmup.Request // none or one
	score    int
}

// note takes a trial.
func (w *warmer) note(t search.Trial, out search.Outcome, calls []mock.Asked) {
	if out.End != search.Answered || out.Status/100 != 2 || out.Took > time.Second {
		return
	}
	score := 0
	for _, c := range out.Calls {
		switch {
		case c.Status/100 != 2:
			return
		case c.Scheme == "https":
			score += 2
		default:
			score++
		}
	}
	if score > w.score {
		w.score = score
		w.requests = []warmup.Request{{Sent: t.Request, Mappings: t.Stubs, Status: out.Status,
			Services: warmup.Services(calls)}}
	}
}

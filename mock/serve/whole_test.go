package serve

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
)

// steady does the same in each trial.
type steady struct{ trials int }

func (s *steady) Try(context.Context, search.Trial) (search.Outcome, error) {
	s.trials++
	return search.Outcome{Status: 502, Body: []byte(`{}`), Record: []*exchange.Exchange{saying502(), saying502()}}, nil
}

func saying502() *exchange.Exchange {
	return &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 502 Bad Gateway\r\n\r\n"), Body: []byte(`{}`)})}
}

// failing is a behavior that comes of an answer which lacks what that of fillable has.
func failing() *search.Behavior {
	return &search.Behavior{Status: 502, Stubs: answering(`{}`), Proofs: [][]*exchange.Exchange{{saying502(), saying502()}}}
}

// fillable is what a search found that has a good answer besides.
func fillable(b *search.Behavior) search.Result {
	good := &search.Behavior{Status: 200, Stubs: answering(`{"id": 1, "of": 2}`)}
	return search.Result{Behaviors: []*search.Behavior{b, good}}
}

func answering(json string) []byte {
	return []byte(`{"mappings": [{"name": "GET a:80/", "request": {"urlPath": "/"}, "response": {"status": 200, "jsonBody": ` + json + `}}]}`)
}

// Answers are made whole in the time that a search was given, and not beyond it; who ends the search ends that.
func TestFillWithin(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx    context.Context
		within time.Duration
		whole  bool
		fails  bool
	}{
		"no bound":      {t.Context(), 0, true, false},
		"time is left":  {t.Context(), 2 * time.Hour, true, false},
		"time is over":  {t.Context(), time.Minute, false, false},
		"it was ended":  {ended, 0, false, true},
		"ended in time": {ended, 2 * time.Hour, false, true},
	} {
		api := &steady{}
		n, err := OpenNotebook(t.TempDir(), name, api)
		if err != nil {
			t.Fatal(err)
		}
		o, b := SearchOptions{Within: c.within, Search: search.Options{Trials: 100}}, failing()
		err = o.fill(c.ctx, n, fillable(b), time.Now().Add(-time.Hour), nil)
		if (err != nil) != c.fails || (b.Whole != nil) != c.whole || (api.trials > 0) != c.whole {
			t.Errorf("%s: %d trials, %v, %v", name, api.trials, b.Whole, err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killed says of a trial that was ended what a program does that was killed.
type killed struct{}

func (killed) Try(ctx context.Context, _ search.Trial) (search.Outcome, error) {
	<-ctx.Done()
	return search.Outcome{}, errors.New("signal: killed")
}

// A trial that the end of the time ended is no mistake, whatever it says; one that the user ended is.
func TestFillEndsTrial(t *testing.T) {
	for within, ctx := range map[time.Duration]func() (context.Context, context.CancelFunc){
		time.Hour + 10*time.Millisecond: func() (context.Context, context.CancelFunc) { return t.Context(), func() {} },
		0: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 10*time.Millisecond)
		},
	} {
		n, err := OpenNotebook(t.TempDir(), "", killed{})
		if err != nil {
			t.Fatal(err)
		}
		o := SearchOptions{Within: within, Search: search.Options{Trials: 100}}
		limited, end := ctx()
		err = o.fill(limited, n, fillable(failing()), time.Now().Add(-time.Hour), nil)
		end()
		if (err != nil) != (within == 0) {
			t.Errorf("within %s: %v", within, err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

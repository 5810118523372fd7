package serve

import (
	"context"
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
		stub := func(json string) []byte {
			return []byte(`{"mappings": [{"name": "GET a:80/", "request": {"urlPath": "/"}, "response": {"status": 200, "jsonBody": ` + json + `}}]}`)
		}
		proofs := [][]*exchange.Exchange{{saying502(), saying502()}}
		b := &search.Behavior{Status: 502, Stubs: stub(`{}`), Proofs: proofs}
		good := &search.Behavior{Status: 200, Stubs: stub(`{"id": 1, "of": 2}`)}
		o := SearchOptions{Within: c.within, Search: search.Options{Trials: 100}}
		err = o.fill(c.ctx, n, search.Result{Behaviors: []*search.Behavior{b, good}}, time.Now().Add(-time.Hour), nil)
		if (err != nil) != c.fails || (b.Whole != nil) != c.whole || (api.trials > 0) != c.whole {
			t.Errorf("%s: %d trials, %v, %v", name, api.trials, b.Whole, err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

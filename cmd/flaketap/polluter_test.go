package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// pollutedAPI makes boxes, and closes its shop once somebody has asked for that: orders are refused then. With noise,
// some of its answers are of another status for no reason.
type pollutedAPI struct {
	mu     sync.Mutex
	boxes  int
	closed bool
	noise  float64
	rng    *rand.Rand
	resets atomic.Int32
}

func (a *pollutedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case r.URL.Path == "/reset":
		a.boxes, a.closed = 1000, false
		a.resets.Add(1)
	case r.Method == "POST" && r.URL.Path == "/boxes":
		a.boxes++
		w.Header().Set("Location", fmt.Sprintf("/boxes/%d", a.boxes))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":%d}`, a.boxes)
	case strings.HasPrefix(r.URL.Path, "/boxes/"):
		if id, err := strconv.Atoi(r.URL.Path[len("/boxes/"):]); err != nil || id > a.boxes {
			w.WriteHeader(http.StatusNotFound)
		} else if a.rng.Float64() < a.noise {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	case r.URL.Path == "/shop/closed":
		a.closed = true
	case r.URL.Path == "/orders" && a.closed:
		w.WriteHeader(http.StatusConflict)
	}
}

// recordPolluted records 200 sequences, each of which makes a box and looks at it; one closes the shop besides, and one
// orders.
func recordPolluted(t *testing.T, b *bench, api string, polluter, victim int) {
	t.Helper()
	p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0", "--sequence-header", "X-Case")
	send := func(name, method, path string) string {
		r, err := http.NewRequest(method, p.url()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Case", name)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.Header.Get("Location")
	}
	for i := range 200 {
		name := fmt.Sprintf("case %d", i)
		send(name, "GET", send(name, "POST", "/boxes"))
		switch i {
		case polluter:
			send(name, "PUT", "/shop/closed")
		case victim:
			send(name, "POST", "/orders")
		}
	}
	p.signal(syscall.SIGINT)
	p.exit(0)
}

// TestPolluter: of 200 recorded sequences, one that changes how another goes is named with it, in at most 40 runs, all
// counted; also where the other goes as recorded only after it, and where answers move by themselves besides.
func TestPolluter(t *testing.T) {
	for _, c := range []struct {
		name             string
		polluter, victim int
		noise            float64
		how, order       string
		most             int32
	}{
		{"the victim first", 163, 40, 0, "goes differently after", "order", 18},
		{"the polluter first", 63, 137, 0, "goes as recorded only after", "order=reverse", 18},
		{"with noise", 101, 100, 0.05, "goes differently after", "order", 40},
		{"shuffled", 199, 0, 0, "goes differently after", "order=shuffle:5", 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := &pollutedAPI{boxes: 1000, rng: rand.New(rand.NewPCG(3, 0))}
			server := httptest.NewServer(api)
			defer server.Close()
			b := newBench(t)
			recordPolluted(t, b, server.URL, c.polluter, c.victim)
			api.mu.Lock()
			api.noise = c.noise
			api.mu.Unlock()

			p := b.run(nil, "replay", "--settle", "0", "--perturb", c.order, "--reset", server.URL+"/reset")
			p.exit(0)
			name := func(n int) string { return regexp.QuoteMeta(fmt.Sprintf(`"case %d" (exchanges `, n)) + `\d+ to \d+\)` }
			p.says(1, name(c.victim)+" "+c.how+" "+name(c.polluter)+`: #\d+ POST /orders: (200 recorded, 409 now|409 recorded, 200 now)`)
			p = b.run(nil, "inspect", "runs")
			p.exit(0)
			p.says(1, `run 2: from exchange \d+ on, the sequence that begins with exchange \d+ goes (differently|as recorded only) after that of \d+`)
			if n := api.resets.Load(); n > c.most {
				t.Errorf("%d runs, want %d at most", n, c.most)
			}
			checkDependence(t, filepath.Join(b.dir, "flaketap.db"), c.polluter < c.victim, int(api.resets.Load()))
		})
	}
}

// Many plain runs leave the search its trials, and one that has too few of them claims nothing.
func TestPolluterTrials(t *testing.T) {
	api := &pollutedAPI{boxes: 1000, rng: rand.New(rand.NewPCG(3, 0))}
	server := httptest.NewServer(api)
	defer server.Close()
	b := newBench(t)
	recordPolluted(t, b, server.URL, 163, 40)
	p := b.run(nil, "replay", "--settle", "0", "--runs", "20", "--trials", "20", "--perturb", "order", "--reset", server.URL+"/reset")
	p.exit(0)
	p.says(1, `"case 40" .* goes differently after "case 163"`)

	api.mu.Lock()
	api.noise = 0.2
	api.mu.Unlock()
	p = b.run(nil, "replay", "--settle", "0", "--trials", "3", "--perturb", "order", "--reset", server.URL+"/reset")
	p.exit(0)
	p.says(1, `could not determine whether the order is the cause`)
	p.says(0, `not order-dependent`)
}

// checkDependence reads what was stored of the search.
func checkDependence(t *testing.T, path string, setter bool, resets int) {
	t.Helper()
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	r := runs[1]
	if len(r.Dependences) != 1 || len(r.Conditions.Perturb) != 1 || r.Ended.IsZero() || r.Trials != resets-2 {
		t.Fatalf("stored: %+v after %d resets", r, resets)
	}
	d := r.Dependences[0]
	path, _ = exchange.SplitTarget(requestOf(t, db, d.Step))
	if path != "/orders" || d.Polluted == setter || len(d.After) != 1 || (d.After[0] < d.Victim) != setter {
		t.Errorf("stored %+v, its step went to %s", d, path)
	}
}

func requestOf(t *testing.T, db *store.Store, seq uint64) string {
	t.Helper()
	e, err := db.Exchange(seq)
	if err != nil {
		t.Fatal(err)
	}
	return e.Request.Target
}

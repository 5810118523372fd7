package experiment

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// newBusy is an API that answers 503 where more than six connections are open, and counts what it is asked.
func newBusy(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var (
		mu    sync.Mutex
		open  = map[net.Conn]bool{}
		asked atomic.Int64
	)
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		mu.Lock()
		busy := len(open) > 6
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if busy {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, `{"busy":%t}`, busy)
	}))
	api.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateNew:
			open[c] = true
		case http.StateClosed:
			delete(open, c)
		}
	}
	api.Start()
	t.Cleanup(api.Close)
	return api, &asked
}

// TestLoadIsALadder: requests are sent at once two, four, eight times, until that changes an answer, and no further. The
// map says how many it took, and nothing of it is said of requests that are sent alone.
func TestLoadIsALadder(t *testing.T) {
	api, asked := newBusy(t)
	path := filepath.Join(t.TempDir(), "flaketap.db")
	if err := recordTo(path, api.URL, "/things/1", "/things/2", "/things/3"); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	asked.Store(0)
	var said bytes.Buffer
	if err := Run(t.Context(), Options{DB: path, Runs: 3, Experiments: wanted(t, "load"), Console: &console.Console{Err: &said}}); err != nil {
		t.Fatal(err)
	}
	var runs []string
	for _, r := range storedRuns(t, path) {
		runs = append(runs, strings.TrimSpace(string(r.Kind)+" "+strings.Join(r.Conditions.Perturb, " ")))
	}
	if want := []string{"replay", "replay", "replay", "repeat load=2", "repeat load=4", "repeat load=8"}; !slices.Equal(runs, want) {
		t.Fatalf("runs %q, want %q\n%s", runs, want, said.String())
	}
	// Six runs of three requests, one of which is sent once more alone, and then two, four and eight times at once.
	if got, want := asked.Load(), int64(6*3+3*(exchange.SentAlone-1)+2+4+8); got != want {
		t.Errorf("the API was asked %d times, want %d", got, want)
	}
	for _, said1 := range []string{"load=16: not needed", "load=64: not needed"} {
		if !strings.Contains(said.String(), said1) {
			t.Errorf("it does not say %q: %s", said1, said.String())
		}
	}
	result, err := analysis.Judge(path, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Map.Operations) != 1 {
		t.Fatalf("operations %+v", result.Map.Operations)
	}
	f := result.Map.Operations[0].At(exchange.PlaceStatus)
	if f.Judgement != mapfile.Hint || !slices.Equal(f.Evidence, []string{"moved-only-by:load", "at-once:8"}) || f.Changed != 0 || f.Of != 9 {
		t.Errorf("the status: %+v", f)
	}
	if f := result.Map.Operations[0].At("/body/busy"); f.Judgement != mapfile.Stable {
		t.Errorf("the body: %+v", f)
	}
}

// Load is not for an API on another machine that was not named for it, and not for requests that may change something.
func TestLoadIsForAPIsHere(t *testing.T) {
	s := situation{load: &load{languages: map[string]bool{}},
		operations: func() (map[uint64]exchange.Operation, error) { return map[uint64]exchange.Operation{}, nil },
		exchanges: func(yield func(*exchange.Exchange) bool) {
			for i, method := range []string{"GET", "POST", "GET", "HEAD"} {
				if !yield(&exchange.Exchange{Seq: uint64(i), Request: exchange.Request{Method: method}, Response: &exchange.Response{Status: 200 + i}}) {
					return
				}
			}
		},
		sent: func(e *exchange.Exchange) bool { return e.Seq != 2 },
	}
	names := func(s situation, values ...string) string {
		all, err := Read(values, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := conditions(all, s)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range made {
			if strings.HasPrefix(c.Name, "load") {
				out = append(out, fmt.Sprintf("%s+%d", c.Name, c.besides))
			}
		}
		return strings.Join(out, " ")
	}
	if got := names(s, "all"); got != "" {
		t.Errorf("all of an API elsewhere has %s", got)
	}
	if got := names(s, "load=5"); got != "load=5+12" {
		t.Errorf("named, it is %s", got)
	}
	if s.local = true; names(s, "all") != "load=2+6 load=4+10 load=8+18 load=16+34 load=32+66 load=64+130" {
		t.Errorf("all of an API here has %s", names(s, "all"))
	}
	for target, want := range map[string]bool{"http://127.0.0.1:80": true, "http://localhost": true, "http://[::1]:9": true, "http://shop.example": false, "http://10.0.0.1": false} {
		u, err := service.BaseURL(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&session{player: replay.Player{Target: u}}).local(); got != want {
			t.Errorf("%s is here: %t", target, got)
		}
	}
}

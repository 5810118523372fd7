package experiment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// dials is an API whose answers move as seldom as its dials say: GET /dial/0.01 has a place that moves in one answer of
// a hundred, and others that never do. Below /list every second answer has a member that the others lack; below /moving
// all that there is moves.
type dials struct {
	*httptest.Server
	mu    sync.Mutex
	rng   *rand.Rand
	asked map[string]int
}

func newDials(t *testing.T, seed uint64) *dials {
	t.Helper()
	d := &dials{rng: rand.New(rand.NewPCG(seed, 1)), asked: map[string]int{}}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

func (d *dials) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[r.Method+" "+r.URL.Path]++
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(r.URL.Path, "/")
	chance, _ := strconv.ParseFloat(parts[len(parts)-2], 64)
	value := "calm"
	if d.rng.Float64() < chance {
		value = fmt.Sprintf("odd %d", d.rng.IntN(1000))
	}
	more := ""
	if number, _ := strconv.Atoi(parts[len(parts)-1]); parts[1] == "list" && number%2 == 0 {
		more = `,"more":"here"`
	}
	fmt.Fprintf(w, `{"value":%q,"still":"a","number":%s%s}`, value, parts[len(parts)-1], more)
}

// total returns the requests since the last time.
func (d *dials) total() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, times := range d.asked {
		n += times
	}
	d.asked = map[string]int{}
	return n
}

// dialed records operations of 1 to 12 requests each, and a write.
func (d *dials) dialed(t *testing.T) (path string, repeatable int) {
	t.Helper()
	shop := &shop{Server: d.Server}
	requests := []string{"a: POST /dial/0/1"}
	for i, chance := range []string{"0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"} {
		for n := range []int{1, 12, 3, 6, 2, 9, 4, 1, 8}[i] {
			requests = append(requests, fmt.Sprintf("a: GET /dial%d/%s/%d", i, chance, n))
		}
	}
	for n := range 4 {
		requests = append(requests, fmt.Sprintf("a: GET /list/0/%d", n))
	}
	path = shop.record(t, requests...)
	d.total()
	return path, len(requests) - 1
}

func judgedMap(t *testing.T, path string) *mapfile.Map {
	t.Helper()
	r, err := analysis.Judge(path, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Map
}

// mostEach is how often each request would have to be sent again, each as often, for no place to be in doubt.
func mostEach(t *testing.T, path string, bound float64) int {
	t.Helper()
	looks := func() Looks {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		r, err := analysis.JudgeStored(db, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := LooksFor(volatility.DoubtsAbout(r.Map, bound), db.Exchanges(), r.Operations, func(*exchange.Exchange) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return l
	}()
	most := 0
	for _, n := range looks.again {
		most = max(most, n)
	}
	return most
}

// TestBoundOfTheDemo: a session as fuzzers have it, with operations that they asked once and others that they asked often,
// takes a third at most of the requests that it takes to send all of them equally often.
func TestBoundOfTheDemo(t *testing.T) {
	api := demoapi.New(demoapi.Dials{})
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	var requests []string
	for i, path := range []string{"/health", "/products", "/products/%d", "/health/ready", "/authors/%d", "/prices/rates", "/search?q=a%d",
		"/odd/keys", "/odd/numbers", "/products?page=%d", "/odd/maps", "/static/json", "/orders/%d", "/static/html", "/nowhere/%d"} {
		for n := range 1 + i*i%13 {
			if strings.Contains(path, "%d") {
				requests = append(requests, "a: GET "+fmt.Sprintf(path, n+1))
			} else {
				requests = append(requests, "a: GET "+path)
			}
		}
	}
	path := (&shop{Server: server}).record(t, requests...)
	if err := Run(t.Context(), Options{DB: path, Runs: 10}); err != nil {
		t.Fatal(err)
	}
	each := mostEach(t, path, 0.01)
	asked.Store(0)
	if err := Run(t.Context(), Options{DB: path, Bound: 0.01}); err != nil {
		t.Fatal(err)
	}
	again, equally := int(asked.Load())-2*len(requests), each*len(requests)
	if t.Logf("%d requests again, %d if all %d were sent %d times", again, equally, len(requests), each); again <= 0 || 3*again > equally {
		t.Errorf("%d requests were sent again, a third of %d is enough", again, equally)
	}
}

// TestBoundAsksWhatIsInDoubt: the places that never moved have the bound afterwards, for a third at most of the requests
// that it takes to send all of them equally often; and the next replay asks nothing again.
func TestBoundAsksWhatIsInDoubt(t *testing.T) {
	const bound = 0.01
	d := newDials(t, 7)
	path, repeatable := d.dialed(t)
	if err := Run(t.Context(), Options{DB: path, Runs: 10}); err != nil {
		t.Fatal(err)
	}
	each := mostEach(t, path, bound)
	d.total()
	var talk bytes.Buffer
	if err := Run(t.Context(), Options{DB: path, Bound: bound, Console: &console.Console{Err: &talk}}); err != nil {
		t.Fatal(err)
	}
	asked, equally := d.total()-2*(repeatable+1), each*repeatable // two runs send all of them once
	if t.Logf("%d requests again, %d if all were sent %d times", asked, equally, each); asked <= 0 || 3*asked > equally {
		t.Errorf("%d requests were sent again, a third of %d is enough", asked, equally)
	}
	for _, o := range judgedMap(t, path).Operations {
		for _, f := range o.Fields {
			if !f.Volatile() && f.Counts() && o.Method == "GET" && f.Bound > bound {
				t.Errorf("%s %d %s: bound %v after %d observations", o.Operation, o.Status, f.Place, f.Bound, f.Of)
			}
		}
	}
	for _, want := range []string{"--bound 0.01 takes 299 observations of what never moved", "observed too seldom", "still fewer observations in 1 operation (only GET"} {
		if !strings.Contains(talk.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &talk)
		}
	}
	if err := Run(t.Context(), Options{DB: path, Bound: bound}); err != nil {
		t.Fatal(err)
	}
	if n := d.total(); n != repeatable+1 {
		t.Errorf("with nothing in doubt %d requests are sent, want one run of %d", n, repeatable+1)
	}
}

package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
)

// shop takes orders until it is closed, and writes down what it is asked.
type shop struct {
	*httptest.Server
	mu     sync.Mutex
	closed bool
	asked  []string        // "GET /orders [fr]"
	stop   map[string]bool // what is asked with these ends the test's context
	end    context.CancelFunc
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/reset" {
		s.closed = false
		return
	}
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Accept-Language")))
	switch {
	case s.end != nil && s.stop[r.URL.Path]:
		s.end()
	case r.URL.Path == "/close":
		s.closed = true
	case r.URL.Path == "/orders" && s.closed:
		w.WriteHeader(http.StatusConflict)
	}
}

// seen returns what was asked since the last time.
func (s *shop) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// record makes a recording of what the shop answers to requests such as "buy: POST /orders", each in the sequence that it
// names, and resets the shop.
func (s *shop) record(t *testing.T, requests ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimPrefix(s.URL, "http://")
	if _, err := db.BeginPass(exchange.Pass{Started: time.Now(), Target: s.URL, Source: "record"}); err != nil {
		t.Fatal(err)
	}
	for i, r := range requests {
		sequence, line, _ := strings.Cut(r, ": ")
		method, target, _ := strings.Cut(line, " ")
		sent, err := http.NewRequest(method, s.URL+target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(sent)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		head := fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Length: %d\r\n", answer.Status, len(body))
		if len(body) > 0 {
			head = fmt.Appendf(head, "Content-Type: %s\r\n", answer.Header.Get("Content-Type"))
		}
		err = db.Record(&exchange.Exchange{Conn: uint64(i + 1), Sequence: sequence, Target: exchange.DefaultTarget, Scheme: "http", Addr: addr,
			Start: time.Now(), Latency: time.Millisecond,
			Request:  exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", line, addr)}),
			Response: exchange.ParseResponse(exchange.Message{Head: append(head, "\r\n"...), Body: body, Plain: true}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.EndPass(time.Now()), db.Close()); err != nil {
		t.Fatal(err)
	}
	s.seen()
	if _, err := http.Get(s.URL + "/reset"); err != nil {
		t.Fatal(err)
	}
	return path
}

// storedRuns returns the runs of a recording.
func storedRuns(t *testing.T, path string) []exchange.Run {
	t.Helper()
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func wanted(t *testing.T, values ...string) []Wanted {
	t.Helper()
	out, err := Read(values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEachConditionHasARunOfItsOwn(t *testing.T) {
	api := newShop(t)
	path := api.record(t, "look: GET /orders", "buy: POST /orders")
	var said bytes.Buffer
	err := Run(t.Context(), Options{DB: path, Runs: 2, Console: &console.Console{Err: &said},
		Experiments: wanted(t, "double", "language=fr*2", "connection", "workers=2", "delay=1ms")})
	if err != nil {
		t.Fatal(err)
	}
	var conditions []string
	for _, r := range storedRuns(t, path) {
		conditions = append(conditions, strings.TrimSpace(fmt.Sprintf("%s %s", r.Kind, strings.Join(r.Conditions.Perturb, " "))))
		if r.Ended.IsZero() || r.Conditions.Start != exchange.StartContinued {
			t.Errorf("stored %+v", r)
		}
	}
	want := []string{"replay", "replay", "repeat double", "replay language=fr", "replay language=fr", "replay connection=fresh", "replay workers=2", "replay delay=1ms"}
	if !slices.Equal(conditions, want) {
		t.Errorf("runs %q, want %q", conditions, want)
	}
	counts := map[string]int{}
	for _, asked := range api.seen() {
		counts[asked]++
	}
	// Eight runs, of which two are in French and one asks three more times for what may be repeated.
	if counts["GET /orders"] != 6+3 || counts["POST /orders"] != 6 || counts["GET /orders fr"] != 2 || counts["POST /orders fr"] != 2 {
		t.Errorf("the API was asked %v", counts)
	}
	if !regexp.MustCompile(`(?m)^flaketap: 8 runs of 2 requests to where it was recorded: 19 requests in total \(1 per run may change something\)`).MatchString(said.String()) {
		t.Errorf("said %q", said.String())
	}
}

func TestApplyIsUndone(t *testing.T) {
	s := situation{load: &load{languages: map[string]bool{}}, bindings: []exchange.Binding{{Name: "id"}}}
	for _, e := range Experiments() {
		if e.Starts || e.several != nil {
			continue
		}
		c, err := e.make("", s)
		if err != nil {
			t.Fatal(err)
		}
		p := replay.Player{Settle: time.Second, Workers: 3, Around: make([]replay.Around, 1, 9)}
		p.Around[0] = replay.Apart
		undo := c.Apply(&p)
		changed := p.Settle != time.Second || p.Workers != 3 || len(p.Around) != 1
		if want := c.arrange != nil; changed != want {
			t.Errorf("%s changes the player: %t, want %t", c.Name, changed, want)
		}
		undo()
		if p.Settle != time.Second || p.Workers != 3 || len(p.Around) != 1 || p.Around[:2][1] != nil {
			t.Errorf("after %s the player is %+v", c.Name, p)
		}
	}
}

func TestSequencesThatDecideAreFound(t *testing.T) {
	api := newShop(t)
	requests := []string{"buy: POST /orders"}
	for i := range 6 {
		requests = append(requests, fmt.Sprintf("other %d: GET /things", i))
	}
	path := api.record(t, append(requests, "shut: PUT /close")...)
	var said bytes.Buffer
	o := Options{DB: path, Trials: 40, Experiments: wanted(t, "order"), Console: &console.Console{Err: &said},
		Player: replay.Player{Reset: service.Reset("http://" + strings.TrimPrefix(api.URL, "http://") + "/reset")}}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	runs := storedRuns(t, path)
	if len(runs) != 2 || len(runs[1].Dependences) != 1 {
		t.Fatalf("stored %+v\n%s", runs, said.String())
	}
	if d := runs[1].Dependences[0]; d.Victim != 1 || d.Step != 1 || !slices.Equal(d.After, []uint64{8}) || !d.Polluted {
		t.Errorf("found %+v\n%s", d, said.String())
	}
	said.Reset()
	o.Player.Reset = ""
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "searching for the cause needs --reset or --start") {
		t.Errorf("without a known start it says %q", said.String())
	}
}

func TestResumeGoesOnWhereTheReplayWasCutOff(t *testing.T) {
	api := newShop(t)
	path := api.record(t, "a: GET /1", "a: GET /2", "a: GET /3")
	ctx, cancel := context.WithCancel(t.Context())
	api.stop, api.end = map[string]bool{"/2": true}, cancel
	o := Options{DB: path, Runs: 2, Console: &console.Console{Err: io.Discard}}
	err := Run(ctx, o)
	if err == nil || console.Advice(err) != "--resume with the same flags continues it" {
		t.Fatalf("cut off with %v, %q", err, console.Advice(err))
	}
	api.mu.Lock()
	api.end = nil
	api.mu.Unlock()
	api.seen()
	other := o
	other.Resume, other.Runs = true, 3
	if err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), "the interrupted replay had 2 runs, but these flags plan 3") {
		t.Errorf("resumed with other options: %v", err)
	}
	o.Resume = true
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	asked := api.seen()
	if runs := storedRuns(t, path); len(runs) != 2 || runs[0].Ended.IsZero() || runs[1].Ended.IsZero() || runs[0].Plan != runs[1].Plan {
		t.Errorf("stored %+v", runs)
	}
	if n := len(asked); n < 4 || n > 5 || slices.Contains(asked[:n-3], "GET /1") { // the answer to /2 may have been stored or not
		t.Errorf("the two runs go on with %q", asked)
	}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if asked := api.seen(); len(asked) > 0 {
		t.Errorf("with nothing left to resume it asks %q", asked)
	}
}

func TestBoundRepeatsWhatMayBeRepeated(t *testing.T) {
	api := newShop(t)
	path := api.record(t, "a: GET /1", "a: POST /orders")
	if err := Run(t.Context(), Options{DB: path, Bound: 0.5, MaxRuns: 3}); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, asked := range api.seen() {
		counts[asked]++
	}
	var kinds []exchange.RunKind
	for _, r := range storedRuns(t, path) {
		kinds = append(kinds, r.Kind)
	}
	// A chance below 0.5 takes 5 observations beside the recording: of GET three runs and as many more as tell a counter.
	if want := []exchange.RunKind{"replay", "replay", "replay", "repeat"}; !slices.Equal(kinds, want) {
		t.Errorf("runs %q, want %q", kinds, want)
	}
	if counts["POST /orders"] != 4 || counts["GET /1"] != 4+3 {
		t.Errorf("asked %v", counts)
	}
}

func TestPreviewSendsNothing(t *testing.T) {
	api := newShop(t)
	path := api.record(t, "a: GET /orders", "a: GET /orders", "a: POST /orders", "a: DELETE /orders")
	chosen, err := ReadSelection(nil, []string{"DELETE"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{DB: path, Requests: chosen}
	rows, holder, err := Preview(o)
	if err != nil || holder != nil {
		t.Fatal(holder, err)
	}
	want := []Intent{
		{Host: api.URL, Method: "GET", Operation: "/orders", Requests: 2, First: 1},
		{Host: api.URL, Method: "POST", Operation: "/orders", Requests: 1, Unsafe: true, First: 3},
		{Host: api.URL, Method: "DELETE", Operation: "/orders", Requests: 1, Unsafe: true, Skipped: "--skip DELETE", First: 4},
	}
	if !slices.Equal(rows, want) {
		t.Errorf("previewed %+v, want %+v", rows, want)
	}
	if asked := api.seen(); len(asked) > 0 {
		t.Errorf("a preview sent %q", asked)
	}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if asked := api.seen(); len(asked) != 3 || slices.Contains(asked, "DELETE /orders") {
		t.Errorf("the run sent %q", asked)
	}
}

func TestReadRefusesWhatItDoesNotKnow(t *testing.T) {
	for value, want := range map[string]string{
		"xyzzy":     `unknown --perturb "xyzzy"`,
		"double=3":  `--perturb double takes no value, got "double=3"`,
		"double*0":  "the number of runs after *",
		"tz":        "needs --start CMD",
		"restart":   "needs --start CMD",
		"language*": "the number of runs after *",
	} {
		if _, err := Read([]string{value}, nil); err == nil || !console.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", value, err, want)
		}
	}
	for _, w := range wanted(t, "default") {
		if w.Starts || !w.Default {
			t.Errorf("default stands for %s", w.Name)
		}
	}
	all, err := Read([]string{"all"}, &service.Service{})
	if err != nil || len(all) != len(Experiments()) {
		t.Errorf("all stands for %d of %d, %v", len(all), len(Experiments()), err)
	}
}

func TestValuesOfExperiments(t *testing.T) {
	s := situation{load: &load{languages: map[string]bool{"de": true}}}
	for text, want := range map[string]string{
		"delay": "delay=2s", "delay=5s": "delay=5s", "delay=soon": "a duration from 1ms to 48h0m0s, such as 5s, got \"soon\"",
		"language": "language=fr", "language=pt-BR": "language=pt-BR", "language=ü": "must be a language tag",
		"connection": "connection=fresh", "connection=old": "must be fresh",
		"workers": "workers=4", "workers=1": "must be a number from 2 to 1000",
		"order": "order=reverse", "order=shuffle:5": "order=shuffle:5", "order=random": "must be reverse or shuffle",
	} {
		made, err := conditions(wanted(t, text), s)
		got := fmt.Sprint(err)
		if err == nil {
			got = made[0].Name
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", text, got, want)
		}
	}
}

// Without a value, a run is put off until what may be cached has expired, unless that is long.
func TestDelayUntilCachesExpire(t *testing.T) {
	for kept, want := range map[time.Duration]string{0: "delay=2s", time.Second: "delay=2s", 3 * time.Second: "delay=4s",
		59 * time.Second: "delay=1m0s"} {
		made, err := conditions(wanted(t, "delay"), situation{load: &load{kept: kept}})
		if err != nil || made[0].Name != want {
			t.Errorf("kept for %s: %+v, %v, want %s", kept, made, err, want)
		}
	}
	l := &load{languages: map[string]bool{}, signed: map[string]int{}}
	for _, head := range []string{"max-age=3", "max-age=9", "no-store", "max-age=60"} {
		e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")}), Addr: "127.0.0.1:1",
			Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nCache-Control: " + head + "\r\n\r\n")})}
		l.add(e, &replay.Player{}, Selection{}.selectWith(nil))
	}
	if l.kept != 9*time.Second {
		t.Errorf("the recorded answers may be kept for %s", l.kept)
	}
}

func TestOtherHostsAreNotForTheTarget(t *testing.T) {
	api, other := newShop(t), newShop(t)
	path := api.record(t, "a: GET /1")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.BeginPass(exchange.Pass{Started: time.Now(), Source: "record"})
	e := &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: strings.TrimPrefix(other.URL, "http://"), Start: time.Now(),
		Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")}), Response: &exchange.Response{Status: 200}}
	if err := errors.Join(err, db.Record(e), db.EndPass(time.Now()), db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), Options{DB: path, Target: api.URL}); err != nil {
		t.Fatal(err) // what went to the other host is left out: it is not for the target
	}
	if asked := slices.Concat(api.seen(), other.seen()); !slices.Equal(asked, []string{"GET /1"}) {
		t.Errorf("asked %q", asked)
	}
	if err := Run(t.Context(), Options{DB: path}); err != nil {
		t.Fatal(err)
	}
	if asked := slices.Concat(api.seen(), other.seen()); !slices.Equal(asked, []string{"GET /1", "GET /2"}) {
		t.Errorf("asked %q", asked)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/service"
)

// quoteRequest and tripRequest are the requests of testdata/external/trips.py.
const (
	quoteRequest = "GET /quote?currency=EUR&amount=20"
	tripRequest  = "GET /trip?city=Oslo"
)

// foundBehavior is what the tests read of an index.
type foundBehavior struct {
	Stubs, Request, End, Answer string
	Status                      int
	Findings                    []string
}

// tripsAPI lays the API with labels on the bench, and returns the flags with which it is started.
func (b *bench) tripsAPI() (start, ready string) {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "external", "trips.py"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.must("mkdir source")
	b.write("source/trips.py", source)
	b.env = append(b.env, "LABELS="+filepath.Join(b.dir, "labels"))
	return "exec " + python(b.t) + "/python " + b.dir + "/source/trips.py # {port}", "http://127.0.0.1:{port}/health"
}

// labels are those that the API has left since the last call.
func (b *bench) labels() []string {
	b.t.Helper()
	name := filepath.Join(b.dir, "labels")
	text := string(read(b.t, name))
	if err := os.Remove(name); err != nil {
		b.t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(all)
	return slices.Compact(all)
}

// found reads the index of a search.
func (b *bench) found(dir string) []foundBehavior {
	b.t.Helper()
	var index struct{ Behaviors []foundBehavior }
	if err := json.Unmarshal(read(b.t, filepath.Join(b.dir, dir, "index.json")), &index); err != nil {
		b.t.Fatal(err)
	}
	return index.Behaviors
}

// A search finds the planted trace; the stubs that it writes lead there when they are served.
func TestMockSearch(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	start, ready := b.tripsAPI()
	run := " --start '" + start + "' --ready " + ready
	search := "flaketap mock search --request '" + quoteRequest + "'" + run + " --words source --out out --coverage 'wc -l <labels' --trials "
	b.must(search + "20")
	if out := b.must(search + "120"); !strings.Contains(out, "going on behind 20 trials") {
		t.Errorf("the search does not go on:\n%s", out)
	}
	all := b.found("out")
	b.must(search + "120") // proofs beyond the budget are no reason not to
	if out, status := b.sh(search + "20"); status != exitUsage || !strings.Contains(out, "would find less than the 120 trials that out has had") {
		t.Errorf("fewer trials than there were: %d\n%s", status, out)
	}
	if len(b.found("out")) != len(all) {
		t.Error("they change what was found")
	}
	at := slices.IndexFunc(all, func(f foundBehavior) bool { return slices.Contains(f.Findings, "stack trace") })
	if at < 0 {
		t.Fatalf("no stack trace among %+v", all)
	}
	path := strings.TrimPrefix(quoteRequest, "GET ")
	out := b.must("flaketap mock serve out/" + all[at].Stubs + run + ` -- sh -c 'curl -s "$FLAKETAP_URL` + path + `"'`)
	if !strings.Contains(out, "Traceback") {
		t.Errorf("the stubs of %+v do not lead there:\n%s", all[at], out)
	}
}

// A search that Ctrl-C ends writes what it has found until then, and the same command goes on from there.
func TestMockSearchInterrupted(t *testing.T) {
	b := newBench(t)
	start, ready := b.tripsAPI()
	ninth := b.fifo("ninth")
	command := []string{"mock", "search", "--request", quoteRequest, "--start", start, "--ready", ready, "--words", "source", "--trials", "40", "--out", "out",
		"--reset", "echo >>resets; test $(wc -l <resets) != 9 || { echo >ninth; sleep 1000; }"}
	p := b.run(nil, command...)
	ninth.read()
	p.signal(syscall.SIGINT)
	p.exit(0)
	p.says(1, "flaketap: the search was ended early")
	early := b.found("out")
	if len(early) == 0 {
		t.Fatalf("nothing is written of what was found in 8 trials:\n%s", p.out)
	}
	for _, f := range early {
		if _, err := os.Stat(filepath.Join(b.dir, "out", f.Stubs, "stubs.json")); err != nil {
			t.Error(err)
		}
	}
	p = b.run(nil, command...)
	p.exit(0)
	p.says(1, "going on behind 8 trials of an earlier search")
	p.says(0, "ended early")
	all := b.found("out")
	outline := func(f foundBehavior) string { return fmt.Sprint(f.Request, f.End, f.Status, f.Answer) }
	for _, f := range early {
		if !slices.ContainsFunc(all, func(g foundBehavior) bool { return outline(f) == outline(g) }) {
			t.Errorf("%+v was found, and is lost", f)
		}
	}
	if len(all) <= len(early) {
		t.Errorf("nothing new is found: %+v", all)
	}
	const behind = 40/5 + 8 // for answers that are whole, and for waits that may have a bound
	if n := bytes.Count(read(t, filepath.Join(b.dir, "resets")), []byte("\n")); n > 9+32+behind+3*len(early) {
		t.Errorf("%d trials began: those of the first search run once more", n)
	}
}

// The requests of a recording are searched, too.
func TestMockSearchRecording(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	start, ready := b.tripsAPI()
	run := " --start '" + start + "' --ready " + ready
	b.must("flaketap record --db r.db" + run + ` -- sh -c 'curl -s "$FLAKETAP_URL/health?a=1"; curl -s "$FLAKETAP_URL/health?a=2"'`)
	b.must("flaketap mock search --db r.db" + run + " --out out")
	if all := b.found("out"); len(all) != 1 || all[0].Request != "GET /health?a=1" || all[0].Status != 200 {
		t.Errorf("found %+v", all)
	}
}

// What a command sends while the search goes on is answered by the API, and searched where it is new; the search ends it.
func TestMockSearchFuzzer(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	start, ready := b.tripsAPI()
	const send = `while curl -sf "$FLAKETAP_URL/health" >>sent; do curl -s "$FLAKETAP_URL/quote?currency=EUR&amount=20" >>sent; done; sleep 1000`
	out := b.must("flaketap mock search --start '" + start + "' --ready " + ready + " --words source --out out --trials 60 -- sh -c '" + send + "'")
	if !strings.Contains(out, "of which 1 are searched") {
		t.Errorf("it is not told what was searched:\n%s", out)
	}
	all := b.found("out")
	if len(all) < 3 || slices.ContainsFunc(all, func(f foundBehavior) bool { return f.Request != quoteRequest }) {
		t.Errorf("found %+v", all)
	}
	if sent := string(read(t, filepath.Join(b.dir, "sent"))); !strings.Contains(sent, `"ok": true`) {
		t.Errorf("the command's requests are not answered by the API:\n%s", sent)
	}
}

// What is searched reaches more labels than random answers do in as many trials, and all planted bugs. The labels are
// counted by the API, in a file that the search never reads.
func TestEvalMockSearch(t *testing.T) {
	const trials = 600
	b := newBench(t)
	start, ready := b.tripsAPI()
	all := 0
	for line := range strings.Lines(string(read(t, filepath.Join(b.dir, "source", "trips.py")))) {
		if strings.Contains(line, `label("`) || strings.Contains(line, `, label, [`) {
			all++
		}
	}
	b.must(fmt.Sprintf("flaketap mock search --request '%s' --request '%s' --start '%s' --ready %s --words source --trials %d --patience 2s --out out",
		quoteRequest, tripRequest, start, ready, trials))
	searched := b.labels()
	b.randomAnswers(start, ready, trials)
	random := b.labels()
	bugs := 0
	for _, l := range searched {
		if strings.HasPrefix(l, "bug") {
			bugs++
		}
	}
	t.Logf("%d trials: searched %d of %d labels and %d of 4 bugs, random answers %d", trials, len(searched), all, bugs, len(random))
	t.Logf("searched %q\nrandom %q", searched, random)
	if len(searched)*100 < 85*all || len(searched) <= len(random) || bugs < 4 {
		t.Error("the search reaches too little")
	}
}

// randomAnswers gives the API, in each trial, an answer for each of its services: a random status, or fault, with random
// words of its own file as fields, and values.
func (b *bench) randomAnswers(start, ready string, trials int) {
	b.t.Helper()
	for _, name := range b.env {
		if labels, is := strings.CutPrefix(name, "LABELS="); is {
			b.t.Setenv("LABELS", labels)
		}
	}
	api, err := serve.OpenTrials(b.t.Context(), serve.Options{Externals: serve.Externals{Self: []string{program(b.t), "mock", "stage"}}, Service: &service.Service{Command: start, Ready: ready, Patience: time.Minute},
		Console: &console.Console{Quiet: true}}, 2*time.Second)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		if err := api.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	var words search.Words
	words.Add(read(b.t, filepath.Join(b.dir, "source", "trips.py")))
	r := rand.New(rand.NewPCG(1, 0))
	for i := range trials {
		request, _ := archive.ParseRequest([]string{quoteRequest, tripRequest}[i%2])
		var stubs []any
		for _, path := range []string{"/latest", "/cities/.*", "/seats"} {
			stubs = append(stubs, map[string]any{"request": map[string]any{"urlPathPattern": path}, "response": randomAnswer(r, &words)})
		}
		var file bytes.Buffer
		if err := json.NewEncoder(&file).Encode(map[string]any{"mappings": stubs}); err != nil {
			b.t.Fatal(err)
		}
		if _, err := api.Try(b.t.Context(), search.Trial{Request: request, Stubs: file.Bytes()}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// randomAnswer is half of the time a good status with some of the words as fields.
func randomAnswer(r *rand.Rand, words *search.Words) map[string]any {
	pick := func(n int) bool { return r.IntN(n) == 0 }
	names, values := words.Names(), words.Values()
	if pick(10) {
		return map[string]any{"fault": []mock.Fault{mock.Reset, mock.Empty, mock.Malformed}[r.IntN(3)]}
	}
	status := 200
	if pick(2) {
		status = []int{201, 204, 400, 401, 403, 404, 429, 500, 502, 503}[r.IntN(10)]
	}
	fields := map[string]any{}
	for _, name := range names {
		if pick(4) {
			fields[name] = []any{1, 0, -1, 0.5, "x", true, nil, "EUR", "Oslo", values[r.IntN(len(values))]}[r.IntN(10)]
		}
	}
	answer := map[string]any{"status": status, "jsonBody": fields, "headers": map[string]any{"Content-Type": "application/json"}}
	if pick(20) {
		answer["fixedDelayMilliseconds"] = 4000
	}
	return answer
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/external"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/service"
)

// judge runs trials, and keeps what labels are told by.
type judge struct {
	api      search.API
	command  string // that starts the API at {port}
	requests []external.Request
	seen     []external.Outcome
	purposes []search.Purpose // of the trials that showed it
}

func (j *judge) Try(ctx context.Context, t search.Trial) (search.Outcome, error) {
	out, err := j.api.Try(ctx, t)
	if err != nil {
		return out, err
	}
	j.seen, j.purposes = append(j.seen, j.outcome(t.Request, out)), append(j.purposes, t.Purpose)
	return out, nil
}

// outcome is that of a trial as labels are told by it.
func (j *judge) outcome(sent search.Request, out search.Outcome) external.Outcome {
	o := external.Outcome{Status: out.Status, Body: out.Body, Hang: out.End == search.Hung, Duration: out.Took}
	if r := out.Record[0].Response; r != nil {
		o.Header = http.Header{}
		for _, f := range r.Header {
			o.Header.Add(f.Name, f.Value)
		}
	}
	o.Request = slices.IndexFunc(j.requests, func(r external.Request) bool {
		return r.Method == sent.Method && r.Path == sent.Target && bytes.Equal(r.Body, sent.Body)
	})
	for _, c := range out.Calls {
		host, _, _ := net.SplitHostPort(c.Service)
		for range c.Times {
			o.Calls = append(o.Calls, external.Call{Method: c.Method, Host: host, Path: c.Target, Status: c.Status})
		}
	}
	return o
}

var externalTestdata = filepath.Join("..", "..", "internal", "testbed", "external", "testdata")

// trialsOf starts one of the APIs of internal/testbed/external for trials, and reads the words of its source.
func trialsOf(t *testing.T, a external.API) (j *judge, l *external.Labels, words *search.Words) {
	t.Helper()
	a.Need(t)
	start, err := a.Build(t.Context(), externalTestdata, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if l, err = external.Load(filepath.Join(externalTestdata, a.Name)); err != nil {
		t.Fatal(err)
	}
	words = &search.Words{}
	files, err := os.ReadDir(filepath.Join(externalTestdata, a.Name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".json" {
			words.Add(read(t, filepath.Join(externalTestdata, a.Name, f.Name())))
		}
	}
	command := "TIMEOUT=1 exec " + strings.Join(start, " ") + " --port {port}"
	api := openTrials(t, command, time.Minute, 3*time.Second)
	return &judge{api: api, command: command, requests: l.Requests}, l, words
}

// openTrials opens an API for trials until the test ends: it is ready at /health within startup, has its state taken
// back by /reset, and is waited for with each request for so long as patience.
func openTrials(t *testing.T, command string, startup, patience time.Duration) *serve.Trials {
	t.Helper()
	const at = "http://127.0.0.1:{port}"
	api, err := serve.OpenTrials(t.Context(), serve.Options{
		Externals: serve.Externals{Self: []string{program(t), "mock", "stage"}}, Console: &console.Console{Quiet: true},
		Service: &service.Service{Command: command, Ready: at + "/health", Patience: startup}, Reset: at + "/reset",
	}, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Close(); err != nil {
			t.Error(err)
		}
	})
	return api
}

// evalTrials is in how many trials a search is evaluated: FLAKETAP_EVAL_TRIALS, 600 else.
func evalTrials(t *testing.T) int {
	t.Helper()
	text := os.Getenv("FLAKETAP_EVAL_TRIALS")
	if text == "" {
		return 600
	}
	trials, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

// evalBy is by what fields are known where a search of an API is evaluated: FLAKETAP_EVAL_BY, words else; see searchBy.
// There are no hooks for Go: where both are asked for, it has words.
func evalBy(t *testing.T, a external.API) string {
	t.Helper()
	by := cmp.Or(os.Getenv("FLAKETAP_EVAL_BY"), "words")
	switch {
	case !slices.Contains([]string{"words", "hooks", "both", "none"}, by):
		t.Fatalf("FLAKETAP_EVAL_BY is words, hooks, both or none, not %s", by)
	case by == "both" && a.Language == "go":
		return "words"
	}
	return by
}

// By what a search is evaluated that is asked for by FLAKETAP_EVAL_BY.
func TestSearchesAreEvaluatedBy(t *testing.T) {
	for asked, want := range map[string][2]string{"": {"words", "words"}, "hooks": {"hooks", "hooks"}, "both": {"both", "words"}, "none": {"none", "none"}} {
		t.Setenv("FLAKETAP_EVAL_BY", asked)
		for i, language := range []string{"python", "go"} {
			if by := evalBy(t, external.API{Language: language}); by != want[i] {
				t.Errorf("%q: an API in %s is searched by %s, not by %s", asked, language, by, want[i])
			}
		}
	}
}

// What a search reaches of seven APIs whose labels someone else wrote, beside random answers (none with
// FLAKETAP_EVAL_RANDOM=none, nothing else with FLAKETAP_EVAL_RANDOM=only).
func TestEvalMockSearchServices(t *testing.T) {
	trials := evalTrials(t)
	for _, a := range external.APIs() {
		t.Run(a.Name, func(t *testing.T) {
			j, l, words := trialsOf(t, a)
			if os.Getenv("FLAKETAP_EVAL_RANDOM") == "only" {
				random := randomScore(t, j, l, words, trials)
				t.Logf("%s, %d trials: random answers reach %d of %d behaviors, %d of %d bugs", a.Name, trials,
					len(random.Behaviors.Found), len(l.Behaviors), len(random.Bugs.Found), len(l.Bugs))
				return
			}
			found := searchBy(t, j, requestsOf(l), words, evalBy(t, a))
			searched := l.Score(j.seen)
			j.logBudget(t, l)
			random := external.Score{}
			if os.Getenv("FLAKETAP_EVAL_RANDOM") != "none" {
				random = randomScore(t, j, l, words, trials)
			}
			t.Logf("%s by %s, %d trials: searched %d of %d behaviors, %d of %d bugs; random %d and %d; %d found", a.Name, evalBy(t, a), trials,
				len(searched.Behaviors.Found), len(l.Behaviors), len(searched.Bugs.Found), len(l.Bugs), len(random.Behaviors.Found), len(random.Bugs.Found), len(found.Behaviors))
			if !isHeldOut(a) {
				t.Logf("missed %q, bugs %q, fields %q", searched.Behaviors.Missed, searched.Bugs.Missed, fieldsMissed(l, found))
			}
			logNeeds(t, a, l, searched)
			right, types, all := fieldScore(l, found)
			t.Logf("fields: %d of %d found, %d with the right type", right, all, types)
			t.Logf("traces: %d", len(found.Surfacings))
			asked, hosts := servicesAsked(l, found)
			t.Logf("services: %d of %d", asked, hosts)
			if asked < hosts {
				t.Error("not all services are known")
			}
			if len(searched.Behaviors.Found) <= len(random.Behaviors.Found) {
				t.Error("the search reaches no more than random answers")
			}
		})
	}
}

// servicesAsked counts the services of labels that behaviors show, and all.
func servicesAsked(l *external.Labels, found search.Result) (asked, all int) {
	known := map[string]bool{}
	for _, b := range found.Behaviors {
		for _, c := range b.Calls {
			host, _, _ := strings.Cut(c.Service, ":")
			known[host] = true
		}
	}
	for _, s := range l.Services {
		if known[s.Host] {
			asked++
		}
	}
	return asked, len(l.Services)
}

// requestsOf are the requests of labels.
func requestsOf(l *external.Labels) (out []search.Request) {
	for _, r := range l.Requests {
		out = append(out, search.Request{Method: r.Method, Target: r.Path, Header: r.Header, Body: r.Body})
	}
	return out
}

// logNeeds says what was seen of labels by what the services have to do for them.
func logNeeds(t *testing.T, a external.API, l *external.Labels, s external.Score) {
	t.Helper()
	needs, err := l.Needs(filepath.Join(externalTestdata, a.Name))
	if err != nil {
		t.Fatal(err)
	}
	seen, all := map[string]int{}, map[string]int{}
	for _, need := range needs {
		all[need]++
	}
	for _, id := range slices.Concat(s.Behaviors.Found, s.Bugs.Found) {
		seen[needs[id]]++
	}
	for _, need := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d of %d", need, seen[need], all[need])
	}
}

// fieldScore counts the fields of labels that were found, and those of the right type.
func fieldScore(l *external.Labels, found search.Result) (right, typed, all int) {
	for _, s := range l.Services {
		for _, f := range s.Fields {
			if strings.HasPrefix(f.Pointer, "header/") {
				continue
			}
			all++
			at := foundAt(s, f, found)
			if at < 0 {
				continue
			}
			right++
			for _, k := range found.Fields[at].Kinds {
				if string(k) == f.Type || k == kind.List && f.Type == "array" || k == kind.Integer && f.Type == "number" || k == kind.Any {
					typed++
					break
				}
			}
		}
	}
	return right, typed, all
}

// foundAt is the index of the field that was found as that of a label; -1 where none was.
func foundAt(s external.Service, f external.Field, found search.Result) int {
	return slices.IndexFunc(found.Fields, func(g search.Field) bool {
		host, _, _ := strings.Cut(g.Endpoint.Service, ":")
		return host == s.Host && isLabelled(g.Place, f.Pointer)
	})
}

// fieldsMissed lists the fields of labels that were not found.
func fieldsMissed(l *external.Labels, found search.Result) (out []string) {
	for _, s := range l.Services {
		for _, f := range s.Fields {
			if !strings.HasPrefix(f.Pointer, "header/") && foundAt(s, f, found) < 0 {
				out = append(out, f.Call+" "+f.Pointer)
			}
		}
	}
	return out
}

// isLabelled reports whether a place is that of a label, whose elements may have numbers, and whose members {names}.
func isLabelled(p exchange.Place, pointer string) bool {
	got, want := p.Segments()[1:], strings.Split(pointer, "/")[1:]
	return slices.EqualFunc(got, want, func(g, w string) bool {
		_, err := strconv.Atoi(w)
		return g == w || strings.HasPrefix(w, "{") || err == nil && g == exchange.Wildcard
	})
}

// randomScore is what random answers reach of an API's labels.
func randomScore(t *testing.T, j *judge, l *external.Labels, words *search.Words, trials int) external.Score {
	t.Helper()
	j.seen = nil
	var hosts []string
	for _, s := range l.Services {
		hosts = append(hosts, s.Host)
	}
	randomTrials(t, j, requestsOf(l), hosts, words, trials)
	return l.Score(j.seen)
}

// randomTrials gives an API random answers of its services, which are told by their hosts.
func randomTrials(t *testing.T, api search.API, requests []search.Request, hosts []string, words *search.Words, trials int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 0))
	for i := range trials {
		var stubs []any
		for _, host := range hosts {
			stubs = append(stubs, map[string]any{"request": map[string]any{"host": map[string]any{"equalTo": host}}, "response": randomAnswer(r, words)})
		}
		file, err := json.Marshal(map[string]any{"mappings": stubs})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.Try(t.Context(), search.Trial{Request: requests[i%len(requests)], Stubs: file}); err != nil {
			t.Fatal(err)
		}
	}
}

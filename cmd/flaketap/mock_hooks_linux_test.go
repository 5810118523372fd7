package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/external"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
)

// readField is what the tests read of a field in an index.
type readField struct {
	Endpoint struct{ Service, Path string }
	Field    string
	Types    []string
	Values   []any
	Source   string
}

// fields are all that the index of a search has.
func (b *bench) fields(dir string) []readField {
	b.t.Helper()
	var index struct{ Fields []readField }
	if err := json.Unmarshal(read(b.t, filepath.Join(b.dir, dir, "index.json")), &index); err != nil {
		b.t.Fatal(err)
	}
	return index.Fields
}

// readBy are the fields that an API read, by the index of a search, with service and place as their names.
func (b *bench) readBy(dir string) map[string]readField {
	b.t.Helper()
	read := map[string]readField{}
	for _, f := range b.fields(dir) {
		if f.Source == "read" {
			read[f.Endpoint.Service+f.Field] = f
		}
	}
	return read
}

// Without words, a search with hooks knows what the API reads.
func TestMockSearchHooks(t *testing.T) {
	b := newBench(t)
	start, ready := b.tripsAPI()
	b.must("flaketap mock search --hooks --request '" + quoteRequest + "' --start '" + start + "' --ready " + ready + " --trials 40 --out out")
	got := b.readBy("out")
	for _, want := range []string{"rates.example.com:443/body/maintenance", "rates.example.com:443/body/rate"} {
		if _, there := got[want]; !there {
			t.Errorf("%s is not among %v", want, got)
		}
	}
}

// The same in Node, of what it fetches.
func TestRealNodeMockSearchHooks(t *testing.T) {
	needs.Program(t, "node")
	b := newBench(t)
	b.write("trip.cjs", read(t, "testdata/external/trip.cjs"))
	b.must("flaketap mock search --hooks --request 'GET /trip' --start 'PORT={port} exec node trip.cjs' --ready http://127.0.0.1:{port}/health --trials 30 --out out")
	got := b.readBy("out")
	for _, want := range []string{"rates.example.com:443/body/usd", "203.0.113.7:8081/body/*/name", "weather.example.com:8080/body/temp"} {
		if _, there := got[want]; !there {
			t.Errorf("%s is not among %v", want, got)
		}
	}
}

// Models of pydantic tell all fields at once, whichever way they are given the answer.
func TestRealPythonMockSearchModels(t *testing.T) {
	b := newBench(t)
	b.write("offers.py", read(t, "testdata/external/offers.py"))
	b.must("flaketap mock search --hooks --request 'GET /validate' --request 'GET /json' --request 'GET /init' --start 'PORT={port} exec " +
		python(t) + "/python offers.py' --ready http://127.0.0.1:{port}/health --trials 24 --out out")
	got := b.readBy("out")
	for _, way := range []string{"validate", "json", "init"} {
		for place, want := range map[string]string{"fullTitle": "[string] []", "prices": "[list] []", "prices/*/amount": "[number] []",
			"prices/*/currency": "[string] [EUR SEK]", "left": "[integer] []", "seats": "[boolean] []", "hasSeats": "[boolean] []"} {
			f := got[way+".example.com:80/body/"+place]
			if is := fmt.Sprint(f.Types, f.Values); is != want {
				t.Errorf("%s, %s: %s, want %s", way, place, is, want)
			}
		}
	}
}

// What JaCoCo's agent says of an API in Java is taken.
func TestRealJVMMockSearchJaCoCo(t *testing.T) {
	needs.That(t, "a JDK", found("javac") && found("java"))
	jars, _ := toolsDir(t, "java")
	agent, err := filepath.Glob(filepath.Join(jars, "org.jacoco.agent-*-runtime.jar"))
	if err != nil {
		t.Fatal(err)
	}
	needs.That(t, "JaCoCo's agent", len(agent) == 1)
	b := newBench(t)
	at := slices.IndexFunc(external.APIs(), func(a external.API) bool { return a.Language == "jvm" })
	argv, err := external.APIs()[at].Build(t.Context(), externalTestdata, b.dir)
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	start := "JAVA_TOOL_OPTIONS=-javaagent:" + agent[0] + "=output=tcpserver,port=" + port + " exec " + strings.Join(argv, " ") + " --port {port}"
	b.must("flaketap mock search --request 'GET /events/E7' --start '" + start + "' --ready http://127.0.0.1:{port}/health --coverage jacoco:127.0.0.1:" + port + " --trials 8 --out out")
	lines := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(b.dir, "out", "trials.jsonl")))), "\n")
	if !strings.Contains(lines[1], `"Tickets#`) {
		t.Error("of the first trial nothing is covered")
	}
	if last := lines[len(lines)-1]; strings.Count(last, "#") >= strings.Count(lines[1], "#") {
		t.Errorf("the last trial covers as much anew as the first: %s", last)
	}
}

// How many fields of the APIs in Python, Node and the JVM a search finds, with words of the source, with hooks, and with
// both.
func TestEvalMockSearchHooks(t *testing.T) {
	for _, a := range external.APIs() {
		if a.Language == "go" { // which has no hooks
			continue
		}
		for _, by := range []string{"words", "hooks", "both"} {
			t.Run(a.Name+"/"+by, func(t *testing.T) {
				j, l, words := trialsOf(t, a)
				found := searchBy(t, j, requestsOf(l), words, by)
				s := l.Score(j.seen)
				right, types, all := fieldScore(l, found)
				for _, f := range found.Fields {
					if !isHeldOut(a) {
						t.Logf("found %s %s %s %q %s", f.Endpoint, f.Place, f.Kinds, f.Values, f.Source)
					}
				}
				t.Logf("fields: %d of %d found, %d with the right type; %d of %d behaviors, %d of %d bugs", right, all, types,
					len(s.Behaviors.Found), len(l.Behaviors), len(s.Bugs.Found), len(l.Bugs))
			})
		}
	}
}

// searchBy searches one of the APIs of internal/testbed/external: fields are known by "words" of its source, by "hooks",
// by "both", or by "none", which leaves what errors and log lines of their parsers tell.
func searchBy(t *testing.T, j *judge, requests []search.Request, words *search.Words, by string) search.Result {
	t.Helper()
	if by == "hooks" || by == "none" {
		words = nil
	}
	if by == "hooks" || by == "both" {
		if err := j.api.(*serve.Trials).Hook(); err != nil {
			t.Fatal(err)
		}
	}
	found, err := search.Run(t.Context(), j, search.Options{Requests: requests, Words: words, Trials: evalTrials(t), Seed: 1, Patience: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

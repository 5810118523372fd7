package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/volatility"
)

// written writes a recording as a pytest project.
func written(src suite.Source, mode suite.Mode) ([]suite.File, error) {
	p, err := Plan(src, Options{Mode: mode, All: true})
	if err != nil {
		return nil, err
	}
	return write.Write("pytest", p)
}

// judged adds to a Source the map that its steps make. Of what its runs began from nothing is known.
func judged(t testing.TB, src suite.Source) suite.Source {
	t.Helper()
	var all []*exchange.Exchange
	var numbers []int
	for _, s := range src.Steps {
		all = append(all, s.Exchange)
		for _, o := range s.Observations {
			numbers = append(numbers, o.Run)
		}
	}
	slices.Sort(numbers)
	var runs []exchange.Run
	for _, n := range slices.Compact(numbers) {
		runs = append(runs, exchange.Run{Number: n, Kind: exchange.RunImport, Conditions: exchange.Conditions{Start: exchange.StartUnknown}})
	}
	src.Bindings = flow.Bindings(all)
	src.Operations = flow.Operations(all, src.Bindings)
	rec := exchange.Recording{Started: all[0].Start, Count: uint64(len(all)), Passes: []exchange.Pass{{Number: 1}}}
	steps := func(yield func(exchange.Step, error) bool) {
		for _, s := range src.Steps {
			if !yield(s, nil) {
				return
			}
		}
	}
	var err error
	src.Map, err = volatility.Judge(rec, runs, steps, src.Operations, src.Bindings, volatility.Options{Redactor: src.Redactor})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

const jsonType = "Content-Type: application/json\r\n"

func reply(status int, headers, body string) *exchange.Response {
	return exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n%s\r\n", status, headers), Body: []byte(body), Plain: true,
	})
}

// replies makes answers of JSON bodies.
func replies(bodies ...string) []*exchange.Response {
	var out []*exchange.Response
	for _, b := range bodies {
		out = append(out, reply(200, jsonType, b))
	}
	return out
}

// stepOf makes a recorded step of a GET: the first reply is the recording's, the others those of its runs.
func stepOf(seq uint64, target string, rs []*exchange.Response) exchange.Step {
	s := exchange.Step{Exchange: &exchange.Exchange{
		Seq: seq, Scheme: "http", Addr: "a:1", Response: rs[0],
		Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\nHost: a:1\r\n\r\n"), Plain: true}),
	}}
	for i, r := range rs[1:] {
		s.Observations = append(s.Observations, &exchange.Observation{Run: i + 1, Seq: seq, Response: r})
	}
	return s
}

// compiles has Python compile files.
func compiles(t *testing.T, files ...[]byte) {
	t.Helper()
	needs.OnCI(t, "python3")
	python, err := exec.LookPath("python3")
	if err != nil {
		return
	}
	dir := t.TempDir()
	args := []string{"-m", "py_compile"}
	for i, data := range files {
		name := filepath.Join(dir, fmt.Sprintf("suite%d.py", i))
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Errorf("py_compile: %v\n%s", err, out)
	}
}

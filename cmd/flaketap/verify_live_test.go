package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/evomaster"
	"github.com/flaketap/flaketap/suite/verify"
)

// TestEvalVerifyPatchedSuite measures what patching costs a suite in EvoMaster's style. An original most of whose tests fail tells
// nothing of faults; so it is one that an instance which stands still has answered, without the tests that fail there
// all the same, and it passes there. Patched by what it does on the shop as it is, it still tells the faults on
// stable places.
func TestEvalVerifyPatchedSuite(t *testing.T) {
	s := newGeneratedSuite(t, 3)
	exe := testBinary(t)
	listen := freeAddr(t)
	frozen := " --start \"FLAKETAP_TEST_AS_FROZEN=127.0.0.1:{port} exec '" + exe + "'\" --ready http://127.0.0.1:{port}/health" +
		" --reset http://127.0.0.1:{port}/admin/reset --listen " + listen
	s.passing(listen, frozen)
	form := liveForms()["python"]
	patched := s.patched(form, listen)
	patched.bites()
	b, mutants := s.bench, 200
	b.must(fmt.Sprintf("flaketap verify --runs 2 --mutate all --mutants %d --format json --out v.json --db suite.db%s suite %s -- %s", mutants, frozen, patched.dir,
		"python -m pytest -q --tb=line -p no:cacheprovider {}/"+form.file))
	data, err := os.ReadFile(filepath.Join(b.dir, "v.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v verify.Report
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, of := range v.Suites {
		if of.Failures > 0 {
			t.Errorf("%s: %d failures of %d tests where nothing moves", of.Suite, of.Failures, of.Tests)
		}
	}
	stable, volatile := v.Mutants.Stable, v.Mutants.Volatile
	t.Logf("%d tests; on stable places: %+v; on volatile places: %+v", len(s.tests), stable, volatile)
	for _, m := range v.Mutants.List {
		if m.Suites[0].Killed && !m.Suites[1].Killed {
			t.Logf("survived the patched suite: %s %s of %s %d, volatile %v", m.Kind, m.Place, m.Operation, m.Status, m.Volatile)
		}
	}
	// Of the few of the short test one may be the one in twenty.
	if allowed := max(1, stable.Killed[0]/20); stable.Killed[0] == 0 || stable.Killed[0]-stable.Still[1] > allowed {
		t.Errorf("of %d mutants on stable places that the original kills, the patched suite kills %d", stable.Killed[0], stable.Still[1])
	}
}

// passing has the tests assert what an instance that stands still answers, and leaves those out that fail there all the same.
func (s *generatedSuite) passing(listen, frozen string) {
	b, failed := s.bench, regexp.MustCompile(`(?m)^FAILED .*::(test_\w+)`)
	b.t.Helper()
	for round := range maxRounds {
		s.tests = frozenAnswers(b.t, s.tests)
		dir := fmt.Sprintf("still%d", round)
		s.write(dir+"/EvoMaster_Test.py", evomaster.Python("EvoMaster_Test", "http://"+listen, s.tests))
		out, status := b.sh("flaketap record --db " + dir + ".db" + frozen + " -- " + readyPython(b, dir, "")(1))
		if status == 0 {
			return
		}
		var bad []string
		for _, m := range failed.FindAllStringSubmatch(out, -1) {
			bad = append(bad, m[1])
		}
		before := len(s.tests)
		s.tests = slices.DeleteFunc(s.tests, func(t evomaster.Test) bool { return slices.Contains(bad, t.Name) })
		b.t.Logf("%d of %d tests fail where nothing moves: %q", before-len(s.tests), before, bad)
		if before == len(s.tests) || len(s.tests) < 20 {
			b.t.Fatalf("%d tests are left:\n%s", len(s.tests), tail(out))
		}
	}
	b.t.Fatal("the tests never pass")
}

// frozenAnswers sends the calls of tests, in order, to a fresh instance that stands still, and returns the tests with its answers.
func frozenAnswers(t *testing.T, tests []evomaster.Test) []evomaster.Test {
	t.Helper()
	url, stop := serveTruth(t, frozenDials())
	defer stop()
	if resp, err := http.Post(url+"/admin/reset", "", nil); err != nil || resp.Body.Close() != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("reset: %v %v", resp, err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	out := make([]evomaster.Test, len(tests))
	for i, test := range tests {
		out[i].Name = test.Name
		for _, e := range test.Calls {
			e := *e
			e.Response = frozenAnswer(t, client, url, &e.Request)
			out[i].Calls = append(out[i].Calls, &e)
		}
	}
	return out
}

// frozenAnswer sends a request as the requests library does.
func frozenAnswer(t *testing.T, client *http.Client, url string, r *exchange.Request) *exchange.Response {
	t.Helper()
	body, err := r.Payload()
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), r.Method, url+r.Target, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "*/*")
	for _, name := range []string{"Accept", "Content-Type"} {
		if v := r.Header.Get(name); v != "" && (name == "Accept" || len(body) > 0) {
			request.Header.Set(name, v)
		}
	}
	resp, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %s\r\n", resp.Status)
	if err := resp.Header.Write(&head); err != nil {
		t.Fatal(err)
	}
	return exchange.ParseResponse(exchange.Message{Head: []byte(head.String() + "\r\n"), Body: raw, Plain: true})
}

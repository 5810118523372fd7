package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// A spec of Cypress's marks its sleeps while it is recorded; that which is for a request gives way to a wait for it, with
// which the spec tells a wrong answer that comes later. Another, beside which a request stays open, stays.
// Its runner stands in for Cypress, which is not here.
func TestRealNodeCypress(t *testing.T) {
	t.Parallel()
	needs.Optional(t, "playwright-core (make browser installs it)", exists(filepath.Join("..", "..", ".tools", "browser", "node_modules", "playwright-core")))
	var latency atomic.Int64
	latency.Store(int64(100 * time.Millisecond))
	const spec = "cypress/ages.cy.js"
	s := newBrowserSuite(t, spec, func() time.Duration { return time.Duration(latency.Load()) })
	s.write("cypress/runner.cjs", read(t, filepath.Join("testdata", "browser", "cypress", "runner.cjs")))
	was := string(read(t, filepath.Join(s.dir, spec)))
	do := func(name string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = s.dir, s.env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := do(program(t), args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	node, url := needs.Program(t, "node"), ""
	for _, kv := range s.env {
		if is, ok := strings.CutPrefix(kv, "PAGES="); ok {
			url = is
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	control := l.Addr().String()
	l.Close()
	must("waits", "mark", "--control", "http://"+control, "--in-place", spec)
	if out := must("waits", "mark", "--undo", "--in-place", "."); string(read(t, filepath.Join(s.dir, spec))) != was || !strings.Contains(out, "marks taken out of 1 spec") {
		t.Errorf("without its marks it is not as before:\n%s", out)
	}
	must("waits", "mark", "--control", "http://"+control, "--in-place", spec)
	must("record", "--db", "page.db", "--listen", "127.0.0.1:0", "--control", control, "--target", url, "--",
		node, "cypress/runner.cjs", spec, "5")
	out := must("waits", "patch", "--db", "page.db", "--replace-sleeps", "--in-place", spec)
	if !strings.Contains(out, "sleep of 700ms: GET /events is not answered when it is over") {
		t.Errorf("it says:\n%s", out)
	}
	is := string(read(t, filepath.Join(s.dir, spec)))
	lines := strings.Split(is, "\n")
	for i, line := range lines {
		if before, _, ok := strings.Cut(line, "flaketap: ready "); ok {
			lines[i] = before + "flaketap: ready …"
		}
	}
	want := strings.Replace(was, "    cy.visit('/fetch')\n    cy.get('#go').click()\n    cy.wait(700)\n", "    cy.intercept('GET', '/age').as('age') // flaketap: for its waits\n"+
		"    cy.visit('/fetch')\n    cy.get('#go').click()\n    // flaketap: in the place of cy.wait(700)\n    // flaketap: ready …\n    cy.wait('@age')\n", 1)
	patient := regexp.MustCompile(`, \{ requestTimeout: \d+ \}`) // on a busy machine
	if got := patient.ReplaceAllString(strings.Join(lines, "\n"), ""); got != want {
		t.Fatalf("patched it is\n%s\n%s", got, out)
	}
	must("waits", "patch", "--db", "page.db", "--replace-sleeps", "--in-place", spec)
	if again := string(read(t, filepath.Join(s.dir, spec))); again != is {
		t.Errorf("patched twice it is\n%s", again)
	}
	latency.Store(int64(1200 * time.Millisecond))
	if out, err := do(node, "cypress/runner.cjs", spec, "1"); err != nil {
		t.Errorf("a slower answer: %v\n%s", err, out)
	}
	s.site.Wrong.Store(true)
	if out, err := do(node, "cypress/runner.cjs", spec, "1"); err == nil || !strings.Contains(out, "shows the age: timed out: not.have.text 24") {
		t.Errorf("a wrong answer is not told: %v\n%s", err, out)
	}
}

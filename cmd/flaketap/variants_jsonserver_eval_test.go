package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/rewriting"
)

// TestEvalVariantsJSONServer scores written suites by regressions that a proxy plants in front of json-server: an API
// that nobody here wrote, with variants from someone who had not seen the rules.
func TestEvalVariantsJSONServer(t *testing.T) {
	forms := slices.DeleteFunc(evalForms(t), func(f evalForm) bool { return f.name != "pytest" && f.name != "go" })
	b := newEvalBench(t)
	sound, reader := startLibrary(b)
	start := " --start '" + sound + "' --ready http://127.0.0.1:{port}/settings "
	b.must("flaketap record" + start + "--listen 127.0.0.1:0 -- " + reader)
	b.must("flaketap replay --runs 10 --bound 0.01" + start)
	b.must("flaketap suite --out " + untried)
	by := map[string][]string{} // the suites that tell a variant
	for _, f := range forms {
		b.must("flaketap suite --format " + f.name + " --out " + f.name + start)
		if f.prepare != "" {
			b.must("cd " + f.name + " && " + f.prepare)
		}
		suites := f.name
		if f.name == "pytest" {
			suites += " " + untried
		}
		report := f.verify(b, fmt.Sprintf("--runs %d --variants starts", evalRuns(t, 5))+start, suites, f.run, 0)
		for i, suite := range report.Suites {
			score := report.Variants.All
			t.Logf("%s: %d of %d variants are told; %d of %d test runs fail on the sound API: %v", suite.Suite, score.Killed[i],
				score.Planted, suite.Failures, suite.TestRuns, suite.Failing)
			if suite.Suite != untried && (suite.Failures > 0 || 10*score.Killed[i] < 9*score.Planted) {
				t.Errorf("%s breaks what is promised", suite.Suite)
			}
		}
		shuffled := f.verify(b, fmt.Sprintf("--runs %d", evalRuns(t, 5))+start, suites, f.random, 0)
		for _, suite := range shuffled.Suites {
			t.Logf("%s, shuffled: %d of %d test runs fail on the sound API: %v", suite.Suite, suite.Failures, suite.TestRuns,
				suite.Failing)
			if suite.Suite != untried && suite.Failures > 0 {
				t.Errorf("%s, shuffled, breaks what is promised", suite.Suite)
			}
		}
		tellers(by, report)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		t.Logf("variant %s: told by %d suites: %s", name, len(by[name]), strings.Join(by[name], " "))
	}
}

// startLibrary fills the folder starts with a program for each variant, and returns the command that starts the sound
// API and the one of its client.
func startLibrary(b *bench) (sound, reader string) {
	b.t.Helper()
	modules, there := toolsDir(b.t, "node")
	needs.That(b.t, "Node with json-server (make tools installs it)", there && found("node"))
	if err := os.Mkdir(filepath.Join(b.dir, "starts"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	start := "env FLAKETAP_TEST_AS_LIBRARY=127.0.0.1:%s " + testBinary(b.t) + " " + modules + "/node_modules %s"
	for _, v := range rewriting.Variants {
		script := "#!/bin/sh\nexec " + fmt.Sprintf(start, "$1", v.Name) + "\n"
		if err := writeProgram(filepath.Join(b.dir, "starts", v.Name), []byte(script)); err != nil {
			b.t.Fatal(err)
		}
	}
	return fmt.Sprintf(start, "{port}", ""), "sh -c 'FLAKETAP_TEST_AS_READER=$FLAKETAP_URL exec " + testBinary(b.t) + "'"
}

// libraryMain is json-server behind the proxy that plants a regression: the folder of Node's modules and the variant's
// name, or none, are its arguments.
func libraryMain(addr string, args []string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	err := rewriting.Serve(ctx, addr, args[0], name)
	stop()
	end(err)
}

// readerMain is a client of the library.
func readerMain(url string) { end(rewriting.Talk(http.DefaultClient, url)) }

// end ends the process.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

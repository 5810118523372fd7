package main

import (
	"os"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/suite/write"
)

// realSuiteRuns is how often each form of suite is run against fresh instances of a real API.
func realSuiteRuns() int {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return 20
	}
	return 1
}

// realForms are the forms of suites, by the shard in which they run.
var realForms = map[string][]string{
	"python": {"pytest", "go", "hurl"},
	"node":   {"jest", "postman"},
	"jvm":    {"junit5", "kotlin"},
}

func TestRealPythonSuites(t *testing.T) { realSuites(t, realForms["python"]) }
func TestRealNodeSuites(t *testing.T)   { realSuites(t, realForms["node"]) }
func TestRealJVMSuites(t *testing.T)    { realSuites(t, realForms["jvm"]) }

// TestFormsAreRun: each form of suite is run by its own runner in some shard.
func TestFormsAreRun(t *testing.T) {
	var forms []string
	for _, some := range realForms {
		forms = append(forms, some...)
	}
	slices.Sort(forms)
	if names := slices.Sorted(slices.Values(write.Names())); !slices.Equal(forms, names) {
		t.Errorf("the forms %v are run, of %v", forms, names)
	}
}

// realSuites records a client of PocketBase, which draws ids and tokens, stamps what it stores, and lets nobody sign
// up twice, and writes a suite of that in each form. Run by its own runner, it passes on every fresh instance, and does
// not where it is written without weakening.
func realSuites(t *testing.T, forms []string) {
	t.Helper()
	t.Parallel()
	b := newFuzzBench(t)
	a := b.pocketBase(t)
	people := " 1 16"
	if os.Getenv("FLAKETAP_LONG") != "" {
		people = " 2 40"
	}
	a.record("flaketap.db", "--target "+a.url, "node pocketbase.mjs run $FLAKETAP_URL"+people)
	b.must("flaketap replay --runs 6 " + a.known)
	b.env = append(b.env, "FLAKETAP_URL="+a.url, "FLAKETAP_RESET="+a.reset)
	runners := realRunners()
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			own := *b
			own.t = t
			run := runners[form](&own)
			own.must("flaketap suite --format " + form + " --out " + form + " --target " + a.url + " --reset " + a.reset)
			own.must("flaketap suite --format " + form + " --mode exact --out " + form + "-exact")
			passes, fails := run(form), run(form+"-exact")
			for range realSuiteRuns() {
				if out, status := own.sh(passes); status != 0 {
					t.Errorf("%s: exit status %d\n%s", passes, status, tail(out))
				}
			}
			if out, status := own.sh(fails); status == 0 {
				t.Errorf("%s passes without weakening\n%s", fails, tail(out))
			}
		})
	}
}

// realRunners returns, for each form, what finds its runner, or skips the test. That returns what makes the project in a
// folder of the bench's ready, and returns the line of shell that runs it.
func realRunners() map[string]func(b *bench) func(dir string) string {
	out := map[string]func(b *bench) func(dir string) string{
		"pytest": func(b *bench) func(string) string {
			return func(dir string) string { return "python -m pytest -q --assert=plain -p no:cacheprovider " + dir }
		},
		"go": func(b *bench) func(string) string {
			b.useGo()
			return func(dir string) string {
				b.must("cd " + dir + " && go test -c -o ../" + dir + ".bin .")
				return "cd " + dir + " && ../" + dir + ".bin"
			}
		},
	}
	for _, form := range webForms() {
		out[form.format] = func(b *bench) func(string) string {
			form.needed(b.t)
			modules, _ := toolsDir(b.t, "node")
			return func(dir string) string {
				if form.format != "hurl" {
					b.must("cd " + dir + " && ln -s " + modules + "/node_modules node_modules")
				}
				return "cd " + dir + " && " + form.run
			}
		}
	}
	for _, form := range []string{"junit5", "kotlin"} {
		out[form] = func(b *bench) func(string) string {
			j := jvms(b.t)[form]
			j.bench = b
			runtime := ""
			return func(dir string) string {
				j.compile(dir, runtime)
				if runtime == "" {
					runtime = dir
				}
				return j.line(dir, runtime)
			}
		}
	}
	return out
}

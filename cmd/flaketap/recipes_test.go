package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// shellSuite is a suite that needs no runner: it names its tests to the recorder, and leaves JUnit XML. One of its tests
// asserts what moves.
const shellSuite = `cases=
status=0
check() { # name, path, what is to be in the answer
  answer=$(curl -sS -H "X-Flaketap-Sequence: $1" "$FLAKETAP_URL$2")
  case $answer in
    *"$3"*) cases="$cases<testcase classname='shop' name='$1'/>" ;;
    *)
      cases="$cases<testcase classname='shop' name='$1'><failure message='expected: $3 but was: $(echo "$answer" | tr -d '"{}')'/></testcase>"
      status=1 ;;
  esac
}
check order /order b0fa1c7e9d
check stock /stock '"tea":4'
echo "<testsuite name='shop'>$cases</testsuite>" >results.xml
exit $status
`

// ciBench is a bench with the recipes, that suite, and an API whose fault is switched on by the returned value.
func ciBench(t *testing.T) (b *bench, fault *atomic.Bool, env []string) {
	t.Helper()
	needs.That(t, "curl", found("curl"))
	fault = &atomic.Bool{}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		tea := 4
		if fault.Load() {
			tea = 9
		}
		switch r.URL.Path {
		case "/order":
			fmt.Fprintf(w, `{"ref":%q}`, strings.ToLower(rand.Text()[:10]))
		case "/stock":
			fmt.Fprintf(w, `{"tea":%d}`, tea)
		}
	}))
	t.Cleanup(api.Close)
	b = newBench(t)
	b.write("suite.sh", []byte(shellSuite))
	for _, name := range []string{"nightly.sh", "change.sh"} {
		script, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci", name))
		if err != nil {
			t.Fatal(err)
		}
		b.write(name, script)
	}
	return b, fault, []string{"TARGET=" + api.URL, "RESET=" + api.URL + "/reset", "SUITE_CMD=sh suite.sh", "NIGHTS=3"}
}

// The recipes of docs/ci.md, as they stand there: some nights, a change without a fault, and one with it.
func TestRecipesOfCI(t *testing.T) {
	t.Parallel()
	b, fault, env := ciBench(t)
	for range 4 {
		b.must("sh nightly.sh", env...)
	}
	kept, err := filepath.Glob(filepath.Join(b.dir, "nightly", "*.db"))
	if err != nil || len(kept) != 3 {
		t.Errorf("%d nights are kept, %v", len(kept), err)
	}
	change := func(want int, verdicts ...string) {
		t.Helper()
		b.must("rm -f triage.md")
		out, status := b.sh("sh change.sh", env...)
		b.says("change.sh", out, status, want, verdicts...)
		b.says("summary", b.must("cat triage.md"), 0, 0, "| volatile | order (shop) |")
	}
	change(0, "1 test failed: 1 volatile")
	fault.Store(true)
	change(3, "2 tests failed: 1 regression, 1 volatile", "REGRESSION  stock (shop)", "/body/tea has another value: 9, not 4")
	// A suite that ended before it left results is not green for those of an earlier one.
	b.must("rm -f triage.md")
	out, status := b.sh("sh change.sh", append(env, "SUITE_CMD=exit 1")...)
	b.says("change.sh", out, status, 1, "results.xml")
	out, status = b.sh("sh change.sh", append(env, "SUITE_CMD=curl -sS $FLAKETAP_URL/order && "+
		`echo "<testsuite name='shop'><testcase classname='shop' name='order'/></testsuite>" >results.xml; exit 1`)...)
	b.says("change.sh", out, status, 3, "no test failed")
	b.must("sh change.sh", append(env, "SUITE_CMD=sh suite.sh; exit 0")...)
	t.Run("GitHub", func(t *testing.T) { (&bench{t: t, dir: b.dir, env: b.env}).actionRuns() })
	t.Run("GitLab", func(t *testing.T) { (&bench{t: t, dir: b.dir, env: b.env}).gitLabRuns() })
}

// says checks what a step printed, and how it ended.
func (b *bench) says(step, out string, status, want int, parts ...string) {
	b.t.Helper()
	if status != want {
		b.t.Errorf("%s: exit status %d, want %d\n%s", step, status, want, tail(out))
	}
	for _, p := range parts {
		if !strings.Contains(out, p) {
			b.t.Errorf("%s does not say %q:\n%s", step, p, tail(out))
		}
	}
}

// actionRuns runs the steps of the action as the runner of GitHub does, with its files in the place of its server.
func (b *bench) actionRuns() {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, Shell, Run string
				Env              map[string]string
			}
		}
	}
	b.readYAML("action.yml", &action)
	given := map[string]string{"results": "results.xml", "run": "run.db", "recordings": "nightly", "map": "volatile.lock", "suite": "suite.sh"}
	env := []string{"GITHUB_OUTPUT=output", "GITHUB_STEP_SUMMARY=summary.md", "GITHUB_PATH=path"}
	for name, in := range action.Inputs {
		if _, ok := given[name]; !ok {
			given[name] = in.Default
		}
	}
	var out string
	var status int
	for i, step := range action.Runs.Steps {
		if step.Shell != "bash" {
			b.t.Fatalf("%s: the shell is %q", step.Name, step.Shell)
		}
		own := env
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			own = append(own, name+"="+given[input])
		}
		script := fmt.Sprintf("step%d.sh", i)
		b.write(script, []byte(step.Run))
		out, status = b.sh("bash --noprofile --norc -eo pipefail "+script, own...)
		if i < len(action.Runs.Steps)-1 && status != 0 {
			b.t.Fatalf("%s: exit status %d\n%s", step.Name, status, out)
		}
	}
	b.says("the action", out, status, 3, "::error title=regression%3A stock (shop)::", "::notice title=volatile%3A order (shop)::")
	b.says("the output", b.must("cat output"), 0, 0, "regressions=true")
	b.says("the summary", b.must("cat summary.md"), 0, 0, "| **regression** | stock (shop) |")
}

// gitLabRuns runs the script of GitLab's template as its runner does, in a shell with the variables.
func (b *bench) gitLabRuns() {
	var template map[string]struct {
		Variables map[string]string
		Script    []string
	}
	b.readYAML("docs/ci/gitlab.yml", &template)
	job := template[".flaketap-triage"]
	var env []string
	for name, value := range job.Variables {
		env = append(env, name+"="+value)
	}
	env = append(env, "RUN=run.db", "RECORDINGS=nightly", "MAP=volatile.lock")
	b.write("gitlab.sh", []byte(strings.Join(job.Script, "\n")))
	out, status := b.sh("sh -e gitlab.sh", env...)
	b.says("GitLab", out, status, 3, "REGRESSION  stock (shop)")
	b.says("triage.json", b.must("cat triage.json"), 0, 0, `"verdict": "regression"`)
}

// readYAML reads a file of the repository.
func (b *bench) readYAML(name string, into any) {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err == nil {
		err = yaml.Unmarshal(raw, into)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/verify"
)

// evalSet is a labelled API for which suites are written, to be evaluated.
type evalSet struct {
	name, folder, ready string
}

func evalSets() []evalSet {
	return []evalSet{{"shop", "demoapi", "/health"}, {"ward", "wardapi", "/system/bereit"}}
}

// start returns the flags that start the API with its clock moved by the offset.
func (s evalSet) start(offset string) string {
	return fmt.Sprintf(" --start 'flaketap demo api --set %s --clock-offset %s --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}%s ",
		s.name, offset, s.ready)
}

// record records the API's client, runs it ten times more, and asks again what never moved: one answer in thirty of the
// ward's is otherwise for no reason, and what was never seen cannot be known.
func (s evalSet) record(b *bench) {
	b.t.Helper()
	b.must("flaketap record" + s.start("{clock}") + "--listen 127.0.0.1:0 -- sh -c 'flaketap demo client --set " + s.name + " --url $FLAKETAP_URL'")
	b.must("flaketap replay --runs 10 --bound 0.01" + s.start("{clock}"))
}

// write writes a suite of the form into a folder named after it, tried on the API, and makes it ready to run.
func (s evalSet) write(b *bench, f evalForm) {
	b.t.Helper()
	b.must("flaketap suite --format " + f.name + " --out " + f.name + s.start("{clock}"))
	if f.prepare != "" {
		b.must("cd " + f.name + " && " + f.prepare)
	}
}

// newEvalBench returns a bench with what all forms of suites need.
func newEvalBench(t *testing.T) *bench {
	t.Helper()
	b := newFuzzBench(t)
	b.useGo()
	b.patience = time.Hour
	return b
}

// evalForm is a form of suite that is evaluated, with the ways in which its runner runs one. ELSEWHEN moves the clock of
// the tests, in seconds: the API and the tests of it have the same time wherever it is asserted that a time is now.
type evalForm struct {
	name    string
	prepare string // makes a suite ready to run, in its folder
	flags   string // of verify, that the form needs
	run     string // the runner, as verify has it run a suite
	// The same in a random order, and in parallel; "" where the form has no such way.
	random, parallel string
}

// evalForms returns the forms, or those that FLAKETAP_EVAL_FORMS names, and skips the test where a runner is missing.
func evalForms(t *testing.T) []evalForm {
	t.Helper()
	jars, _ := toolsDir(t, "java")
	modules, _ := toolsDir(t, "node")
	for tool, there := range map[string]bool{"a JDK": found("javac"), "node": found("node"),
		"Jest (make tools installs it)":  exists(modules + "/node_modules/.bin/jest"),
		"JUnit (make tools installs it)": exists(jars + "/junit-platform-console-standalone-1.13.4.jar")} {
		needs.That(t, tool, there)
	}
	own, err := filepath.Abs("testdata/eval")
	if err != nil {
		t.Fatal(err)
	}
	forms := []evalForm{evalPytest(own), evalJest(own, modules), evalJUnit(jars), evalGo()}
	if names := strings.Fields(os.Getenv("FLAKETAP_EVAL_FORMS")); len(names) > 0 {
		forms = slices.DeleteFunc(forms, func(f evalForm) bool { return !slices.Contains(names, f.name) })
	}
	return forms
}

// evalPytest has plugins in the folder own.
func evalPytest(own string) evalForm {
	run := "env PYTHONPATH='" + own + "' python -m pytest -q --tb=short -p no:cacheprovider -p elsewhen {}"
	return evalForm{name: "pytest", run: run, random: run + " -p shuffled", parallel: run + " -p xdist.plugin -n 3"}
}

// evalJest has a sequencer in the folder own.
func evalJest(own, modules string) evalForm {
	run := "sh -c 'cd {} && node_modules/.bin/jest --json --outputFile={results} --setupFiles=" + own + "/elsewhen.cjs %s'"
	return evalForm{name: "jest", prepare: "ln -s " + modules + "/node_modules node_modules",
		run: fmt.Sprintf(run, "--runInBand"), parallel: fmt.Sprintf(run, "--maxWorkers=3"),
		random: fmt.Sprintf(run, "--runInBand --randomize --testSequencer="+own+"/shuffled.cjs")}
}

// evalJUnit compiles with the jars, as Maven would take too long.
func evalJUnit(jars string) evalForm {
	const (
		now   = "System.currentTimeMillis()"
		moved = `(` + now + ` + 1000 * Long.parseLong(System.getenv().getOrDefault("ELSEWHEN", "0")))`
		first = "--config=junit.jupiter."
	)
	run := `sh -c "cd {} && java -XX:TieredStopAtLevel=1 -cp 'classes:` + jars + `/*' org.junit.platform.console.ConsoleLauncher execute ` +
		`--scan-classpath=classes --details=none --reports-dir=reports %s"`
	config := func(settings ...string) string { return fmt.Sprintf(run, first+strings.Join(settings, " "+first)) }
	return evalForm{name: "junit5", flags: "--results {}/reports", run: fmt.Sprintf(run, ""),
		prepare: "sed -i 's/" + now + "/" + moved + "/' src/test/java/flaketap/*.java && cp -r src/test/resources classes && " +
			"javac -proc:none -cp '" + jars + "/*' -d classes src/test/java/flaketap/*.java",
		random: config(`testclass.order.default=org.junit.jupiter.api.ClassOrderer\$Random`, `testmethod.order.default=org.junit.jupiter.api.MethodOrderer\$Random`),
		parallel: config("execution.parallel.enabled=true", "execution.parallel.mode.default=concurrent", "execution.parallel.config.strategy=fixed",
			"execution.parallel.config.fixed.parallelism=3")}
}

// evalGo has no way in parallel: the tests do not ask for it (t.Parallel).
func evalGo() evalForm {
	const elsewhen = `package apitest

import (
	"os"
	"time"
)

func elsewhen() time.Time {
	d, _ := time.ParseDuration(os.Getenv("ELSEWHEN") + "s")
	return time.Now().Add(d)
}
`
	const run = "sh -c 'cd {} && go tool test2json -p suite ./suite.bin -test.v=test2json %s'"
	return evalForm{name: "go", run: fmt.Sprintf(run, ""), random: fmt.Sprintf(run, "-test.shuffle=on"),
		prepare: "sed -i 's/time\\.Now()/elsewhen()/' *.go && cat >elsewhen_test.go <<'END' && go test -c -o suite.bin .\n" + elsewhen + "END\n"}
}

// verify has suites of a form run on the API by one of the form's ways, with the clocks of their tests moved, and
// returns what is reported.
func (f evalForm) verify(b *bench, flags, suites, way string, clock time.Duration) verify.Report {
	b.t.Helper()
	out := f.name + ".json"
	b.must("flaketap verify --force --format json --out "+out+" "+f.flags+" "+flags+" "+suites+" -- "+way,
		"ELSEWHEN="+strconv.Itoa(int(clock.Seconds())))
	var report verify.Report
	if err := json.Unmarshal(read(b.t, filepath.Join(b.dir, out)), &report); err != nil {
		b.t.Fatal(err)
	}
	return report
}

// evalRuns is how often each suite is run in each way: FLAKETAP_EVAL_RUNS, or some.
func evalRuns(t *testing.T, some int) int {
	t.Helper()
	return evalNumber(t, "FLAKETAP_EVAL_RUNS", some)
}

// evalNumber is the number that a variable of the environment has, or another one.
func evalNumber(t *testing.T, variable string, or int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return or
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q: want a number from 1", variable, text)
	}
	return n
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/write"
)

// jvm compiles and runs generated JUnit projects without Maven, which takes a minute for what takes seconds: with the jars
// that make tools fetches.
type jvm struct {
	*bench
	lib    string
	kotlin bool
}

// jvms returns the means to run projects in both languages, or skips the test.
func jvms(t *testing.T) map[string]jvm {
	t.Helper()
	needs.That(t, "a JDK", found("javac") && found("java"))
	lib, there := toolsDir(t, "java")
	_, err := os.Stat(filepath.Join(lib, "junit-platform-console-standalone-1.13.4.jar"))
	needs.That(t, "JUnit, REST-assured and Kotlin (make tools installs them)", there && err == nil)
	b := newBench(t)
	return map[string]jvm{"junit5": {b, lib, false}, "kotlin": {b, lib, true}}
}

// on returns the same for a subtest.
func (j jvm) on(t *testing.T) jvm {
	own := *j.bench
	own.t = t
	j.bench = &own
	return j
}

// java and tests are globs of a project's runtime, which is Java, and of its tests.
func (j jvm) java(dir string) string { return dir + "/src/test/java/flaketap/*.java" }

func (j jvm) tests(dir string) string {
	if j.kotlin {
		return dir + "/src/test/kotlin/flaketap/*.kt"
	}
	tests, common := dir+"/src/test/java/flaketap/*Test.java", dir+"/src/test/java/flaketap/Common.java"
	if _, err := os.Stat(filepath.Join(j.dir, common)); err == nil {
		tests += " " + common
	}
	return tests
}

// compile compiles the tests of a project into dir/classes. The runtime is that of another project, if one is named.
func (j jvm) compile(dir, runtime string) {
	j.t.Helper()
	j.must("cp -r " + dir + "/src/test/resources " + dir + "/classes")
	classpath := j.lib + "/*"
	if runtime == "" {
		j.must(quickJavac + " -Xlint:all,-classfile -Werror -cp '" + classpath + "' -d " + dir + "/classes " + j.java(dir))
		runtime = dir
	}
	classes := j.dir + "/" + runtime + "/classes"
	switch {
	case j.kotlin:
		jars, err := filepath.Glob(classpath + ".jar")
		if err != nil {
			j.t.Fatal(err)
		}
		j.must(quickJava + " -cp '" + classpath + "' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -jvm-target 17 -cp '" +
			classes + ":" + strings.Join(jars, ":") + "' -d " + dir + "/classes " + j.tests(dir))
	case runtime != dir:
		j.must(quickJavac + " -Xlint:all,-classfile -Werror -cp '" + classes + ":" + classpath + "' -d " + dir + "/classes " + j.tests(dir))
	}
}

// formatterOf is the command that runs a formatter, from a folder of libraries.
func formatterOf(lib string) string {
	var exports strings.Builder
	for _, name := range []string{"api", "code", "file", "parser", "tree", "util"} {
		exports.WriteString(" --add-exports jdk.compiler/com.sun.tools.javac." + name + "=ALL-UNNAMED")
	}
	return quickJava + exports.String() + " -cp '" + lib + "/*' "
}

// formatted wants the formatters to leave the sources of a project as they are.
func (j jvm) formatted(dir string) {
	j.t.Helper()
	formatter := formatterOf(j.lib)
	j.must(formatter + "com.google.googlejavaformat.java.Main --dry-run --set-exit-if-changed " + j.java(dir))
	if j.kotlin {
		j.must(formatter + "com.facebook.ktfmt.cli.Main --google-style --dry-run --set-exit-if-changed " + j.tests(dir))
	}
}

// line is the line of shell that runs the tests of a project.
func (j jvm) line(dir, runtime string) string {
	classpath := "classes"
	if runtime != "" && runtime != dir {
		classpath += ":../" + runtime + "/classes"
	}
	return "cd " + dir + " && " + quickJava + " -cp '" + classpath + ":" + j.lib + "/*' org.junit.platform.console.ConsoleLauncher execute " +
		"--scan-classpath=classes --disable-banner --disable-ansi-colors --details=summary"
}

// run runs the tests of a project and returns what JUnit says, and how many passed and failed.
func (j jvm) run(dir, runtime string, env ...string) (out string, passed, failed int) {
	j.t.Helper()
	out, _ = j.sh(j.line(dir, runtime), env...)
	for _, m := range regexp.MustCompile(`\[ +(\d+) tests (successful|failed)`).FindAllStringSubmatch(out, -1) {
		if n, _ := strconv.Atoi(m[1]); m[2] == "failed" {
			failed = n
		} else {
			passed = n
		}
	}
	if passed+failed == 0 {
		j.t.Fatalf("no test ran:\n%s", tail(out))
	}
	return out, passed, failed
}

// TestRealJVMSuite writes a recording of the truth API as projects in both languages. They hold, run after run; without
// weakening they do not; and the formatter of the language has nothing to do. Before that, the runtime is tried.
func TestRealJVMSuite(t *testing.T) {
	t.Parallel()
	all := jvms(t)
	b := all["junit5"].bench
	url, stop := serveTruth(t, usual(demoapi.FaultNone))
	defer stop()
	reset := url + "/admin/reset"
	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 -- flaketap demo client --rounds 2")
	b.must("flaketap replay --runs 6 --bound 0.05 --reset " + reset)
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + reset}
	for _, form := range []string{"junit5", "kotlin"} {
		t.Run(form, func(t *testing.T) {
			j := all[form].on(t)
			runtime, relax, exact := form+"-runtime", form, form+"-exact"
			j.runtime(form, runtime)
			j.must("flaketap suite --format " + form + " --out " + relax)
			j.must("flaketap suite --format " + form + " --mode exact --out " + exact)
			j.formatted(relax)
			j.compile(relax, runtime)
			j.compile(exact, runtime)
			for range suiteRuns() {
				if out, passed, failed := j.run(relax, runtime, env...); failed > 0 || passed < 10 {
					t.Fatalf("%d passed, %d failed:\n%s", passed, failed, tail(out))
				}
			}
			if out, _, failed := j.run(exact, runtime, env...); failed == 0 {
				t.Errorf("without weakening all pass:\n%s", tail(out))
			}
		})
	}
}

// runtime sends what is odd, and has each kind of check meet an answer that is as it should be, and one that is not: the
// first passes, byte for byte as written, the second fails. It leaves the compiled project.
func (j jvm) runtime(form, dir string) {
	j.t.Helper()
	api := newCannedAPI(j.t)
	files, err := write.Write(form, cannedPlan(api.cases, "http://"+api.addr))
	if err != nil {
		j.t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(j.dir, dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			j.t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, f.Perm); err != nil {
			j.t.Fatal(err)
		}
	}
	j.formatted(dir)
	j.compile(dir, "")
	if out, passed, failed := j.run(dir, ""); failed > 0 || passed != len(api.cases) {
		j.t.Errorf("%d of %d passed:\n%s", passed, len(api.cases), out)
	}
	api.compare(j.t)
	api.wrong.Store(true)
	if out, passed, failed := j.run(dir, ""); passed > 0 || failed != len(api.cases) {
		j.t.Errorf("with wrong answers %d passed, %d of %d failed:\n%s", passed, failed, len(api.cases), out)
	}
}

// TestRealJVMMaven runs a project by the one command that its users have.
func TestRealJVMMaven(t *testing.T) {
	t.Parallel()
	needs.That(t, "Maven", found("mvn"))
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{RareChance: -1, NullChance: -1, FieldChance: -1, TextChance: -1, Latency: visible}) // eight runs are few
	defer stop()
	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 -- flaketap demo client --rounds 1")
	b.must("flaketap replay --runs 8 --reset " + url + "/admin/reset")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"junit5", "kotlin"} {
		b.must("flaketap suite --format " + form + " --out " + form)
		b.must("mvn -q -B -f "+form+"/pom.xml test", "HOME="+home, "FLAKETAP_URL="+url, "FLAKETAP_RESET="+url+"/admin/reset")
	}
}

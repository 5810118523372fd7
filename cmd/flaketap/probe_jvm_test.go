package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/probe"
)

var javaSaid = regexp.MustCompile(`<((?:sent|behind|in|caught|again|finally|wrong)[^>]*)>`)

// Muted, tests in Java go on behind what fails, and fail all the same; where something waits for a failure it is raised.
func TestRealJVMMuted(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	dir := t.TempDir()
	r := probe.Run{Suite: filepath.Join(dir, "suite"), Log: filepath.Join(dir, "log")}
	p, ok := probe.For([]string{"shop/AllTest.java"})
	if !ok || p.Name != "Java and Kotlin" {
		t.Fatal(ok, p.Name)
	}
	muteJVM(t, p, r.Suite, "shop/AllTest.java", "helpers/Base.java")
	compile := quick(quickJavac, "-nowarn", "--release", "17", "-cp", jars+"/*", "-d", filepath.Join(dir, "classes"),
		"shop/AllTest.java", "helpers/Base.java")
	compile.Dir = r.Suite
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log := jvmMuted{path: filepath.Join(dir, "classes") + ":" + jars + "/*", class: "shop.AllTest", tests: 8,
		said: "again,again,again,behind NullPointerException,behind all,behind assertEquals,behind helper,behind links,behind none," +
			"behind variable,caught,caught too,finally,in case,in forEach,in helper,in helper,sent /a,sent /b,sent /c,sent /e,sent /f,sent /orders/7/x,sent /r," +
			"sent /r/again,sent /s,sent /s/again",
		failures: []string{"first", "not prepared", "waited", "none ==> ", "shop.AllTest.goesOn(AllTest.java:57)", "7 tests failed", "1 tests successful"},
		ended:    []probe.End{{Test: "AllTest.ends", File: "shop/AllTest.java", Line: 97}, {Test: "AllTest.breaks", File: "shop/AllTest.java", Line: 105}},
	}.run(t, p, r)
	for _, want := range []string{"AllTest.goesOn [{shop/AllTest.java 57}] 2, 1: first ==> expected: <1> but was: <2>",
		"AllTest.goesOn [{helpers/Base.java 13} {shop/AllTest.java 64}] 7, 1: ", "AllTest.goesOn [{shop/AllTest.java 59}] , : 1 expectation failed."} {
		if !slices.ContainsFunc(log.Failed, func(f probe.Failure) bool {
			return strings.HasPrefix(fmt.Sprintf("%s %v %s, %s: %s", f.Test, f.At, f.Saw, f.Expected, f.Message), want) && !f.Time.IsZero()
		}) {
			t.Errorf("the log does not say %q: %+v", want, log.Failed)
		}
	}
}

// So it is in Kotlin, with assertions of kotlin.test, Kotest and REST-assured, in coroutines too.
func TestRealJVMMutedKotlin(t *testing.T) {
	t.Parallel()
	tools := newJVMTools(t)
	dir := t.TempDir()
	r := probe.Run{Suite: filepath.Join(dir, "suite"), Log: filepath.Join(dir, "log")}
	p, ok := probe.For([]string{"kotlin/AllTest.kt"})
	if !ok || p.Name != "Java and Kotlin" {
		t.Fatal(ok, p.Name)
	}
	muteJVM(t, p, r.Suite, "kotlin/AllTest.kt", "kotlin/Base.kt")
	tools.classes = filepath.Join(dir, "library")
	tools.kotlinc(tools.classes, "../../suite/probe/testdata/junit/lib/Library.kt")
	// what mutes it compiles with what people write, too
	for _, name := range []string{"ShopTest.kt", "library/LibraryTest.kt"} {
		for name, text := range p.Mute(map[string][]byte{name: read(t, "testdata/written/"+name)}) {
			putFile(t, r.Suite, name, text)
		}
	}
	classes := filepath.Join(dir, "classes")
	tools.kotlinc(classes, r.Suite)
	jvmMuted{path: tools.path(classes), class: "shop.api.AllTest", tests: 9,
		said: "again,again,again,again,again,again,behind NullPointerException,behind all,behind assertEquals,behind blocks,behind delay," +
			"behind dispatch,behind helper,behind links,behind none,behind shouldBe,caught,caught in coroutine,caught three,caught too,finally,in forEach," +
			"in helper,in helper,in let,sent /a,sent /b/7,sent /c,sent /d,sent /e,sent /f,sent /g,sent /orders/7/x,sent /r,sent /r/again,sent /s,sent /s/again",
		failures: []string{"first. Expected", "not prepared", "waited", `shop.api.AllTest.goes on "here"(AllTest.kt:64)`, "8 tests failed",
			"1 tests successful"},
		ended: []probe.End{{Test: "AllTest.ends", File: "kotlin/AllTest.kt", Line: 136}, {Test: "AllTest.leans", File: "kotlin/AllTest.kt", Line: 146}},
	}.run(t, p, r)
}

// jvmMuted is a class of muted tests, and what comes of it.
type jvmMuted struct {
	path, class string
	said        string   // by its tests, between commas
	failures    []string // told by JUnit
	tests       int
	ended       []probe.End // those that ended early, in the order of their lines
}

// run has JUnit run the class, holds what comes of it against what is wanted, and returns the log.
func (m jvmMuted) run(t *testing.T, p probe.Probe, r probe.Run) probe.Log {
	t.Helper()
	c := quick(quickJava, "-cp", m.path, "org.junit.platform.console.ConsoleLauncher", "execute",
		"--select-class="+m.class, "--details=tree", "--disable-ansi-colors")
	c.Env = p.Env(os.Environ(), r)
	raw, err := c.CombinedOutput()
	out := string(raw)
	if err == nil {
		t.Error("no test failed")
	}
	var said []string
	for _, m := range javaSaid.FindAllStringSubmatch(out, -1) {
		said = append(said, m[1])
	}
	slices.Sort(said) // tests run in an order of JUnit's
	if want := strings.Split(m.said, ","); !slices.Equal(said, want) {
		t.Errorf("it said\n%q\nwant\n%q\n%s", said, want, out)
	}
	for _, failure := range m.failures {
		if !strings.Contains(out, failure) {
			t.Errorf("nothing says %q:\n%s", failure, out)
		}
	}
	log, err := probe.Read(r.Log)
	slices.SortFunc(log.Ended, func(a, b probe.End) int { return a.Line - b.Line })
	if err != nil || log.Tests != m.tests || !slices.Equal(log.Ended, m.ended) {
		t.Errorf("the log says %+v, %v, want %v", log, err, m.ended)
	}
	return log
}

// muteJVM writes a copy of the tests, muted, into a folder.
func muteJVM(t *testing.T, p probe.Probe, dir string, names ...string) {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range names {
		files[name] = read(t, "../../suite/probe/testdata/junit/"+name)
		putFile(t, dir, name, files[name])
	}
	for name, text := range p.Mute(files) {
		putFile(t, dir, name, text)
	}
}

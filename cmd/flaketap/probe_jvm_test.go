package main

import (
	"fmt"
	"os"
	"os/exec"
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
	if !ok || p.Name != "Java" {
		t.Fatal(ok, p.Name)
	}
	muteJava(t, p, r.Suite)
	compile := exec.Command("javac", "-proc:none", "-nowarn", "--release", "17", "-cp", jars+"/*", "-d", filepath.Join(dir, "classes"),
		"shop/AllTest.java", "shop/Base.java")
	compile.Dir = r.Suite
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command("java", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(dir, "classes")+":"+jars+"/*",
		"org.junit.platform.console.ConsoleLauncher", "execute", "--select-class=shop.AllTest", "--details=tree", "--disable-ansi-colors")
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
	want := strings.Split("again,again,again,behind NullPointerException,behind all,behind assertEquals,behind helper,behind links,behind none,"+
		"behind variable,caught,caught too,finally,in case,in forEach,in helper,in helper,sent /a,sent /b,sent /c,sent /e,sent /f,sent /orders/7/x,sent /r,"+
		"sent /r/again,sent /s,sent /s/again", ",")
	if !slices.Equal(said, want) {
		t.Errorf("it said\n%q\nwant\n%q\n%s", said, want, out)
	}
	for _, failure := range []string{"first", "not prepared", "waited", "none ==> ", "shop.AllTest.goesOn(AllTest.java:57)", "7 tests failed", "1 tests successful"} {
		if !strings.Contains(out, failure) {
			t.Errorf("nothing says %q:\n%s", failure, out)
		}
	}
	log, err := probe.Read(r.Log)
	slices.SortFunc(log.Ended, func(a, b probe.End) int { return a.Line - b.Line })
	ended := []probe.End{{Test: "AllTest.ends", File: "shop/AllTest.java", Line: 97}, {Test: "AllTest.breaks", File: "shop/AllTest.java", Line: 105}}
	if err != nil || log.Tests != 8 || !slices.Equal(log.Ended, ended) {
		t.Errorf("the log says %+v, %v, want %v", log, err, ended)
	}
	for _, want := range []string{"AllTest.goesOn [{shop/AllTest.java 57}] 2, 1: first ==> expected: <1> but was: <2>",
		"AllTest.goesOn [{shop/Base.java 13} {shop/AllTest.java 64}] 7, 1: ", "AllTest.goesOn [{shop/AllTest.java 59}] , : 1 expectation failed."} {
		if !slices.ContainsFunc(log.Failed, func(f probe.Failure) bool {
			return strings.HasPrefix(fmt.Sprintf("%s %v %s, %s: %s", f.Test, f.At, f.Saw, f.Expected, f.Message), want) && !f.Time.IsZero()
		}) {
			t.Errorf("the log does not say %q: %+v", want, log.Failed)
		}
	}
}

// muteJava writes a copy of the tests, muted, into a folder.
func muteJava(t *testing.T, p probe.Probe, dir string) {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"shop/AllTest.java", "shop/Base.java"} {
		files[name] = read(t, "../../suite/probe/testdata/junit/"+name)
		putFile(t, dir, name, files[name])
	}
	for name, text := range p.Mute(files) {
		putFile(t, dir, name, text)
	}
}

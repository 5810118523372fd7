package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/order"
)

// JUnit 5 draws the order that it is told by a seed, but where a class has asked for one.
func TestRealJVMOrder(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	dir := t.TempDir()
	text := ""
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		text += "  @Test void t" + n + "() { System.out.print(\"<NAME" + n + ">\"); }\n"
	}
	const head = "import org.junit.jupiter.api.*;\n"
	putFile(t, dir, "ATest.java", []byte(head+"class ATest {\n"+strings.ReplaceAll(text, "NAME", "a")+"}\n"))
	putFile(t, dir, "BTest.java", []byte(head+"@TestMethodOrder(MethodOrderer.MethodName.class)\nclass BTest {\n"+
		strings.ReplaceAll(text, "NAME", "b")+"}\n"))
	compile := quick(quickJavac, "-nowarn", "--release", "17", "-cp", jars+"/*", "ATest.java", "BTest.java")
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	turner, ok := order.For([]string{"ATest.java"})
	if loaded := filepath.Join(dir, "order"); !ok || turner.Install(loaded) != nil {
		t.Fatal(turner.Name)
	}
	ran := func(class string, env []string) string {
		c := quick(quickJava, "-cp", dir+":"+jars+"/*", "org.junit.platform.console.ConsoleLauncher",
			"execute", "--select-class="+class, "--details=none", "--disable-ansi-colors")
		c.Env = env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Join(regexp.MustCompile(`<\w+>`).FindAllString(string(out), -1), " ")
	}
	seen := []string{ran("ATest", os.Environ())}
	for _, o := range turner.Orders(3) {
		env := turner.Env(os.Environ(), filepath.Join(dir, "order"), o)
		once, again := ran("ATest", env), ran("ATest", env)
		if once != again || strings.Count(once, "<") != 5 {
			t.Errorf("%s they ran %s, and then %s", o, once, again)
		}
		seen = append(seen, once)
		if kept := ran("BTest", env); kept != "<b1> <b2> <b3> <b4> <b5>" {
			t.Errorf("the order of a class's own became %s", kept)
		}
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) < 3 {
		t.Errorf("the orders are %q", seen)
	}
}

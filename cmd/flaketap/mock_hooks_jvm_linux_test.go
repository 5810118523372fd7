package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/hooks"
)

// Of an API in Java that reads each answer by another library, or in another way, all fields are told, with their types.
func TestRealJVMMockSearchHooks(t *testing.T) {
	b, path, _ := javaBench(t, "Library.java")
	start := "exec " + quickJava + " -cp " + path + ":. Library {port}"
	var requests string
	for _, route := range []string{"catalog", "stock", "reviews", "rates", "loans", "member"} {
		requests += " --request 'GET /" + route + "'"
	}
	b.must("flaketap mock search --hooks" + requests + " --start '" + start + "' --ready http://127.0.0.1:{port}/health --trials 150 --out out")
	told := b.readBy("out")
	var labels map[string]map[string]string
	if err := json.Unmarshal(read(t, "testdata/external/library.json"), &labels); err != nil {
		t.Fatal(err)
	}
	all, found, typed := 0, 0, 0
	for service, fields := range labels {
		for place, kind := range fields {
			all++
			f, there := told[service+"/"+place]
			if !there {
				t.Logf("%s/%s is not told", service, place)
				continue
			}
			found++
			if slices.Contains(f.Types, kind) || slices.Contains(f.Types, "any") {
				typed++
			} else {
				t.Logf("%s/%s is %s, not %s", service, place, f.Types, kind)
			}
		}
	}
	t.Logf("%d of %d fields are told, %d with the right type", found, all, typed)
	if found*100 < all*95 || typed*10 < found*9 { // a type that only a cast shows has to be tried
		t.Error("these are too few")
	}
	for place, want := range map[string][]any{"catalog.example.com:80/body/binding": {"HARDCOVER", "PAPERBACK", "e-book"}, "reviews.example.com:443/body/reviews/*/mood": {"GOOD", "so-so"}} {
		for _, v := range want {
			if !slices.Contains(told[place].Values, v) {
				t.Errorf("%s may be %q, without %q", place, told[place].Values, v)
			}
		}
	}
}

// An API in Java does the same with what is marked, and where nobody can be told.
func TestRealJVMHooksStayTheSame(t *testing.T) {
	b, path, agent := javaBench(t, "Same.java")
	h, err := hooks.Install(filepath.Join(b.dir, "with blank"), agent)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Begin(true); err != nil {
		t.Fatal(err)
	}
	answer := []byte(`{"n":1,"of":{"x":[{"y":null}]},"t":"text"}`)
	marked := h.Mark(mock.Call{Service: "rates.example.com:443"}, answer)
	same := func(env []string) string {
		c := quick(quickJava, "-cp", path+":"+b.dir, "Same")
		c.Env = append(env, "ANSWER="+string(marked))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	want := same(os.Environ())
	if diff := cmp.Diff(want, same(h.Variables(os.Environ()))); diff != "" {
		t.Error(diff)
	}
	told, err := h.Reads()
	if err != nil || len(told) < 20 {
		t.Errorf("told are %v, %v", told, err)
	}
	for place, kind := range map[exchange.Place]string{"/body/of/n": "integer", "/body/of/x/*/of": "list", "/body/never": "", "/body/nowhere": "",
		"/body/parts": "list", "/body/made": "object"} { // of a map, of a list, of what is looked for, and what is made where it is not there
		if !slices.ContainsFunc(told, func(r hooks.Read) bool { return r.Place == place && r.Kind == kind }) {
			t.Errorf("%s is not told as %q", place, kind)
		}
	}
	if slices.ContainsFunc(told, func(r hooks.Read) bool { return r.Place == "/body/of/never" }) {
		t.Error("what is looked for is told of all that is asked for it in turn")
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "with blank")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, same(h.Variables(os.Environ()))); diff != "" {
		t.Errorf("without a file: %s", diff)
	}
}

// javaBench compiles a program, and returns the class path of its libraries, and the agent.
func javaBench(t *testing.T, source string) (b *bench, path, agent string) {
	t.Helper()
	path, agent = javaTools(t)
	b = newBench(t)
	b.write(source, read(t, "testdata/external/"+source))
	b.must(quickJavac + " -nowarn -cp '" + path + "' " + source)
	return b, path, agent
}

// javaTools is a class path of libraries that read JSON and ask services, and the agent.
func javaTools(t testing.TB) (path, agent string) {
	t.Helper()
	needs.That(t, "a JDK", found("javac") && found("java"))
	agent = hooks.FindAgent(program(t))
	needs.That(t, "the hooks of the JVM: make agent", agent != "")
	dir, _ := toolsDir(t, "java")
	var all []string
	for _, name := range []string{"json/jackson-*", "gson-*", "json/json-*", "okhttp-*", "okio-jvm-*", "kotlin-stdlib-2*"} {
		jars, err := filepath.Glob(filepath.Join(dir, name+".jar"))
		if err != nil {
			t.Fatal(err)
		}
		needs.That(t, name+".jar", len(jars) > 0)
		all = append(all, jars...)
	}
	return strings.Join(all, ":"), agent
}

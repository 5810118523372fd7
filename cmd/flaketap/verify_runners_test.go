package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/google/go-cmp/cmp"
)

// A suite of three tests in each runner's language: one passes, one fails, one passes in the first run and fails in the second.
const (
	suiteOfJest = `const value = async (path) => (await (await fetch(process.env.FLAKETAP_URL + path)).json()).v;
test("passes", async () => expect(await value("/same")).toBe(1));
test("fails", async () => expect(await value("/same")).toBe(2));
describe("a group", () => {
  test("unstable", async () => expect(await value("/moves")).toBe(1));
});
`
	suiteOfGo = `package suite

import (
	"io"
	"net/http"
	"os"
	"testing"
)

func value(t *testing.T, path, want string) {
	res, err := http.Get(os.Getenv("FLAKETAP_URL") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, _ := io.ReadAll(res.Body); string(b) != want {
		t.Errorf("%s, want %s", b, want)
	}
}

func TestPasses(t *testing.T)   { value(t, "/same", "{\"v\":1}") }
func TestFails(t *testing.T)    { value(t, "/same", "{\"v\":2}") }
func TestUnstable(t *testing.T) { value(t, "/moves", "{\"v\":1}") }
`
	suiteOfJUnit = `package suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.net.URI;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SuiteTest {
  private static void value(String path, String want) throws Exception {
    try (InputStream in = URI.create(System.getenv("FLAKETAP_URL") + path).toURL().openStream()) {
      assertEquals(want, new String(in.readAllBytes()));
    }
  }

  @Test
  void passes() throws Exception {
    value("/same", "{\"v\":1}");
  }

  @Test
  void fails() throws Exception {
    value("/same", "{\"v\":2}");
  }

  @Test
  @DisplayName("what moves")
  void unstable() throws Exception {
    value("/moves", "{\"v\":1}");
  }
}
`
	suiteOfPostman = `{"info":{"name":"suite","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[%s]}`
	itemOfPostman  = `{"name":%q,"event":[{"listen":"test","script":{"exec":["pm.test('%s', () => pm.expect(pm.response.json().v).to.eql(%d));"]}}],` +
		`"request":{"method":"GET","url":"{{url}}%s"}}`
)

// oddAndEven answers /moves otherwise in every second run: a POST begins one.
func oddAndEven(t *testing.T) string {
	var runs atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			runs.Add(1)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		v := int64(1)
		if r.URL.Path == "/moves" {
			v = runs.Load() % 2
		}
		fmt.Fprintf(w, `{"v":%d}`, v)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// runnerCase is a suite that one runner runs, and what it calls its tests.
type runnerCase struct {
	make            func(b *bench) // writes the suite's files below the folder suite
	line            string         // behind --, and flags before it
	fails, unstable string
}

func TestVerifyRunners(t *testing.T)       { verifyRunners(t, "Go", "Hurl", "Jest", "Newman") }
func TestRealJVMVerifyRunner(t *testing.T) { verifyRunners(t, "JUnit") }

// verifyRunners has verify run suites by runners that are installed here, and reads what they leave as they leave it.
func verifyRunners(t *testing.T, names ...string) {
	t.Helper()
	cases := runnerCases(t)
	for _, name := range names {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if err := os.Mkdir(filepath.Join(b.dir, "suite"), 0o755); err != nil {
				t.Fatal(err)
			}
			c.make(b)
			url := oddAndEven(t)
			b.must("flaketap verify --runs 2 --format json --out v.json --target " + url + " --reset " + url + "/ " + c.line)
			var v verify.Report
			if err := json.Unmarshal(read(t, filepath.Join(b.dir, "v.json")), &v); err != nil {
				t.Fatal(err)
			}
			s := v.Suites[0]
			if got := fmt.Sprintf("%d %.3f %.3f %.3f", s.Tests, s.FR, s.FRc, s.FRu); got != "3 0.500 0.333 0.333" {
				t.Errorf("tests, FR, FRc and FRu are %s", got)
			}
			failed := map[string]int{}
			for _, f := range s.Failing {
				failed[f.Name] = f.Failed
				if f.Message == "" {
					t.Errorf("%s fails without a word", f.Name)
				}
			}
			if diff := cmp.Diff(map[string]int{c.fails: 2, c.unstable: 1}, failed); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func runnerCases(t *testing.T) map[string]runnerCase {
	jars, _ := toolsDir(t, "java")
	modules, _ := toolsDir(t, "node")
	runners := modules + "/node_modules/.bin/"
	node := func(b *bench, runner string) {
		_, err := os.Stat(runners + runner)
		needs.That(b.t, runner+" (make tools installs it)", err == nil && found("node"))
	}
	return map[string]runnerCase{
		"Jest": {func(b *bench) {
			node(b, "jest")
			b.write("suite/package.json", []byte("{}"))
			b.write("suite/suite.test.js", []byte(suiteOfJest))
		}, "suite -- sh -c 'cd {} && " + runners + "jest --json --outputFile={results}'", "fails", "a group unstable"},
		"Newman": {func(b *bench) {
			node(b, "newman")
			items := []string{fmt.Sprintf(itemOfPostman, "one", "passes", 1, "/same"), fmt.Sprintf(itemOfPostman, "two", "fails", 2, "/same"),
				fmt.Sprintf(itemOfPostman, "three", "unstable", 1, "/moves")}
			b.write("suite/suite.json", fmt.Appendf(nil, suiteOfPostman, strings.Join(items, ",")))
		}, "suite/suite.json -- sh -c '" + runners + "newman run {} --env-var url=$FLAKETAP_URL --reporters junit --reporter-junit-export {results}'", "fails", "unstable"},
		"Hurl": {func(b *bench) {
			needHurl(b.t)
			for name, asked := range map[string]string{"passes": "same 1", "fails": "same 2", "unstable": "moves 1"} {
				path, value, _ := strings.Cut(asked, " ")
				b.write("suite/"+name+".hurl", []byte("GET {{url}}/"+path+"\nHTTP 200\n[Asserts]\njsonpath \"$.v\" == "+value+"\n"))
			}
		}, "suite -- sh -c 'hurl --test --variable url=$FLAKETAP_URL --report-junit {results} {}'", "suite/fails.hurl", "suite/unstable.hurl"},
		"Go": {func(b *bench) {
			b.useGo()
			b.write("suite/go.mod", []byte("module suite\n\ngo 1.24\n"))
			b.write("suite/suite_test.go", []byte(suiteOfGo))
		}, "suite -- sh -c 'cd {} && go test -count=1 -json ./...'", "TestFails", "TestUnstable"},
		"JUnit": {func(b *bench) {
			_, err := os.Stat(filepath.Join(jars, "junit-platform-console-standalone-1.13.4.jar"))
			needs.That(b.t, "JUnit (make tools installs it)", err == nil && found("javac"))
			b.write("suite/SuiteTest.java", []byte(suiteOfJUnit))
			b.must(quickJavac + " -cp '" + jars + "/*' -d classes suite/SuiteTest.java")
		}, "--results {}/reports suite -- sh -c \"" + quickJava + " -cp 'classes:" + jars + "/*' org.junit.platform.console.ConsoleLauncher execute " +
			"--scan-classpath=classes --details=none --reports-dir={}/reports\"", "fails()", "unstable()"},
	}
}

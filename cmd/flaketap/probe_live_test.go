package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/stabilize"
)

// journeyCalls are the calls of one long test: each answer has something that moves, and hides what comes behind.
var journeyCalls = []struct {
	path    string
	asserts [][2]string // a field of the answer, and what it is said to be
}{
	{`"/prices/estimate?product=1"`, [][2]string{{"jitter", "1313.0"}, {"currency", `"EUR"`}}},
	{`"/health"`, [][2]string{{"uptimeSeconds", "0.25"}, {"status", `"ok"`}}},
	{`"/products/1"`, [][2]string{{"stockCheckedAt", `"2026-01-01T00:00:00Z"`}, {"currency", `"EUR"`}}},
	{`"/prices/estimate?product=6"`, [][2]string{{"quoteId", `"fd8ab8e83859a82e78c8acef"`}, {"base", "990.0"}}},
	{`"/health?again=1"`, [][2]string{{"uptimeSeconds", "0.25"}}},
}

// kotlinCalls is how many of them a suite in Kotlin has, whose compiler takes a while in each round: one of each form.
const kotlinCalls = 2

// journey is a suite of that test, and how it is run.
type journey struct {
	file    string
	suite   func(addr string) []byte
	prepare func(b *bench)
	command string
	asserts int    // how many assertions it has
	results string // where its runner leaves results, if not where all do
}

func journeys(jars string) map[string]journey {
	return map[string]journey{
		"python": {"a_test.py", pythonJourney, func(*bench) {}, "python -m pytest -q -p no:cacheprovider {}", 14, ""},
		"node": {"a.test.js", nodeJourney, func(b *bench) { readyJest(b, "suite", "") },
			"node_modules/.bin/jest --ci --silent --rootDir . --runTestsByPath {}/a.test.js", 14, ""},
		"vitest": {"a.test.ts", vitestJourney, func(b *bench) { readyJest(b, "suite", "") },
			"node_modules/.bin/vitest run --dir {} --reporter=junit --outputFile={results}", 14, ""},
		"go": {"a_test.go", goJourney, func(b *bench) {
			b.useGo()
			(&generatedSuite{bench: b}).write("suite/go.mod", []byte("module journey\n\ngo 1.26\n"))
		}, "go -C {} test -count=1 -json ./...", 10, ""},
		"java": {"shop/AJourneyTest.java", javaJourney, func(b *bench) {
			b.junit(jars, quickJavac+" -Xlint:-options -cp '"+jars+"/*'", "shop/AJourneyTest.java")
		}, junit, 14, "--results {}/reports"},
		"kotlin": {"shop/AJourneyTest.kt", kotlinJourney, func(b *bench) {
			b.junit(jars, kotlinCompiler(jars), "shop/AJourneyTest.kt")
		}, junit, 6, "--results {}/reports"},
	}
}

func pythonJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "import unittest\nimport requests\n\n\nclass T(unittest.TestCase):\n    baseUrlOfSut = \"http://%s\"\n\n    def test_0(self):\n", addr)
	for i, call := range journeyCalls {
		fmt.Fprintf(&b, "        headers = {}\n        res_%d = requests.get(self.baseUrlOfSut + %s, headers=headers)\n        assert res_%[1]d.status_code == 200\n", i, call.path)
		for _, a := range call.asserts {
			fmt.Fprintf(&b, "        assert res_%d.json()[%q] == %s\n", i, a[0], a[1])
		}
	}
	return []byte(b.String())
}

func nodeJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "const superagent = require(\"superagent\");\nconst baseUrlOfSut = \"http://%s\";\n\ntest(\"test_0\", async () => {\n", addr)
	for i, call := range journeyCalls {
		fmt.Fprintf(&b, "    const res_%d = await superagent\n            .get(baseUrlOfSut + %s).set('Accept', \"*/*\")\n            .ok(res => res.status);\n"+
			"    expect(res_%[1]d.status).toBe(200);\n", i, call.path)
		for _, a := range call.asserts {
			fmt.Fprintf(&b, "    expect(res_%d.body.%s).toBe(%s);\n", i, a[0], a[1])
		}
	}
	b.WriteString("});\n")
	return []byte(b.String())
}

func vitestJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "import { expect, test } from \"vitest\";\n\nconst base: string = \"http://%s\";\n\ntest(\"a journey\", async () => {\n", addr)
	for i, call := range journeyCalls {
		fmt.Fprintf(&b, "  const res%d = await fetch(`${base}%s`);\n  expect(res%[1]d.status).toBe(200);\n  const body%[1]d = await res%[1]d.json();\n",
			i, strings.Trim(call.path, `"`))
		for _, a := range call.asserts {
			fmt.Fprintf(&b, "  expect(body%d.%s).toBe(%s);\n", i, a[0], a[1])
		}
	}
	b.WriteString("});\n")
	return []byte(b.String())
}

func goJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package journey\n\nimport (\n\t\"encoding/json\"\n\t\"net/http\"\n\t\"testing\"\n)\n\nconst base = \"http://%s\"\n\n"+
		"func get(t *testing.T, path string) map[string]any {\n\tt.Helper()\n\tresp, err := http.Get(base + path)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"+
		"\tdefer resp.Body.Close()\n\tif resp.StatusCode != 200 {\n\t\tt.Fatalf(\"status %%d\", resp.StatusCode)\n\t}\n"+
		"\tvar body map[string]any\n\tif err := json.NewDecoder(resp.Body).Decode(&body); err != nil {\n\t\tt.Fatal(err)\n\t}\n\treturn body\n}\n\n"+
		"func Test0(t *testing.T) {\n", addr)
	for i, call := range journeyCalls {
		fmt.Fprintf(&b, "\tres%d := get(t, %s)\n", i, call.path)
		for _, a := range call.asserts {
			fmt.Fprintf(&b, "\tif res%d[%q] != %s {\n\t\tt.Fatal(%[2]q)\n\t}\n", i, a[0], a[1])
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func javaJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package shop;\n\nimport static io.restassured.RestAssured.given;\nimport static org.hamcrest.Matchers.*;\n"+
		"import static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport io.restassured.response.Response;\nimport org.junit.jupiter.api.Test;\n\n"+
		"class AJourneyTest {\n    private static final String BASE = \"http://%s\";\n\n    @Test\n    void test0() {\n", addr)
	for i, call := range journeyCalls {
		if i%2 == 1 {
			fmt.Fprintf(&b, "        Response res%d = given().get(BASE + %s);\n        assertEquals(200, res%[1]d.statusCode());\n", i, call.path)
			for _, a := range call.asserts {
				fmt.Fprintf(&b, "        assertEquals(%s, res%d.jsonPath().%s(%q));\n", javaNumber(a[1]), i, javaGetter(a[1]), a[0])
			}
			continue
		}
		fmt.Fprintf(&b, "        given().get(BASE + %s).then().statusCode(200)", call.path)
		for _, a := range call.asserts {
			fmt.Fprintf(&b, ".body(%q, equalTo(%s))", a[0], javaNumber(a[1]))
		}
		b.WriteString(";\n")
	}
	b.WriteString("    }\n}\n")
	return []byte(b.String())
}

func kotlinJourney(addr string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package shop\n\nimport io.restassured.RestAssured.given\nimport org.hamcrest.Matchers.equalTo\n"+
		"import org.junit.jupiter.api.Test\nimport kotlin.test.assertEquals\n\n"+
		"class AJourneyTest {\n    private val base = \"http://%s\"\n\n    @Test\n    fun `a journey`() {\n", addr)
	for i, call := range journeyCalls[:kotlinCalls] {
		path := "\"$base" + call.path[1:]
		if i%2 == 1 {
			fmt.Fprintf(&b, "        val res%d = given().get(%s)\n        assertEquals(200, res%[1]d.statusCode())\n", i, path)
			for _, a := range call.asserts {
				fmt.Fprintf(&b, "        assertEquals(%s, res%d.jsonPath().%s(%q))\n", javaNumber(a[1]), i, javaGetter(a[1]), a[0])
			}
			continue
		}
		fmt.Fprintf(&b, "        given().get(%s)\n            .then()\n            .statusCode(200)\n", path)
		for _, a := range call.asserts {
			fmt.Fprintf(&b, "            .body(%q, equalTo(%s))\n", a[0], javaNumber(a[1]))
		}
	}
	b.WriteString("    }\n}\n")
	return []byte(b.String())
}

func javaGetter(value string) string {
	if strings.HasPrefix(value, `"`) {
		return "getString"
	}
	return "getFloat"
}

// javaNumber is a value as REST-assured has it.
func javaNumber(value string) string {
	if strings.HasPrefix(value, `"`) {
		return value
	}
	return value + "f"
}

// stabilizeJourney makes that suite hold, on an API that is started for each run.
func stabilizeJourney(t *testing.T, b *bench, language, probe string) stabilize.Report {
	t.Helper()
	jars, _ := toolsDir(t, "java")
	j := journeys(jars)[language]
	(&generatedSuite{bench: b}).write("suite/"+j.file, j.suite(freeAddr(t)))
	j.prepare(b)
	out := b.must("flaketap stabilize --probe " + probe + " --start 'flaketap demo api --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}/health " +
		"--learn 2 --runs 2 " + j.results + " suite -- " + j.command)
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	if !r.Holds || r.Before.Failing != 1 || r.After.Failing != 0 || r.Assertions.All != j.asserts {
		t.Errorf("--probe %s: %+v\n%s", probe, r, out)
	}
	if got := b.must("cat suite/" + j.file + "; ls -A suite"); strings.Contains(got, "flaketap") || strings.Contains(got, "__pycache__") {
		t.Errorf("the suite itself was changed:\n%s", got)
	}
	return r
}

// Muted, a test shows in one round what it shows in many.
func TestStabilizeProbes(t *testing.T) {
	t.Parallel()
	if r := stabilizeJourney(t, newFuzzBench(t), "python", "auto"); r.Rounds != 1 || r.Muted != 2 || len(r.NotReached) != 0 {
		t.Errorf("%+v", r)
	}
}

// journeyHolds makes the suite of a language hold with and without muted runs: it comes to the same end, and with them in
// fewer rounds.
func journeyHolds(t *testing.T, language string) {
	t.Helper()
	with := stabilizeJourney(t, newFuzzBench(t), language, "auto")
	without := stabilizeJourney(t, newFuzzBench(t), language, "never")
	t.Logf("%d rounds with muted runs, %d without; of %d assertions %d kept", with.Rounds, without.Rounds, with.Assertions.All,
		with.Assertions.Kept)
	if with.Assertions != without.Assertions || with.Rounds >= without.Rounds || with.Muted != 2 || without.Muted != 0 {
		t.Errorf("with: %+v\nwithout: %+v", with, without)
	}
}

// A suite in Go is muted as one of Python is.
func TestStabilizeProbesGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a suite many times")
	}
	t.Parallel()
	journeyHolds(t, "go")
}

// So is a suite in Java, with assertions of JUnit and of REST-assured.
func TestRealJVMProbe(t *testing.T) {
	t.Parallel()
	_, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	mutedHolds(t, "java")
}

// And one in Kotlin, with those of kotlin.test.
func TestRealJVMProbeKotlin(t *testing.T) {
	t.Parallel()
	_, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("java"))
	mutedHolds(t, "kotlin")
}

// A suite of Jest is muted as one of Python is.
func TestRealNodeProbe(t *testing.T) {
	t.Parallel()
	mutedHolds(t, "node")
}

// And one of Vitest.
func TestRealNodeProbeVitest(t *testing.T) {
	t.Parallel()
	mutedHolds(t, "vitest")
}

// mutedHolds makes the suite of a language hold with muted runs, in one round. What it takes without them is
// the same in all languages, and [journeyHolds] shows it of two.
func mutedHolds(t *testing.T, language string) {
	t.Helper()
	if r := stabilizeJourney(t, newFuzzBench(t), language, "auto"); r.Rounds != 1 || r.Muted != 2 {
		t.Errorf("%+v", r)
	}
}

// With and without muted runs a suite comes to the same end, and with them in fewer rounds, where tests are long. Those of
// EvoMaster have a call or two, so that little is hidden: they hold in both ways, as TestRealPythonStabilize shows of the other.
func TestRealPythonProbe(t *testing.T) {
	t.Parallel()
	journeyHolds(t, "python")
	s, args := newStabilized(t)
	out := s.bench.must("flaketap " + strings.Join(append(args[:1:1], append([]string{"--probe", "never"}, args[1:]...)...), " "))
	r := readStabilized(t, filepath.Join(s.bench.dir, "suite.db.stabilize", "report.json"))
	if !r.Holds || r.After.Failing != 0 || r.Assertions.Kept*2 < r.Assertions.All || r.Muted > 0 {
		t.Errorf("without muted runs: %+v\n%s", r, out)
	}
}

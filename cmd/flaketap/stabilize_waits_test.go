package main

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// lateSuite is a suite that somebody wrote as if the jobs of lateAPI were done at once, or after a sleep.
type lateSuite struct {
	file, run string   // {} is the folder
	results   string   // flags by which the runner leaves its results, in the place of RESULTS
	flags     string   // of stabilize
	waits     int      // that are written
	polls     []string // lines of the stable suite
	sleeps    string   // what stands there no more
	told      map[string]string
	beside    map[string]string // other files of the suite
	again     string            // the command for many runs; "" for run
	slow      bool              // its runner takes longer between two requests than any interval
	ready     func(t *testing.T, b *bench)
}

// latePython is one for pytest.
func latePython() lateSuite {
	return lateSuite{file: "test_jobs.py", run: "sh -c 'python -m pytest -q -p no:cacheprovider {}'", waits: 6, sleeps: "time.sleep(0.2",
		polls: []string{"    job = poll(\n        lambda: requests.get(f\"{BASE}/jobs/{id}\"),\n", "        lambda: get_job(id),\n", "        lambda: get_shelf(id),\n", "        early=[404],\n", "    job = poll_for(\n        lambda: shop.job(id),\n",
			"        assert answer.json()[\"state\"] == \"done\"\n", "    assert job.json()[\"total\"] == 42\n", "    assert body[\"total\"] == 42\n"},
		told: map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `"state":"pending"`, "wrong": "assert 41 == 42"}}
}

// lateNode is one for Jest.
func lateNode() lateSuite {
	return lateSuite{file: "jobs.test.js", run: "sh -c 'node_modules/.bin/jest --rootDir . --runInBand RESULTS {}'", results: "--json --outputFile={results}", waits: 7,
		sleeps: "await sleep(200)", polls: []string{"  const job = await poll(() => fetch(`${BASE}/jobs/${id}`), {\n", "  const job = await poll(() => getJob(id), {\n",
			"  expect(body.total).toBe(42);\n", " = await pollForBody(() => getShelf(pollFor), {\n", " = await pollForBody(() => getShelf(two), {\n",
			"  expect([all[0].of, all[1].of]).toEqual([\"tea\", \"tea\"]);\n", "  expect(answer3.of).toEqual(answer"},
		told: map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `not ready in time: 200 {"id":`, "wrong": "Received: 41"}, ready: readyForJest}
}

// on is the command that runs the suite in a folder.
func (l lateSuite) on(folder string) string {
	if l.again != "" {
		return strings.ReplaceAll(l.again, "{}", folder)
	}
	return strings.NewReplacer("{}", folder, "RESULTS", "").Replace(l.run)
}

// lateTypeScript is the same for Vitest, in TypeScript.
func lateTypeScript() lateSuite {
	l := lateNode()
	l.waits, l.polls = 3, l.polls[:3]
	l.file, l.run = "jobs.test.ts", "sh -c 'node_modules/.bin/vitest run --no-cache --dir {} RESULTS'"
	l.results = "--reporter=json --outputFile={results}"
	l.told = map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `not ready in time: 200 {"id":`, "wrong": "expected 41 to be 42"}
	return l
}

// latePostman is one for Newman, and lateStandingPostman has a Newman that stands by for all runs.
func latePostman() lateSuite {
	return lateSuite{file: "jobs.json", run: "sh -c 'node_modules/.bin/newman run {}/jobs.json --env-var base=$FLAKETAP_URL --color off RESULTS'",
		results: "--reporters junit --reporter-junit-export {results}", waits: 2, sleeps: "}, 250)",
		polls: []string{"pm.execution.setNextRequest(pm.info.requestId);", `\"total\", () => pm.expect(job.total).to.eql(42));"`},
		told:  map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `not ready in time: 200 {"id":`, "wrong": "expected 41 to deeply equal 42"},
		ready: readyForJest, slow: true}
}

func lateStandingPostman() lateSuite {
	l := latePostman()
	l.run = `sh -c "env -0 | curl --silent --noproxy '*' --fail-with-body --data-binary @- --header collection:{}/jobs.json RESULTS $STANDING_NEWMAN"`
	l.results = "--header results:{results}"
	l.ready = func(t *testing.T, b *bench) {
		readyForJest(t, b)
		needs.That(t, "curl", found("curl"))
		b.env = append(b.env, "NODE_PATH="+b.dir+"/node_modules")
		b.env = append(b.env, "STANDING_NEWMAN="+b.start("node '"+absolute(t, filepath.Join("testdata", "eval", "standing_newman.cjs"))+"' PORT", "/"))
	}
	return l
}

// lateGo is one for go test.
func lateGo() lateSuite {
	return lateSuite{file: "jobs_test.go", run: "sh -c 'cd {} && go test -count=1 RESULTS ./...'", results: "-json", waits: 5, sleeps: "time.Sleep(2",
		beside: map[string]string{"go.mod": "module jobs\n\ngo 1.22\n"}, again: "cd {} && { test -e t.bin || go test -c -o t.bin .; } && ./t.bin",
		polls: []string{"\t\tfunc() (*http.Response, error) { return http.Get(base + \"/jobs/\" + id) },\n", "{ return getJob(t, id), nil },\n",
			"\tgot := decoded[job](t, answer2)\n", "\tif got[\"total\"] != 42.0 {\n",
			"\t_, _ = pollJobs(t, ", "\tif got := readJob(t, id).State; got != \"done\" {\n", "{ return http.Get(base + \"/shelf/\" + id) },\n", "*got.Total != 42 {\n"},
		told: map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `"state":"pending"`, "wrong": "total 41"}}
}

// lateJava is one for JUnit with REST-assured, and lateKotlin the same in Kotlin.
func lateJava() lateSuite {
	return lateJVM(jvmWritten("java", "../late/JobsTest.java"), 4, "    Response job =\n        poll(\n            () -> getJob(id),\n",
		"    poll(\n            () -> given().when().get(BASE + \"/jobs/\" + id),\n", "    assertEquals(42, (int) job.path(\"total\"));\n",
		"        .body(\"total\", equalTo(42));\n", "    answer2.then().statusCode(200).body(\"state\", equalTo(\"failed\"));\n",
		"    Response shelf =\n        poll(() -> shelf(id), answer -> answer.statusCode() == 200, answer -> false, ", "    assertEquals(42, (int) shelf.path(\"total\"));\n")
}

func lateKotlin() lateSuite {
	return lateJVM(jvmWritten("kotlin", "../late/JobsTest.kt"), 4, "    val job =\n      poll(\n        { getJob(id) },\n", "    poll(\n        { given().`when`().get(\"$base/jobs/$id\") },\n",
		"    assertEquals(42, job.path<Int>(\"total\"))\n", "      .body(\"total\", equalTo(42))\n", "    answer2.then().statusCode(200).body(\"state\", equalTo(\"failed\"))\n",
		"    val shelf = poll({ shelf(id) }, { it.statusCode() == 200 }, { false }, ", "    assertEquals(42, shelf.path<Int>(\"total\"))\n")
}

// lateJavaHTTP is one with java.net.http, OkHttp and Gson.
func lateJavaHTTP() lateSuite {
	return lateJVM(jvmWritten("java", "../late/JobsHttpTest.java"), 3, "    HttpResponse<String> got =\n        pollFor(\n            () ->\n                client.send(\n",
		"    Job job =\n        pollFor(\n            () -> getJob(id),\n            answer -> \"done\".equals(answer.state),\n",
		"    Response got =\n        pollFor(\n            () -> ok.newCall(request).execute(),\n", "    assertEquals(42, job.total);\n")
}

// lateAwaitility are the same suites where they have Awaitility, as their build file says.
func lateAwaitility() []lateSuite {
	const java, kotlin = "        Awaitility.await()\n            .pollInSameThread()\n", "      Awaitility.await()\n        .pollInSameThread()\n"
	out := []lateSuite{
		lateJVM(jvmWritten("java", "../late/JobsTest.java"), 4, "import java.util.concurrent.TimeUnit;\nimport org.awaitility.Awaitility;\nimport org.junit.",
			"    Response job =\n"+java, "            .pollDelay(0, TimeUnit.MILLISECONDS)\n", "            .until(() -> shelf(id), ready(answer -> answer.statusCode() == 200, answer -> false));\n",
			"    Awaitility.await()\n        .pollInSameThread()\n", "        .body(\"total\", equalTo(42));\n", "    assertEquals(42, (int) shelf.path(\"total\"));\n"),
		lateJVM(jvmWritten("java", "../late/JobsHttpTest.java"), 3, "    HttpResponse<String> got =\n"+java, "    Job job =\n"+java,
			"e -> !(e instanceof IOException || e instanceof TerminalFailureException)", "    assertEquals(42, job.total);\n"),
		lateJVM(jvmWritten("kotlin", "../late/JobsTest.kt"), 4, "import org.awaitility.Awaitility\n", "    val job =\n"+kotlin,
			"        .until({ shelf(id) }, ready({ it.statusCode() == 200 }, { false }))\n", "    assertEquals(42, shelf.path<Int>(\"total\"))\n"),
	}
	for i := range out {
		out[i].beside = map[string]string{"pom.xml": "<dependency>\n  <groupId>org.awaitility</groupId>\n  <artifactId>awaitility</artifactId>\n  <version>4.3.0</version>\n</dependency>\n"}
	}
	return out
}

func lateJVM(of writtenSuite, waits int, polls ...string) lateSuite {
	return lateSuite{file: filepath.Base(of.file), run: of.run, flags: of.flags, ready: of.ready, waits: waits, sleeps: "Thread.sleep(2", polls: polls,
		told: map[string]string{"fails": `it came to a bad end: 200 {"id":`, "never": `"state":"pending"`, "wrong": "41"}}
}

// stabilizes has the suite stabilized against an API whose jobs take a lognormal time, and returns its address.
func (l lateSuite) stabilizes(b *bench, a *lateAPI, flags string) string {
	b.t.Helper()
	a.random = rand.New(rand.NewPCG(7, uint64(100*a.sigma)))
	a.begin("")
	s := httptest.NewServer(a)
	b.t.Cleanup(s.Close)
	g := &generatedSuite{bench: b}
	g.write("suite/"+l.file, read(b.t, "testdata/late/"+l.file))
	for name, text := range l.beside {
		g.write("suite/"+name, []byte(text))
	}
	out := b.must("flaketap stabilize --target " + s.URL + " --reset true " + flags + l.flags + " suite -- " + strings.ReplaceAll(l.run, "RESULTS", l.results))
	r := readStabilized(b.t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	if len(r.Waits) != l.waits || r.Assertions.Weakened+r.Assertions.Disabled > 0 ||
		!strings.Contains(out, fmt.Sprintf("waits written %*d", 36, l.waits)) && !strings.Contains(out, "waits: "+l.file) {
		b.t.Errorf("waits %+v, assertions %+v\n%s", r.Waits, r.Assertions, out)
	}
	b.asserts(l.file, "", "", l.polls...)
	if stable := string(read(b.t, filepath.Join(b.dir, stableSuite, l.file))); strings.Contains(stable, l.sleeps) {
		b.t.Errorf("there are sleeps:\n%s", stable)
	}
	return s.URL
}

// tells wants the stable suite to tell of jobs that fail, that never end, and of a wrong value, in words that say so.
func (l lateSuite) tells(b *bench, a *lateAPI, url string) {
	b.t.Helper()
	for mode, words := range l.told {
		a.begin(mode)
		begun := time.Now()
		out, status := b.sh(l.on(stableSuite), "FLAKETAP_URL="+url)
		b.t.Logf("%s: exit status %d after %s", mode, status, time.Since(begun).Round(time.Millisecond))
		if status == 0 || !strings.Contains(out, words) {
			b.t.Errorf("%s: exit status %d, and no %q\n%s", mode, status, words, out)
		}
	}
}

// comesToWait has the suite stabilized, looks at what it tells then, and returns the bench on which it is.
func (l lateSuite) comesToWait(t *testing.T, flags string) *bench {
	t.Parallel()
	b := newFuzzBench(t)
	if l.ready != nil {
		l.ready(t, b)
	}
	a := &lateAPI{sigma: 0.1, idle: true}
	l.tells(b, a, l.stabilizes(b, a, "--learn 2 --orders 0 "+flags))
	return b
}

// A suite that reads too early comes to wait until the API is ready, asserts all that it did, and tells of bugs.
func TestRealPythonStabilizeWaits(t *testing.T) {
	out := latePython().comesToWait(t, "--runs 2").must("ruff format --diff " + stableSuite + " 2>&1")
	if !strings.Contains(out, "1 file already formatted") {
		t.Error(out)
	}
}

// So it is in Jest.
func TestRealNodeStabilizeWaits(t *testing.T) {
	lateNode().comesToWait(t, "--runs 2 --probe never").must("node_modules/.bin/prettier --check " + stableSuite)
}

// So it is in Vitest, in TypeScript.
func TestRealNodeStabilizeWaitsTypeScript(t *testing.T) {
	lateTypeScript().comesToWait(t, "--runs 2 --probe never").must("node_modules/.bin/prettier --check " + stableSuite)
}

// So it is in Newman.
func TestRealNodeStabilizeWaitsPostman(t *testing.T) {
	latePostman().comesToWait(t, "--runs 2 --probe never")
}

// So it is in Go.
func TestRealPythonStabilizeWaitsGo(t *testing.T) {
	if out := lateGo().comesToWait(t, "--runs 2 --probe never").must("gofmt -l " + stableSuite); out != "" {
		t.Error(out)
	}
}

// So it is in Java, with REST-assured and with other clients, and in Kotlin.
func TestRealJVMStabilizeWaits(t *testing.T) {
	comeToWait(t, lateJava(), lateJavaHTTP(), lateKotlin())
}

// So it is where these have Awaitility, by which they wait then.
func TestRealJVMStabilizeWaitsAwaitility(t *testing.T) { comeToWait(t, lateAwaitility()...) }

// comeToWait has suites of JUnit stabilized, which are formatted then.
func comeToWait(t *testing.T, suites ...lateSuite) {
	for _, l := range suites {
		formatter := "com.google.googlejavaformat.java.Main --dry-run"
		if strings.HasSuffix(l.file, ".kt") {
			formatter = "com.facebook.ktfmt.cli.Main --google-style --dry-run"
		}
		t.Run(l.file, func(t *testing.T) {
			b := l.comesToWait(t, "--runs 1 --probe never")
			jars, _ := toolsDir(t, "java")
			b.must(formatterOf(jars) + formatter + " --set-exit-if-changed " + stableSuite + "/" + l.file)
		})
	}
}

// TestEvalStabilizeWaits measures how often suites that read too early fail, before and after. What is wanted: no run of
// the stable suite fails, a job is read at most 1.3 times the median time and one interval after it began, which is when
// it is read for the first time: so that the suite comes too early however busy the machine is. Where a runner takes longer
// between two requests than that interval, what it takes stands in its place. Before, it has a fifth of
// the runs.
func TestEvalStabilizeWaits(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.3, 0.6} {
		for form, l := range map[string]lateSuite{"pytest": latePython(), "jest": lateNode(), "go": lateGo(), "postman": latePostman(), "newman": lateStandingPostman(), "typescript": lateTypeScript(),
			"java": lateJava(), "java.net.http": lateJavaHTTP(), "kotlin": lateKotlin()} {
			t.Run(fmt.Sprintf("%s, sigma %v", form, sigma), func(t *testing.T) { l.measured(t, sigma) })
		}
	}
}

// measured is the measurement of one suite.
func (l lateSuite) measured(t *testing.T, sigma float64) {
	b := newEvalBench(t)
	if l.ready != nil {
		l.ready(t, b)
	}
	a := &lateAPI{sigma: sigma, idle: true}
	url := l.stabilizes(b, a, "")
	runs := evalRuns(t, 50)
	failing := func(suite string, runs int) (n int) {
		a.begin("")
		for range runs {
			if out, status := b.sh(l.on(suite), "FLAKETAP_URL="+url); status != 0 {
				if n++; n == 1 {
					t.Log(tail(out))
				}
			}
		}
		return n
	}
	before, after := failing("suite", max(1, runs/5)), failing(stableSuite, runs)
	settle, waited, n := a.waited()
	pace, wanted := a.pace(), 13*settle/10+interval
	if l.slow {
		wanted = 13*settle/10 + max(interval, pace)
	}
	t.Logf("sigma %v: %d of %d runs fail before, %d of %d after; %d jobs took %s in the middle, and were read %s after they began, one read %s after the other; %s is wanted",
		sigma, before, max(1, runs/5), after, runs, n, settle, waited, pace, wanted)
	if after > 0 || waited > wanted {
		t.Errorf("%d runs fail, and wait %s for what takes %s", after, waited, settle)
	}
	l.tells(b, a, url)
}

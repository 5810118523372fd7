package main

import (
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// What the summary of held reads says of each test, with the time that it was held.
var heldTest = regexp.MustCompile(`(?m)^flaketap: 1 test passed with what flaketap held:\nflaketap:   (.+ › .+): 1 read, ([\d.]+m?s)$`)

// namesHeldTest records a suite that waits for its jobs, and has it run on without waiting, with its reads held: its test
// "export" is named, by its runner's results in the folder left, and no other.
func (b *bench) namesHeldTest(client, export string) {
	b.t.Helper()
	a := &lateAPI{sigma: 0.1, slow: 600 * time.Millisecond, random: rand.New(rand.NewPCG(7, 10))} // longer than other tests take
	a.begin("")
	s := httptest.NewServer(a)
	b.t.Cleanup(s.Close)
	b.must("flaketap record --listen 127.0.0.1:0 --target "+s.URL+" -- "+client, "PAUSE=2.5")
	b.must("flaketap replay --runs 5 --settle 5s")
	a.mu.Lock()
	a.idle = true // however slow the machine, the suite comes too early
	a.mu.Unlock()
	if out := b.must("flaketap steady --hold -- " + client); !strings.Contains(out, "which test asked is not known of 1 read; --results FILE") {
		b.t.Errorf("without results:\n%s", tail(out))
	}
	out := b.must("flaketap steady --hold --results left -- " + client)
	m := heldTest.FindStringSubmatch(out)
	if m == nil || m[1] != export || !strings.Contains(out, "test "+export+" (exchange ") {
		b.t.Fatalf("%s is not named as the one test that was held:\n%s", export, tail(out))
	}
	if !strings.Contains(out, "only because flaketap held it, for "+m[2]+" in all:\n") {
		b.t.Errorf("the test was held for %s, and its one read not:\n%s", m[2], tail(out))
	}
	said := out[strings.Index(out, "1 read answered as in passing runs"):]
	if n := strings.Count(said, " › "); n != 2 {
		b.t.Errorf("%d tests are named, want one, twice:\n%s", n, said)
	}
}

// An ordinary suite for pytest: one test reads its job too early, and the others read none, whether they are slow or not.
func TestRealPythonSteadyHeldTest(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	b.write("test_jobs.py", []byte(`import json
import os
import time
from urllib.request import Request, urlopen

BASE = os.environ["FLAKETAP_URL"]


def make():
    with urlopen(Request(BASE + "/jobs", b'{"of": "tea"}', {"Content-Type": "application/json"})) as answer:
        assert answer.status == 202
        return json.load(answer)["id"]


def test_make():
    make()


def test_make_at_leisure():
    time.sleep(0.4)
    make()


def test_export():
    job = make()
    time.sleep(float(os.environ.get("PAUSE", "0")))
    with urlopen(BASE + "/jobs/" + job) as answer:
        assert json.load(answer)["state"] == "done"


def test_make_more():
    make()
`))
	b.namesHeldTest("python -m pytest -q -p no:cacheprovider --junitxml=left/results.xml test_jobs.py", "test_jobs › test_export")
}

// The same for JUnit, whose results do not say when the tests ran.
func TestRealJVMSteadyHeldTest(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newBench(t)
	b.write("JobsTest.java", []byte(`import static org.junit.jupiter.api.Assertions.*;

import java.net.URI;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.*;

@TestMethodOrder(MethodOrderer.MethodName.class)
class JobsTest {
    static final String BASE = System.getenv("FLAKETAP_URL");
    final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void load() throws Exception {
        new JobsTest().make(); // the first request takes long
    }

    String make() throws Exception {
        var body = HttpRequest.BodyPublishers.ofString("{\"of\":\"tea\"}");
        var answer = client.send(HttpRequest.newBuilder(URI.create(BASE + "/jobs")).POST(body).build(), BodyHandlers.ofString());
        assertEquals(202, answer.statusCode());
        return answer.body().split("\"")[3];
    }

    void isDone(String job) throws Exception {
        var answer = client.send(HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + job)).build(), BodyHandlers.ofString());
        assertTrue(answer.body().contains("\"done\""), answer.body());
    }

    @Test
    void aMake() throws Exception {
        make();
    }

    @Test
    void bExport() throws Exception {
        var job = make();
        Thread.sleep(System.getenv("PAUSE") == null ? 0 : 2500);
        isDone(job);
    }

    @Test
    void cMake() throws Exception {
        make();
    }
}
`))
	b.must("javac -d classes -cp '" + jars + "/*' JobsTest.java")
	b.namesHeldTest("java -cp 'classes:"+jars+"/*' org.junit.platform.console.ConsoleLauncher execute --scan-classpath classes --reports-dir left", "JUnit Jupiter / JobsTest › bExport()")
}

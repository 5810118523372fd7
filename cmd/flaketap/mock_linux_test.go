package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// externals are the URLs of external services that clients are led to: by name and by address, with TLS and without,
// on a port of their own, and one that nobody has ever heard of.
var externals = []string{"https://rates.example.com", "http://weather.example.com:8080", "http://203.0.113.7", "https://198.51.100.9:8443",
	"http://nobody-knows-this"}

// anybody is the number of an ordinary user: one that owns nothing.
const anybody = 10001

// unprivileged runs a program as an ordinary user, without any privilege: root becomes one.
func unprivileged() string {
	if os.Getuid() != 0 {
		return ""
	}
	return fmt.Sprintf("setpriv --reuid=%d --regid=%d --clear-groups --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs ",
		anybody, anybody)
}

// handOver gives the bench to the user that unprivileged makes of root.
func (b *bench) handOver() {
	b.t.Helper()
	if os.Getuid() != 0 {
		return
	}
	needs.That(b.t, "setpriv", found("setpriv"))
	if err := os.Chmod(filepath.Dir(b.dir), 0o711); err != nil { // in which the testing package makes its folders
		b.t.Fatal(err)
	}
	// What setpriv starts itself is opened with what root may do; what that starts is not, as by env.
	const runs = "env flaketap --version"
	if _, status := b.sh(unprivileged() + runs); status != 0 { // it lies in a folder of root's, as mktemp -d makes them
		b.must("cp --remove-destination $(readlink -f $(command -v flaketap)) $(command -v flaketap)")
	}
	b.must(fmt.Sprintf("chown -hR %d:%d .", anybody, anybody))
	_, status := b.sh(unprivileged() + runs)
	needs.Optional(b.t, "a flaketap that an ordinary user can run", status == 0)
}

// openToAnybody skips the test where an ordinary user cannot read a folder that clients are started from, as in a clone
// in a folder of root's.
func openToAnybody(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() == 0 {
		needs.That(t, "setpriv", found("setpriv"))
		needs.Optional(t, "a clone that an ordinary user can read", exec.Command("sh", "-c", unprivileged()+"test -r '"+dir+"'").Run() == nil)
	}
}

// pythonOfAnybody is a Python with the libraries of the tests that an ordinary user can run: the system's where the
// tests' own lies in a folder of root's.
func pythonOfAnybody(t *testing.T) string {
	t.Helper()
	bin := python(t)
	libraries, err := filepath.Glob(filepath.Join(filepath.Dir(bin), "lib", "python3*", "site-packages"))
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range []string{bin + "/python", "PYTHONPATH=" + strings.Join(libraries, ":") + " /usr/bin/python3"} {
		if exec.Command("sh", "-c", "exec "+unprivileged()+"env "+python+" -c 'import requests, httpx, aiohttp'").Run() == nil {
			return python
		}
	}
	needs.Optional(t, "a Python that an ordinary user can run", false)
	return ""
}

// mocks runs a client, as the API, that posts to each external service, and wants each to be answered: led by seccomp,
// also within the limits of a container.
func (b *bench) mocks(client string) {
	b.t.Helper()
	b.mocksBy("seccomp", client)
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	b.mocksAs(asContained+"=1 '"+self+"' ", "seccomp", client)
}

// mocksInDocker is that, within a container's limits and a network of its own, in which every user may have each port, as
// is so in Docker's containers: resolvers that look at who answers ask a name server that flaketap's own file names.
func (b *bench) mocksInDocker(client string) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	if os.Getuid() != 0 {
		b.t.Log("not within the limits of a container: only root can make a network in which every user may have each port")
		return
	}
	needs.That(b.t, "ip", found("ip"))
	const network = `unshare -n sh -c 'ip link set lo up && ` +
		`echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start && exec "$@"' sh `
	b.mocksAs(network+"env "+asContained+"=1 '"+self+"' ", "seccomp", client)
}

// mocksBy is that, by an engine.
func (b *bench) mocksBy(engine, client string) {
	b.t.Helper()
	b.mocksAs("", engine, client)
}

// mocksAs is that, by a flaketap that something runs.
func (b *bench) mocksAs(within, engine, client string) {
	b.t.Helper()
	b.must("mkdir -p stubs")
	b.write("stubs/all.json", []byte(`{"request": {"method": "POST"}, "response": {"jsonBody": {"ok": true}}}`))
	line, want := client+" hello", []mock.Counted{}
	for i, base := range externals {
		line += fmt.Sprintf(" %s/orders/%d", base, i)
	}
	b.write("api.sh", []byte("id -u >user\n"+line+" >api.log 2>&1\necho $? >status\nexec sleep 1000\n"))
	b.must("rm -f status report.json")
	b.handOver()
	out := b.must("TMPDIR=" + b.dir + " " + within + unprivileged() + "flaketap mock serve stubs --force --intercept " + engine + " --start 'exec sh api.sh' --report report.json -- sh -c 'until test -s status; do sleep 0.05; done'")
	said := string(read(b.t, filepath.Join(b.dir, "api.log")))
	if status := strings.TrimSpace(string(read(b.t, filepath.Join(b.dir, "status")))); status != "0" {
		b.t.Fatalf("the client ends with %s:\n%s\n%s", status, said, out)
	}
	if user := strings.TrimSpace(string(read(b.t, filepath.Join(b.dir, "user")))); user == "0" {
		b.t.Error("the client was root")
	}
	var r serve.Report
	if err := json.Unmarshal(read(b.t, filepath.Join(b.dir, "report.json")), &r); err != nil {
		b.t.Fatal(err)
	}
	for i, service := range []string{"rates.example.com:443", "weather.example.com:8080", "203.0.113.7:80", "198.51.100.9:8443", "nobody-knows-this:80"} {
		scheme, _, _ := strings.Cut(externals[i], ":")
		want = append(want, mock.Counted{Call: mock.Call{Service: service, Scheme: scheme, Method: "POST", Target: fmt.Sprintf("/orders/%d", i),
			Status: 200, Stub: "all.json, mapping 1"}, Times: 1})
	}
	byTarget := cmpopts.SortSlices(func(x, y mock.Counted) bool { return x.Target < y.Target })
	if diff := cmp.Diff(want, r.Calls, byTarget); diff != "" || len(r.Services) != len(want) {
		b.t.Errorf("%d services; calls (-want +got):\n%s\n%s", len(r.Services), diff, said)
	}
	for _, x := range r.Refused {
		b.t.Errorf("refused: %+v", x)
	}
	if blind := r.Engine.Blind != "" && strings.Contains(out, r.Engine.Blind); r.Engine.Name != engine || blind != (engine == "env") {
		b.t.Errorf("it was led by %+v, and said\n%s", r.Engine, out)
	}
}

// mocksByAll is that, by every engine.
func (b *bench) mocksByAll(client string) {
	b.t.Helper()
	for _, e := range intercept.Engines() {
		if e.Name == "namespace" && !namespaces() {
			b.t.Log("there are no namespaces for ordinary users here")
			continue
		}
		if e.Name == "seccomp" {
			b.mocks(client)
			continue
		}
		b.mocksBy(e.Name, client)
	}
}

// namespaces reports whether an ordinary user's process can have a network of its own.
func namespaces() bool {
	return exec.Command("sh", "-c", unprivileged()+"unshare -Urn true").Run() == nil
}

func TestMockCurl(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	newBench(t).mocksByAll("curl -sSf -d")
}

func TestMockGo(t *testing.T) {
	needs.That(t, "the Go toolchain", found("go"))
	b := newBench(t)
	client := filepath.Join(b.dir, "client")
	cmd := exec.Command("go", "build", "-o", client, clientSource(t, "main.go"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.mocksByAll(client)
}

func TestRealPythonMocks(t *testing.T) {
	t.Parallel()
	python := pythonOfAnybody(t)
	for _, name := range []string{"requests", "httpx", "aiohttp"} {
		t.Run(name, func(t *testing.T) {
			mocks := (*bench).mocksByAll
			if name == "aiohttp" { // it reads no variables
				mocks = (*bench).mocks
			}
			mocks(newBench(t), python+" "+clientSource(t, name+"_client.py"))
		})
	}
}

func TestRealNodeMocks(t *testing.T) {
	t.Parallel()
	needs.That(t, "Node", found("node"))
	modules, there := toolsDir(t, "node")
	needs.That(t, "axios and the like (make tools installs them)", there)
	openToAnybody(t, modules)
	b := newBench(t)
	for _, client := range []string{"fetch", "undici", "undici HTTP/2", "axios", "got", "node-fetch", "superagent"} {
		t.Run(client, func(t *testing.T) {
			own := *b
			own.t = t
			own.mocks("NODE_PATH=" + modules + "/node_modules CLIENT='" + client + "' node " + clientSource(t, "library.cjs"))
		})
	}
	t.Run("http", func(t *testing.T) {
		own := *b
		own.t = t
		own.mocksByAll("node " + clientSource(t, "core.cjs"))
	})
	t.Run("c-ares", func(t *testing.T) {
		own := *b
		own.t = t
		own.write("cares.cjs", []byte(`const { resolve4 } = require('dns').promises;
const [body, ...urls] = process.argv.slice(2);
(async () => {
  for (const url of urls) {
    const u = new URL(url);
    const host = /^[0-9.]+$/.test(u.hostname) ? u.hostname : (await resolve4(u.hostname))[0];
    const { request } = require(u.protocol.slice(0, -1));
    const tls = host === u.hostname ? {} : { servername: u.hostname };
    await new Promise((done, failed) => request({ host, port: u.port, path: u.pathname, method: "POST", ...tls },
      (r) => r.resume().on('end', done)).on('error', failed).end(body));
  }
})();
`))
		own.mocksBy("seccomp", "node cares.cjs")
		own.mocksInDocker("node cares.cjs")
	})
}

func TestRealJVMMocks(t *testing.T) {
	t.Parallel()
	needs.That(t, "a JDK", found("javac") && found("java"))
	lib, there := toolsDir(t, "java")
	needs.That(t, "Apache HttpClient and REST-assured (make tools installs them)", there)
	openToAnybody(t, lib)
	b := newBench(t)
	b.must(quickJavac + " -cp '" + lib + "/*' -d classes " + clientSource(t, "Client.java"))
	java := quickJava + " -cp 'classes:" + lib + "/*' "
	for _, name := range []string{"HttpURLConnection", "HttpClient", "Apache4", "Apache5", "REST-assured", "OkHttp",
		"Reactor Netty, JDK's resolver"} {
		t.Run(name, func(t *testing.T) {
			own := *b
			own.t = t
			mocks := (*bench).mocks
			if name == "HttpURLConnection" {
				mocks = (*bench).mocksByAll
			}
			mocks(&own, java+`Client "`+name+`"`)
		})
	}
	t.Run("Reactor Netty", func(t *testing.T) {
		own := *b
		own.t = t
		client := java + `-Dio.netty.transport.noNative=true Client "Reactor Netty"`
		own.mocksBy("seccomp", client)
		own.mocksInDocker(client)
	})
	// With its native transport Netty asks for names in a way that seccomp can answer only where a file of ours names the
	// name server, as within a container: elsewhere that is refused, and said.
	t.Run("Reactor Netty, native", func(t *testing.T) {
		if runtime.GOARCH != "amd64" {
			t.Skip("Netty's native transport is installed for amd64")
		}
		own := *b
		own.t = t
		if namespaces() { // there it can be
			own.mocksBy("namespace", java+`Client "Reactor Netty"`)
		}
		own.mocksInDocker(java + `Client "Reactor Netty"`)
		own.write("native.sh", []byte(java+`Client "Reactor Netty" hello http://rates.example.com/ >said 2>&1; echo $? >ended; exec sleep 1000`))
		own.handOver()
		out := own.must("TMPDIR=" + own.dir + " " + unprivileged() + "flaketap mock serve stubs --start 'exec sh native.sh' -- sh -c 'until test -s ended; do sleep 0.05; done'")
		if !strings.Contains(out, "noNative=true") || !strings.Contains(out, "connected to no external service") {
			t.Errorf("it says\n%s\nand Netty\n%s", out, own.must("cat said"))
		}
	})
}

// An API that calls a service is served with stubs to a client, whose status is returned; a second start of a scenario's
// answers is what the stubs say, and what came in vain is told. So is one that keeps its own port, which --ready names.
func TestMockServe(t *testing.T) {
	bin := python(t)
	b := newBench(t)
	b.write("api.py", []byte(`import http.server, os, urllib.error, urllib.request

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        status, body = 200, b"well"
        if self.path != "/health":
            try:
                with urllib.request.urlopen("https://rates.example.com" + self.path) as r:
                    body = r.read()
            except urllib.error.HTTPError as e:
                status, body = 502, str(e.code).encode()
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`))
	b.must("mkdir stubs")
	b.write("stubs/rates.json", []byte(`{"host": "rates.example.com", "mappings": [
  {"name": "slow first", "scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "warm",
   "request": {"urlPath": "/rates"}, "response": {"status": 429}},
  {"name": "rates", "scenarioName": "s", "requiredScenarioState": "warm", "request": {"urlPath": "/rates"}, "response": {"body": "1.09"}}]}`))
	const client = "for path in rates rates else; do curl -s $FLAKETAP_URL/$path; echo; done; exit 3"
	needs.That(t, "curl", found("curl"))
	own := freePort(t)
	for start, port := range map[string]string{bin + "/python api.py": "{port}", "PORT=" + own + " exec " + bin + "/python api.py": own} {
		out, status := b.sh("flaketap mock serve stubs --start '" + start + "' --ready http://127.0.0.1:" + port + "/health -- sh -c '" + client + "'")
		for _, want := range []string{"429\n1.09\n404\n", "rates.example.com:443: 3 calls, 1 without a stub\n", "GET /rates 429, by slow first\n",
			"GET /rates 200, by rates\n", "GET /else 404, no stub; the nearest is rates, for another path\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
		if status != 3 {
			t.Errorf("status %d, want the client's", status)
		}
	}
	b.must("flaketap mock search --request 'GET /rates' --trials 5 --start 'PORT=" + own + " exec " + bin + "/python api.py' --ready http://127.0.0.1:" + own + "/health --out found")
}

// What a client's tests say an API asks depends on no connection that a call before them left, on which some clients send
// again what fails.
func TestMockServeKeepsNoConnection(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.write("api.sh", []byte("curl -sv http://rates.example.com/a http://rates.example.com/b 2>said; echo >ended; exec sleep 1000"))
	b.must("flaketap mock serve --start 'exec sh api.sh' -- sh -c 'until test -s ended; do sleep 0.05; done'")
	if said := string(read(t, filepath.Join(b.dir, "said"))); strings.Count(said, "< Connection: close") != 2 {
		t.Errorf("curl says\n%s", said)
	}
}

// Clients that do not take the certificate of a service are told of, by what they say, also where others take it: of
// curl with authorities of its own, curl that pins a key, and what asks.
func TestMockDistrusted(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.must("mkdir stubs")
	other := httptest.NewTLSServer(nil)
	other.Close()
	b.write("other.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw}))
	pin := "--pinnedpubkey sha256//" + base64.StdEncoding.EncodeToString(make([]byte, sha256.Size))
	b.write("api.sh", []byte("curl -s https://rates.example.com/; curl -s "+pin+" https://rates.example.com/\n"+
		"for i in 1 2; do curl -s --cacert other.pem https://rates.example.com/; done; echo >ended; exec sleep 1000"))
	out := b.must("flaketap mock serve stubs --report report.json --start 'exec sh api.sh' -- sh -c 'until test -s ended; do sleep 0.05; done'")
	for _, want := range []string{"rates.example.com:443: 1 call, 1 without a stub\n", "rates.example.com:443: 1 connection ended right behind the handshake: ",
		"rates.example.com:443: 2 connections refused the certificate (unknown certificate authority): "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if report := string(read(t, filepath.Join(b.dir, "report.json"))); !strings.Contains(report, `"alert": "unknown certificate authority"`) {
		t.Errorf("the report is %s", report)
	}
}

// An API that becomes a daemon is served as any other, with its mocks, and ends with what started it. One that asks for a
// service by ten thousand calls has each of them counted.
func TestMockDaemon(t *testing.T) {
	bin := python(t)
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.write("daemon.py", []byte(`import http.client, http.server, os, sys

if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        if self.path != "/health":
            service = http.client.HTTPConnection("rates.example.com")
            for _ in range(10_000):
                service.request("GET", "/rates")
                assert service.getresponse().read() == b"1.09"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(os.getpid()).encode())

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`))
	b.must("mkdir stubs")
	b.write("stubs/a.json", []byte(`{"name": "rates", "request": {"urlPath": "/rates"}, "response": {"body": "1.09"}}`))
	p := b.run(nil, "mock", "serve", "stubs", "--start", bin+"/python daemon.py {port}", "--ready", "http://127.0.0.1:{port}/health")
	b.must("curl -sf " + p.wait(`serving (\S+) with`) + "/ >pid")
	p.signal(os.Interrupt)
	p.exit(0)
	p.says(1, "rates.example.com:80: 10000 calls, 0 without a stub\n")
	if out, status := b.sh("kill -0 $(cat pid)"); status == 0 {
		t.Errorf("the daemon is still there\n%s", out)
	}
}

// A port of this machine that is named as a service is one; the real one is connected to where it is allowed.
func TestMockAllow(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the real one") }))
	defer real.Close()
	at := "localhost:" + real.URL[strings.LastIndex(real.URL, ":")+1:]
	for flags, want := range map[string]string{
		"":                                     "the real one",
		" --mock " + at:                        "no stub for GET http://" + at + "/x\n",
		" --mock " + at + " --allow localhost": "the real one",
	} {
		b := newBench(t)
		out := b.must("flaketap mock serve --start 'curl -s http://" + at + "/x >answer; echo >done; exec sleep 1000'" + flags +
			" -- sh -c 'until test -s done; do sleep 0.05; done'")
		if got := string(read(t, filepath.Join(b.dir, "answer"))); got != want {
			t.Errorf("%q: %q, want %q\n%s", flags, got, want, out)
		}
		if allowed := strings.Contains(out, at+": the real service, allowed"); allowed != strings.Contains(flags, "allow") {
			t.Errorf("%q: it says\n%s", flags, out)
		}
	}
}

// What is wrong is said before the API is started.
func TestMockServeUsage(t *testing.T) {
	b := newBench(t)
	b.must("mkdir bad")
	b.write("bad/a.json", []byte(`{"request": {"urlPath": "/"}, "response": {"transformers": []}}`))
	for line, want := range map[string]string{
		"flaketap mock serve":                                 "mock serve needs --start",
		"flaketap mock serve --start true --unknown 500":      `unknown --unknown "500": want one of 404, refuse`,
		"flaketap mock serve --start true --mock 10.0.0.1:80": "--mock must be localhost:PORT",
		"flaketap mock serv":                                  `did you mean "serve"`,
		"flaketap mock serv stubs --start true":               `unknown command "mock serv"; did you mean "serve"`,
		"flaketap mock serve bad --start true":                `bad: read stubs: a.json: mapping 1: "transformers" is not served`,
		"flaketap mock serve none --start true":               "read stubs: none: no such file",
		"flaketap mock stage":                                 "flaketap mock serve starts it",
	} {
		if out, status := b.sh(line); status == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s\nwant %s", line, status, out, want)
		}
	}
}

package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/store"
	"github.com/google/go-cmp/cmp"
)

// These tests start clients behind flaketap record as users do, each a small program in testdata/clients that posts a
// body to the URLs that it is given, and look for what they sent in the recording. They know nothing of a recorder.

// localAPI is an API on this machine, plain and with TLS, whose certificate is of an authority of its own.
type localAPI struct{ plain, secure *httptest.Server }

// newLocalAPI starts one, and leaves its authority in ca.pem.
func (b *bench) newLocalAPI() localAPI {
	b.t.Helper()
	return b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	}))
}

// serve starts one that answers as a handler does; with TLS it speaks the protocols named, HTTP/1.1 unless given.
func (b *bench) serve(h http.Handler, protocols ...string) localAPI {
	b.t.Helper()
	ca, err := certs.LoadOrCreate(filepath.Join(b.dir, "api-ca"))
	if err != nil {
		b.t.Fatal(err)
	}
	leaf, err := ca.Leaf("127.0.0.1") // and localhost
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("ca.pem", ca.PEM())
	api := localAPI{httptest.NewServer(h), httptest.NewUnstartedServer(h)}
	api.secure.TLS = &tls.Config{Certificates: []tls.Certificate{*leaf}, NextProtos: protocols}
	api.secure.EnableHTTP2 = slices.Contains(protocols, "h2")
	api.secure.StartTLS()
	b.t.Cleanup(api.plain.Close)
	b.t.Cleanup(api.secure.Close)
	return api
}

// urls names the API in all ways: by each of the hosts, with and without TLS.
func (a localAPI) urls(hosts ...string) []string {
	var all []string
	for _, base := range []string{a.plain.URL, a.secure.URL} {
		for _, host := range hosts {
			all = append(all, strings.Replace(base, "127.0.0.1", host, 1))
		}
	}
	return all
}

// recordsClient records a client that posts to a path below each URL, and wants to find what it sent: each request once,
// with its answer.
func (b *bench) recordsClient(client string, urls []string, env ...string) {
	b.t.Helper()
	line := "flaketap record --db client.db --listen 127.0.0.1:0 --upstream-ca ca.pem -- " + client + " 'the body'"
	var want []string
	for i, base := range urls {
		line += fmt.Sprintf(" %s/orders/%d?a=b", base, i)
		scheme, _, _ := strings.Cut(base, ":")
		want = append(want, fmt.Sprintf("%s POST /orders/%d?a=b the body 200", scheme, i))
	}
	out := b.must(line, env...)
	if !strings.Contains(out, fmt.Sprintf("flaketap: %s recorded in client.db\n", console.Count(int64(len(urls)), "exchange"))) {
		b.t.Errorf("record says\n%s", out)
	}
	if diff := cmp.Diff(want, b.recordedIn("client.db")); diff != "" {
		b.t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// recordedIn returns what a recording holds, a line for each exchange.
func (b *bench) recordedIn(name string) []string {
	b.t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	var lines []string
	for e, err := range db.Exchanges() {
		if err != nil {
			b.t.Fatal(err)
		}
		became := fmt.Sprint(e.Fault)
		if e.Response != nil {
			became = fmt.Sprint(e.Response.Status)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.Scheme, e.Request.Method, e.Request.Target, e.Request.Body, became))
	}
	return lines
}

// clientSource returns the path of a client's source.
func clientSource(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "clients", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// toolsDir returns a folder that make tools fills, and whether it has.
func toolsDir(t testing.TB, name string) (dir string, there bool) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("../../.tools", name))
	if venv := os.Getenv("FLAKETAP_VENV"); venv != "" {
		dir, err = filepath.Abs(filepath.Join(filepath.Dir(venv), name))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(dir, ".done"))
	return dir, err == nil
}

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func TestClientCurl(t *testing.T) {
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	b.recordsClient("curl -sSf -d", b.newLocalAPI().urls("127.0.0.1", "localhost"))
}

func TestClientsPython(t *testing.T) {
	bin := python(t)
	for _, name := range []string{"requests", "httpx", "aiohttp"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.recordsClient(bin+"/python "+clientSource(t, name+"_client.py"), b.newLocalAPI().urls("127.0.0.1", "localhost"))
		})
	}
}

// The options that a user gives to Node and Java stay, and paths with blanks are no hindrance.
func TestClientOptionsStay(t *testing.T) {
	b := newBench(t)
	ca := "FLAKETAP_CA_DIR=" + filepath.Join(b.dir, "a folder")
	out := b.must("flaketap record --listen 127.0.0.1:0 -- sh -c 'env | grep -e ^NODE_ -e ^JAVA_'", ca, "NODE_OPTIONS=--no-warnings", "JAVA_TOOL_OPTIONS=-Dours=1")
	for _, want := range []string{"NODE_OPTIONS=--no-warnings --require \"", "JAVA_TOOL_OPTIONS=-Dours=1 \"-Djavax.net.ssl.trustStore="} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	needs.That(t, "Node", found("node"))
	b.recordsClient("node "+clientSource(t, "core.cjs"), b.newLocalAPI().urls("localhost"), ca, "NODE_OPTIONS=--no-warnings")
}

// With a password those that heed the variables give it. Java does not, and is not sent to a proxy that would refuse it.
func TestClientPassword(t *testing.T) {
	needs.That(t, "curl and Node", found("curl") && found("node"))
	b := newBench(t)
	password, api := "FLAKETAP_PROXY_AUTH=ada:pass word", b.newLocalAPI()
	for _, client := range []string{"curl -sSf -d", "node " + clientSource(t, "core.cjs"), "node " + clientSource(t, "fetch.mjs")} {
		b.recordsClient(client, api.urls("localhost"), password)
		b.must("rm client.db")
	}
	if out := b.must("flaketap record --listen 127.0.0.1:0 -- sh -c 'env | grep ^JAVA_'", password); strings.Contains(out, "roxyHost") || !strings.Contains(out, "trustStore=") {
		t.Errorf("a JVM is told\n%s", out)
	}
}

func TestRealJVMClients(t *testing.T) {
	t.Parallel()
	needs.That(t, "a JDK", found("javac") && found("java"))
	lib, there := toolsDir(t, "java")
	needs.That(t, "Apache HttpClient and REST-assured (make tools installs them)", there)
	b := newBench(t)
	b.must(quickJavac + " -cp '" + lib + "/*' -d classes " + clientSource(t, "Client.java"))
	api := b.newLocalAPI()
	for _, name := range []string{"HttpURLConnection", "HttpClient", "Apache4", "Apache5", "REST-assured"} {
		t.Run(name, func(t *testing.T) {
			own := *b
			own.t = t
			own.must("rm -f client.db")
			own.recordsClient(quickJava+" -cp 'classes:"+lib+"/*' Client "+name, api.urls("127.0.0.1", "localhost"))
		})
	}
}

// Go's clients go past every proxy for localhost and 127.0.0.1. They are given the recorder's address instead, or the
// name that means the same and that they do not know: localhost with the root's dot.
func TestClientGo(t *testing.T) {
	needs.That(t, "the Go toolchain", found("go"))
	b := newBench(t)
	api := b.newLocalAPI()
	client := filepath.Join(b.dir, "client")
	if out, err := exec.Command("go", "build", "-o", client, clientSource(t, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.recordsClient(client, api.urls("localhost."))

	out := b.must("flaketap record --db past.db --listen 127.0.0.1:0 -- " + client + " x " + api.plain.URL)
	if !strings.Contains(out, "no requests arrived") {
		t.Errorf("a Go client at the API's own address:\n%s", out)
	}
	for _, target := range []*url.URL{mustURL(t, api.plain.URL), mustURL(t, api.secure.URL)} {
		db := target.Scheme + ".db"
		b.must("flaketap record --db " + db + " --listen 127.0.0.1:0 --upstream-ca ca.pem --target " + target.String() +
			" -- sh -c '" + client + " hello $FLAKETAP_URL/orders'")
		if diff := cmp.Diff([]string{target.Scheme + " POST /orders hello 200"}, b.recordedIn(db)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A client that goes past the recorder is told of, though other requests of it were recorded.
func TestClientPastTheRecorder(t *testing.T) {
	needs.That(t, "curl and /proc", found("curl") && runtime.GOOS == "linux")
	b := newBench(t)
	api := b.serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Millisecond) })) // it is slow
	port := mustURL(t, api.plain.URL).Port()
	out := b.must("flaketap record --listen 127.0.0.1:0 --target " + api.plain.URL +
		` -- sh -c 'curl -s $FLAKETAP_URL/one; curl -s --noproxy "*" "` + api.plain.URL + `/past/[1-200]"'`)
	want := "the client connected to 127.0.0.1:" + port + " directly (1 connection seen): what it sent there is not recorded"
	if !strings.Contains(out, want) || !strings.Contains(out, "1 exchange recorded") {
		t.Errorf("%q is not in\n%s", want, out)
	}
}

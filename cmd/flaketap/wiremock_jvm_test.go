package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock"
	"github.com/google/go-cmp/cmp"
)

// sent is a request that WireMock and our own server are asked alike, and the status that a person who wrote the stubs
// expects: 404 where no stub is for it, 0 where the connection ends badly.
type sent struct {
	method, target string
	status         int
	body           string
	header         []string // "Name: value"; Host is rates.example.com unless it is here
}

// asksOfStubs are for the stubs in testdata/wiremock: of each one that is for it, and some that nearly are.
var asksOfStubs = []sent{
	{"GET", "/path", 200, "", nil},
	{"GET", "/path?x=1", 200, "", nil},
	{"GET", "/path/", 404, "", nil},
	{"GET", "/Path", 404, "", nil},
	{"POST", "/path", 404, "", nil},
	{"GET", "/url?a=1&b=2", 200, "", nil},
	{"GET", "/url?b=2&a=1", 404, "", nil},
	{"GET", "/url", 404, "", nil},
	{"GET", "/up?id=12", 200, "", nil},
	{"GET", "/up?id=12x", 404, "", nil},
	{"GET", "/up", 404, "", nil},
	{"GET", "/pp/abc", 200, "", nil},
	{"GET", "/pp/abc/x?q=1", 200, "", nil},
	{"GET", "/pp/abc/y", 404, "", nil},
	{"GET", "/a%20b", 200, "", nil},
	{"PUT", "/method", 200, "x", nil},
	{"HEAD", "/method", 200, "", nil},
	{"PATCH", "/patch", 200, "x", nil},
	{"PUT", "/patch", 404, "x", nil},
	{"DELETE", "/none", 200, "", nil},

	{"GET", "/q?is=a+b", 200, "", nil},
	{"GET", "/q?is=a%20b", 200, "", nil},
	{"GET", "/q?is=x&is=a%20b", 200, "", nil},
	{"GET", "/q?is=ab", 404, "", nil},
	{"GET", "/q?IS=a+b", 404, "", nil},
	{"GET", "/q?fold=aB", 200, "", nil},
	{"GET", "/q?has=amidst", 200, "", nil},
	{"GET", "/q?has=aMidst", 404, "", nil},
	{"GET", "/q/lacks?lacks=good", 200, "", nil},
	{"GET", "/q/lacks?lacks=abad", 404, "", nil},
	{"GET", "/q/lacks?lacks=abad&lacks=good", 200, "", nil},
	{"GET", "/q/lacks", 200, "", nil},
	{"GET", "/q?re=12", 200, "", nil},
	{"GET", "/q?re=12x", 404, "", nil},
	{"GET", "/q?re=", 404, "", nil},
	{"GET", "/q/differs?re=12x", 200, "", nil},
	{"GET", "/q/differs?re=12", 404, "", nil},
	{"GET", "/q/differs", 200, "", nil},
	{"GET", "/q/absent", 200, "", nil},
	{"GET", "/q/absent?y", 200, "", nil},
	{"GET", "/q/absent?x", 404, "", nil},
	{"GET", "/q/absent?x=", 404, "", nil},

	{"GET", "/h", 200, "", []string{"X-Is: yes", "accept: application/json"}},
	{"GET", "/h", 200, "", []string{"X-Is: no", "X-IS: yes", "accept: application/json"}},
	{"GET", "/h", 404, "", []string{"X-Is: Yes", "accept: application/json"}},
	{"GET", "/h", 404, "", []string{"X-Is: yes"}},
	{"GET", "/h/lacks", 200, "", []string{"X-Is: good"}},
	{"GET", "/h/lacks", 404, "", []string{"X-Is: a bad one"}},
	{"GET", "/h/lacks", 200, "", nil},
	{"GET", "/h/differs", 200, "", []string{"X-Is: bd"}},
	{"GET", "/h/differs", 404, "", []string{"X-Is: bad"}},
	{"GET", "/h/differs", 200, "", nil},
	{"GET", "/h/absent", 200, "", nil},
	{"GET", "/h/absent", 404, "", []string{"x-is: "}},
	{"GET", "/basic", 200, "", []string{"Authorization: Basic dTpwOnc="}},
	{"GET", "/basic", 404, "", []string{"Authorization: Basic dTpw"}},
	{"GET", "/basic", 404, "", nil},

	{"GET", "/priority", 200, "", nil},
	{"GET", "/priority", 200, "", []string{"X-High: 1"}},
	{"PUT", "/priority", 200, "x", nil},
	{"PUT", "/priority", 200, "x", []string{"X-High: 1"}},
	{"GET", "/equals", 200, "", nil},

	{"GET", "/s", 429, "", nil},
	{"GET", "/s", 200, "", nil},
	{"GET", "/s", 200, "", nil},
	{"DELETE", "/s", 204, "", nil},
	{"GET", "/s", 429, "", nil},

	{"POST", "/b/is", 200, "a=1", nil},
	{"POST", "/b/is", 404, "a=1\n", nil},
	{"POST", "/b/has", 200, "bay", nil},
	{"POST", "/b/has", 404, "baz", nil},
	{"GET", "/b/has", 404, "", nil},
	{"POST", "/b/lines", 200, "a\nb", nil},
	{"POST", "/b/lines", 404, "a\nb\n", nil},
	{"POST", "/b/differs", 404, "a\nb", nil},
	{"POST", "/b/differs", 200, "a", nil},
	{"GET", "/b/differs", 200, "", nil},
	{"GET", "/b/lacks", 200, "", nil},
	{"POST", "/b/lacks", 404, "z", nil},
	{"POST", "/b/none", 404, "x", nil},
	{"GET", "/b/none", 200, "", nil},
	{"POST", "/b/json", 200, `{"t":"x","l":[1,{"b":null}],"a":1}`, nil},
	{"POST", "/b/json", 200, `{"t":"x","l":[1,{"b":null}],"a":1.0}`, nil},
	{"POST", "/b/json", 404, `{"t":"x","l":[1,{}],"a":1}`, nil},
	{"POST", "/b/json", 404, `{"t":"x","l":[1,{"b":null}],"a":"1"}`, nil},
	{"POST", "/b/json", 404, `{"t":"X","l":[1,{"b":null}],"a":1}`, nil},
	{"POST", "/b/json", 404, `{"t":"x","l":[{"b":null},1],"a":1}`, nil},
	{"POST", "/b/json", 404, `{"t":"x","l":[1,{"b":null}],"a":1,"z":0}`, nil},
	{"POST", "/b/json", 404, `{"t":`, nil},
	{"POST", "/b/json", 404, "", nil},
	{"POST", "/b/text", 200, `{"a":1.50,"l":[1,2]}`, nil},
	{"POST", "/b/text", 200, `{"a":15e-1,"l":[1,2]}`, nil},
	{"POST", "/b/text", 404, `{"a":1.5,"l":[1,2,3]}`, nil},
	{"POST", "/b/order", 200, `{"l":[[4,3],2,1]}`, nil},
	{"POST", "/b/order", 404, `{"l":[[4,3],2,1,1]}`, nil},
	{"POST", "/b/order", 404, `{"l":[[4,3],2,2]}`, nil},
	{"POST", "/b/extra", 200, `{"a":{"b":1,"c":2},"l":[1,2],"z":[]}`, nil},
	{"POST", "/b/extra", 200, `{"a":{"b":1},"l":[1,2,3]}`, nil},
	{"POST", "/b/extra", 404, `{"a":{"b":1},"l":[0,1,2]}`, nil},
	{"POST", "/b/extra", 404, `{"a":{"c":1},"l":[1,2]}`, nil},
	{"POST", "/b/both", 200, `{"l":[2,0,{"b":1,"c":2}]}`, nil},
	{"POST", "/b/both", 404, `{"l":[2,0,{"c":2}]}`, nil},

	{"GET", "/r/json", 201, "", nil},
	{"GET", "/r/untyped", 200, "", nil},
	{"GET", "/r/list", 200, "", nil},
	{"GET", "/r/base64", 200, "", nil},
	{"GET", "/r/file", 200, "", nil},
	{"GET", "/r/empty", 503, "", nil},
	{"GET", "/r/redirect", 302, "", nil},
	{"GET", "/r/slow", 200, "", nil},
	{"GET", "/single", 200, "", nil},
	{"GET", "/f/reset", 0, "", nil},
	{"GET", "/f/empty", 0, "", nil},
	{"GET", "/f/malformed", 0, "", nil},
	{"GET", "/f/garbage", 0, "", nil},

	{"GET", "/host", 200, "", []string{"Host: weather.example.com"}},
	{"GET", "/host", 200, "", []string{"Host: weather.example.com:8080"}},
	{"GET", "/host", 404, "", nil},
	{"GET", "/hosts", 200, "", nil},
	{"GET", "/hosts", 200, "", []string{"Host: weather.example.com:8080"}},
	{"GET", "/port", 200, "", []string{"Host: weather.example.com:8080"}},
	{"GET", "/port", 404, "", []string{"Host: weather.example.com"}},
}

// came is what became of a request.
type came struct {
	status int
	header http.Header // of those that the stubs name, and Content-Type
	body   string
	ended  string // how the connection ended where that is not the end of an answer
	held   bool   // for as long as the stub that is slow says
}

// ask sends a request to an address, and reads what comes.
func (s sent) ask(t *testing.T, addr string) (c came) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	head := append([]string{s.method + " " + s.target + " HTTP/1.1"}, s.header...)
	if s.host() == "rates.example.com" {
		head = append(head, "Host: rates.example.com")
	}
	if s.body != "" {
		head = append(head, fmt.Sprint("Content-Length: ", len(s.body)))
	}
	begun := time.Now()
	if _, err := io.WriteString(conn, strings.Join(head, "\r\n")+"\r\n\r\n"+s.body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: s.method})
	if err != nil {
		return came{ended: ending(err)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	c = came{status: resp.StatusCode, header: http.Header{}, body: string(body), ended: ending(err),
		held: time.Since(begun) >= 400*time.Millisecond && s.target == "/r/slow"}
	for _, name := range []string{"Content-Type", "Location", "Set-Cookie", "Retry-After", "X-A"} {
		if values := resp.Header.Values(name); values != nil {
			c.header[name] = values
		}
	}
	if c.status == http.StatusNotFound { // each says in its own words what stubs there are
		c.header, c.body = nil, ""
	}
	return c
}

// ending is how a connection ended, in a word.
func ending(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "closed"
	}
	return "not HTTP"
}

// host is the service that the request is for.
func (s sent) host() string {
	for _, line := range s.header {
		if host, found := strings.CutPrefix(line, "Host: "); found {
			return host
		}
	}
	return "rates.example.com"
}

// WireMock itself, on the folder that we serve, answers as we do.
func TestRealJVMWireMock(t *testing.T) {
	t.Parallel()
	needs.That(t, "a JDK", found("java"))
	lib, there := toolsDir(t, "java")
	needs.That(t, "WireMock (make tools installs it)", there)
	const folder = "testdata/wiremock"
	t.Run("folder", func(t *testing.T) { sameAsWireMock(t, lib, folder) })
	t.Run("export", func(t *testing.T) {
		b := newBench(t)
		own, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		b.must("mkdir -p exported/mappings && flaketap export --format wiremock --stubs " + own + " --out exported/mappings/all.json")
		sameAsWireMock(t, lib, filepath.Join(b.dir, "exported"))
	})
	t.Run("search", func(t *testing.T) {
		b := newBench(t)
		own, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		b.must("mkdir -p found/001 && flaketap export --format wiremock --stubs " + own + " --out found/001/stubs.json")
		b.write("found/index.json", []byte(`{"flaketap": "mock-search", "behaviors": [{"stubs": "001"}]}`))
		b.must("flaketap export --format wiremock --stubs found --out exported")
		sameAsWireMock(t, lib, filepath.Join(b.dir, "exported", "001"))
	})
}

// sameAsWireMock wants WireMock and our own server to answer alike from the stubs of a folder.
func sameAsWireMock(t *testing.T, lib, folder string) {
	t.Helper()
	reference := wireMock(t, lib, folder)
	stubs, err := mock.ReadStubs(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	server := &mock.Server{Book: mock.NewBook(stubs), Calls: &mock.Calls{}}
	ours := map[string]string{}
	for host, port := range map[string]uint16{"rates.example.com": 80, "weather.example.com": 80, "weather.example.com:8080": 8080} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(host, ":")
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(name, port, l) }()
		t.Cleanup(func() {
			l.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		ours[host] = l.Addr().String()
	}

	for _, s := range asksOfStubs {
		want, got := s.ask(t, reference), s.ask(t, ours[s.host()])
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(came{})); diff != "" {
			t.Errorf("%s %s %q %q (-WireMock +flaketap):\n%s", s.method, s.target, s.header, s.body, diff)
		}
		if want.status != s.status && (s.status != 0 || want.ended == "") {
			t.Errorf("%s %s %q %q: WireMock answers %+v, want %d", s.method, s.target, s.header, s.body, want, s.status)
		}
	}
	asked, _ := server.Calls.List()
	for _, stub := range stubs {
		if !slices.ContainsFunc(asked, func(c mock.Counted) bool { return c.Stub == stub.Name }) && stub.Name != "first" {
			t.Errorf("no request is for the stub %q", stub.Name)
		}
	}
}

// wireMockJar is the file that is WireMock, of the libraries for Java.
func wireMockJar(t *testing.T, lib string) string {
	t.Helper()
	jars, err := filepath.Glob(filepath.Join(lib, "wiremock-standalone-*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatalf("WireMock: %q, %v", jars, err)
	}
	return jars[0]
}

// wireMock starts WireMock on a folder, and returns its address.
func wireMock(t *testing.T, lib, folder string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-jar", wireMockJar(t, lib), "--port", "0",
		"--bind-address", "127.0.0.1", "--root-dir", folder, "--disable-banner")
	var complaints bytes.Buffer // also of each request that no stub is for
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said = append(said, lines.Text())
		if port, found := strings.CutPrefix(lines.Text(), "port:"); found {
			go func() {
				_, _ = io.Copy(io.Discard, out)
				_ = cmd.Wait() // it is ended with the test
			}()
			return net.JoinHostPort("127.0.0.1", strings.TrimSpace(port))
		}
	}
	t.Fatalf("WireMock does not start: %v\n%s\n%s", cmd.Wait(), strings.Join(said, "\n"), complaints.String())
	return ""
}

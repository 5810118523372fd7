package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// serveStubs serves until its input ends, and says where it is told the stubs.
const serveStubs = `package flaketap;

final class ServeStubs {
  public static void main(String[] args) throws Exception {
    System.out.println(new Stubs(0).url());
    System.in.read();
    System.exit(0);
  }
}
`

// Redirects and further pages of a service stay with the stubs that WireMock serves for a suite.
func TestRealJVMStubsLeadHere(t *testing.T) {
	t.Parallel()
	needs.That(t, "a JDK", found("javac"))
	lib, there := toolsDir(t, "java")
	needs.That(t, "WireMock (make tools installs it)", there)
	jar := wireMockJar(t, lib)
	runtime, err := filepath.Abs("../../suite/write/junit/runtime")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.write("ServeStubs.java", []byte(serveStubs))
	b.must(fmt.Sprintf("javac -d classes -cp %s ServeStubs.java %[2]s/Stubs.java %[2]s/Json.java", jar, runtime))
	cmd := exec.CommandContext(t.Context(), "java", "-cp", filepath.Join(b.dir, "classes")+":"+jar, "flaketap.ServeStubs")
	if _, err := cmd.StdinPipe(); err != nil { // it ends with the test
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	admin := strings.TrimSpace(line)
	at := strings.TrimSuffix(admin, "/__admin")
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, admin+"/stubs", strings.NewReader(`{"mappings": [
		{"request": {"host": {"equalTo": "a.example"}, "port": 443, "urlPath": "/moved"}, "response": {"status": 302, "headers": {
			"Location": "/to", "Link": ["<https://a.example/next?p=2>; rel=\"next\"", "<//b.example/x>", "<http://a.example:443/$1>"]}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultTransport.RoundTrip(put); err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatalf("%v, %v", res, err)
	}
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/a.example:443/moved", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(get)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	want := "/a.example:443/to <" + at + `/a.example:443/next?p=2>; rel="next" <//b.example/x> <` + at + "/a.example:443/$1>"
	if got := res.Header.Get("Location") + " " + strings.Join(res.Header["Link"], " "); got != want {
		t.Errorf("it leads to %s, want %s", got, want)
	}
}

//go:build unix

package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv("FLAKETAP_TEST_API"); addr != "" {
		fmt.Fprintln(os.Stderr, serveAPI(addr))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// process is what an API that was started tells of itself.
type process struct {
	PID  int
	Port string
}

// serveAPI is an API as a process of its own. It answers 200, tells of itself at /env, drops a connection at /drop, and
// crashes at /crash.
func serveAPI(addr string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, process{os.Getpid(), os.Getenv("PORT")}) })
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "panic: out of cheese\n\ngoroutine 7 [running]:")
		os.Exit(3)
	})
	mux.HandleFunc("/drop", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(os.Stderr, "ERROR: dropped \x1b[31mit")
		c, _, _ := http.NewResponseController(w).Hijack()
		c.Close()
	})
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return http.Serve(ln, mux)
}

// apiCommand is a command that runs this binary as an API.
func apiCommand(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "FLAKETAP_TEST_API=127.0.0.1:{port} exec '" + path + "'"
}

// asks returns a recording of GETs of a path, all answered 200.
func asks(t *testing.T, paths ...string) *tape {
	rec := &tape{t: t, addr: "127.0.0.1:9"}
	for _, path := range paths {
		e := rec.add("GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "")
		e.Response = &exchange.Response{Status: 200}
	}
	return rec
}

func TestPlayStartsAPI(t *testing.T) {
	rec := asks(t, "/env", "/a")
	mark := filepath.Join(t.TempDir(), "reset")
	p := &Player{Service: &service.Service{Command: apiCommand(t)}, Reset: service.Reset("echo {port} >>" + mark)}
	seen := map[string]bool{}
	for range 2 {
		sum, got := play(t, p, rec)
		if sum.Reproduced != 2 {
			t.Fatalf("summary: %s", sum)
		}
		var a process
		if err := json.Unmarshal(got[0].Response.Body, &a); err != nil {
			t.Fatal(err)
		}
		seen[strconv.Itoa(a.PID)+" at "+a.Port] = true
		if !strings.HasSuffix(got[0].Sent.Header.Get("Host"), ":"+a.Port) {
			t.Errorf("Host is %s", got[0].Sent.Header.Get("Host"))
		}
	}
	if len(seen) != 2 {
		t.Errorf("want a process for each run: %v", seen)
	}
	want := strings.Repeat(strconv.Itoa(p.Service.Port)+"\n", 2)
	if text, err := os.ReadFile(mark); err != nil || string(text) != want {
		t.Errorf("the resets had ports %q, %v, want %q", text, err, want)
	}
	if err := p.Service.Environment.Add("restart", ""); err != nil {
		t.Fatal(err)
	}
	play(t, p, rec)
	if text, _ := os.ReadFile(mark); string(text) != want {
		t.Error("there was a reset for a restart")
	}
}

func TestPlayAPIDies(t *testing.T) {
	p := &Player{Service: &service.Service{Command: apiCommand(t)}}
	var s sink
	sum, err := p.Play(context.Background(), asks(t, "/a", "/drop", "/b", "/crash", "/c"), &s)
	const want = `the API ended with exit status 3 during exchange 4; its last output: panic: out of cheese … goroutine 7 [running]:`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if sum.Sent != 4 || len(s.list) != 4 {
		t.Fatalf("%d observations, summary: %s", len(s.list), sum)
	}
	if f := s.list[1].Fault; f == nil || !strings.HasSuffix(f.Text, "; the API logged: ERROR: dropped it") { // without its colors
		t.Errorf("the dropped one has %v", f)
	}
	if f := s.list[3].Fault; f == nil || !strings.Contains(f.Text, "the API logged: panic: out of cheese") {
		t.Errorf("the crash has %v", f)
	}
	p = &Player{Service: &service.Service{Command: "sleep 1000 & echo {port} >/dev/null; kill -9 $!; exit 5", Ready: ""}, Reset: "exit 1"}
	if _, err := p.Play(context.Background(), asks(t, "/a"), &s); err == nil || !strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("got %v", err)
	}
}

// A reset that finds the API dead is told with how that died.
func TestResetOfDeadAPI(t *testing.T) {
	p := &Player{Service: &service.Service{Command: apiCommand(t)}, Reset: "http://127.0.0.1:{port}/crash"}
	var s sink
	_, err := p.Play(context.Background(), asks(t, "/a"), &s)
	if want := regexp.MustCompile(`(?s)^reset http://127.0.0.1:\d+/crash: .*the API ended with exit status 3 meanwhile; its last output: panic`); err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestResetEachSequence(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "resets")
	p := &Player{Service: &service.Service{Command: apiCommand(t)}, Reset: service.Reset("echo {port} >>" + mark), ResetEach: true}
	inPairs := func(paths ...string) *tape {
		all := asks(t, paths...)
		for _, e := range all.list {
			e.Sequence = strconv.Itoa(int(e.Seq) / 2)
		}
		p.Order = ordered(all)
		return all
	}
	sum, _ := play(t, p, inPairs("/1", "/2", "/3", "/4", "/5"))
	text, err := os.ReadFile(mark)
	if want := strings.Repeat(strconv.Itoa(p.Service.Port)+"\n", 3); err != nil || string(text) != want || sum.Reproduced != 5 {
		t.Errorf("the resets had ports %q, %v, want %q; %s", text, err, want, sum)
	}
	p.Reset = service.Reset("test ! -e " + mark + ".2 && mv " + mark + " " + mark + ".2")
	_, err = p.Play(context.Background(), inPairs("/1", "/2", "/3"), &sink{})
	if err == nil || !strings.Contains(err.Error(), "begin the sequence of exchange 2: reset ") {
		t.Errorf("got %v", err)
	}
}

//go:build unix

package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if how := os.Getenv("FLAKETAP_TEST_API"); how != "" {
		apiMain(how)
	}
	os.Exit(m.Run())
}

// apiMain is an API as a process of its own.
func apiMain(addr string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, surroundings()) })
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "panic: out of cheese\n\ngoroutine 7 [running]:")
		os.Exit(3)
	})
	mux.HandleFunc("/drop", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(os.Stderr, "ERROR: dropped \x1b[31mit")
		c, _, _ := http.NewResponseController(w).Hijack()
		c.Close()
	})
	warming := 0
	mux.HandleFunc("/warming", func(w http.ResponseWriter, _ *http.Request) {
		if fmt.Println("warming"); warming < 2 {
			w.WriteHeader(503)
		}
		warming++
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked", r.URL.Path)
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
	})
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_ = http.Serve(ln, mux)
	os.Exit(0)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// serve serves within this process for the time of the test.
func serve(t *testing.T, h http.Handler) (addr string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// around is what a process sees of its surroundings.
type around struct {
	Host, Zone, Lang, Temp, User, Home, Port string
	UID, PID, PPID                           int
	Now                                      time.Time
}

func surroundings() around {
	host, _ := os.Hostname()
	zone, _ := time.Now().Zone()
	return around{host, zone, os.Getenv("LANG"), os.TempDir(), os.Getenv("USER"), os.Getenv("HOME"), os.Getenv("PORT"),
		os.Getuid(), os.Getpid(), os.Getppid(), time.Now()}
}

// self is a command that runs this binary as an API.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "FLAKETAP_TEST_API=127.0.0.1:{port} exec '" + path + "'"
}

// started starts a service for the time of the test.
func started(t *testing.T, s *Service) *Instance {
	t.Helper()
	i, err := s.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
	})
	return i
}

func look(t *testing.T, i *Instance) (a around) {
	t.Helper()
	resp, err := http.Get(i.Target().String() + "/env")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

// fails checks that a service does not start, and what is said of it.
func fails(t *testing.T, s *Service, want string) {
	t.Helper()
	i, err := s.Start(context.Background())
	if err == nil {
		_ = i.Stop()
		t.Fatal("it starts")
	}
	if !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestServiceFreshEachTime(t *testing.T) {
	log := filepath.Join(t.TempDir(), "logs", "1.log")
	s := &Service{Command: self(t), Ready: "404 http://127.0.0.1:{port}/missing", Log: log}
	first := started(t, s)
	a := look(t, first)
	if a.Port != first.Target().Port() || a.PID == os.Getpid() {
		t.Errorf("it sees %+v, and is at %s", a, first.Target())
	}
	if err := errors.Join(first.Stop(), first.Stop()); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", first.Target().Host); err == nil {
		c.Close()
		t.Error("it still listens")
	}
	info, err := os.Stat(log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v, %v", info, err)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(text), "ready\nasked /missing\n") {
		t.Errorf("the log has %q, %v", text, err)
	}
	second := started(t, s)
	if b := look(t, second); b.PID == a.PID || b.Port != a.Port {
		t.Errorf("first %+v, then %+v: want another process at the same port", a, b)
	}
	// A port that is not free is not taken.
	third := started(t, &Service{Command: self(t), Port: s.Port})
	if third.port == second.port {
		t.Errorf("two APIs are at port %d", third.port)
	}
}

func TestServicePlaces(t *testing.T) {
	s := &Service{Command: `x=1; echo "${port}" {port} a{port}`, Ready: "http://h:{port}/"}
	if got, want := fillPort(s.Command, 81), `x=1; echo "${port}" 81 a81`; got != want || !s.ChoosesPort() {
		t.Errorf("got %s, want %s", got, want)
	}
	if (&Service{Command: "echo ${port}"}).ChoosesPort() {
		t.Error("${port} is the shell's own")
	}
	for _, s := range []Service{{}, {Command: " "}, {Command: "x", Ready: "localhost:{port}"}, {Command: "x", Ready: "ftp://h/"}, {Command: "x", Ready: "http://"}} {
		if s.Check() == nil {
			t.Errorf("%+v is taken for right", s)
		}
	}
}

func TestServiceDoesNotStart(t *testing.T) {
	log := filepath.Join(t.TempDir(), "api.log")
	fails(t, &Service{Command: "echo {port}; echo 'Error: no such table: users' >&2; echo bye; exit 4", Log: log},
		`^start the API: it ended with exit status 4 before it was ready; its last output: Error: no such table: users … bye; see its log, .*api\.log$`)
	fails(t, &Service{Command: "kill -SEGV $$; : {port}"}, `ended with signal: segmentation fault before`)
	fails(t, &Service{Command: "sh -c 'kill -SEGV $$'; exit $?; : {port}"}, `exit status 139 \(signal 11: segmentation fault\)`)
	fails(t, &Service{Command: "echo warming; exec sleep 1000; : {port}", Patience: 200 * time.Millisecond},
		`it is not ready after 200ms: no connections are accepted; its last output: warming$`)
	fails(t, &Service{Command: "exec sleep 1000", Ready: "http://127.0.0.1:{port}/up", Patience: 200 * time.Millisecond},
		`it is not ready after 200ms: .*; --start has no {port}, so the API must listen at the port that the environment variable PORT has, \d+$`)
	fails(t, &Service{Command: "exit 4", Ready: "http://127.0.0.1:{port}/up"}, `it ended with exit status 4 before it was ready$`)
	fails(t, &Service{Command: "flaketap-no-such-program {port}"}, `exit status 127 before it was ready; its last output: .*not found`)
	broken := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	fails(t, &Service{Command: "sleep 1000", Ready: "http://" + broken + "/up"}, `another program already listens at `+broken+`: stop it, or use {port}`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Service{Command: "exec sleep 1000; : {port}"}).Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A 503 is not ready yet, a first 200 may be of another, and a status that is no 2xx has to be named.
func TestServiceNotReadyYet(t *testing.T) {
	log := filepath.Join(t.TempDir(), "api.log")
	i := started(t, &Service{Command: self(t), Ready: "http://127.0.0.1:{port}/warming", Log: log})
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(log); err != nil || strings.Count(string(text), "warming") != 4 {
		t.Errorf("the log has %q, %v", text, err)
	}
	fails(t, &Service{Command: self(t), Ready: "http://127.0.0.1:{port}/broken", Patience: 2 * time.Second},
		`it is not ready after 2s: GET http://127\.0\.0\.1:\d+/broken answered 503 Service Unavailable`)
	var told []string
	fails(t, &Service{Command: self(t), Ready: "http://127.0.0.1:{port}/missing", Patience: 2 * time.Second,
		Waiting: func(said string) { told = append(told, said) }},
		`it is not ready after 2s: GET http://127\.0\.0\.1:\d+/missing answered 404 Not Found, which is no 2xx; if that is how it answers, say --ready '404 URL'`)
	if len(told) != 1 || !strings.Contains(told[0], "/missing answered 404 Not Found, which is no 2xx") {
		t.Errorf("while it was waited for, it was told %q", told)
	}
}

// An API that finds its port taken is started again at another.
func TestServicePortTaken(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "tried")
	s := &Service{Command: "if mkdir " + mark + "; then echo {port} >" + mark + "/port; echo 'bind: Address already in use' >&2; exit 1; fi; " + self(t)}
	i := started(t, s)
	first, err := os.ReadFile(mark + "/port")
	if err != nil || strings.TrimSpace(string(first)) == i.Target().Port() {
		t.Errorf("first at %q, %v, then at %s", first, err, i.Target())
	}
	always := &Service{Command: "echo {port} >>" + mark + "/all; echo 'listen EADDRINUSE' >&2; exit 1"}
	fails(t, always, `last output: listen EADDRINUSE`)
	all, _ := os.ReadFile(mark + "/all")
	if n := strings.Count(string(all), "\n"); n != maxStarts {
		t.Errorf("it was started %d times", n)
	}
}

// hold is a named pipe that shows whether a process is left which has it open for writing.
type hold struct {
	t                *testing.T
	path             string
	opened, released chan struct{}
}

func newHold(t *testing.T) *hold {
	t.Helper()
	h := &hold{t, filepath.Join(t.TempDir(), "held"), make(chan struct{}), make(chan struct{})}
	if err := syscall.Mkfifo(h.path, 0o600); err != nil {
		t.Skip(err)
	}
	go func() {
		defer close(h.released)
		f, err := os.Open(h.path) // once somebody writes
		close(h.opened)
		if err == nil {
			_, _ = io.Copy(io.Discard, f) // until nobody can
			f.Close()
		}
	}()
	return h
}

func (h *hold) await(what chan struct{}) {
	h.t.Helper()
	select {
	case <-what:
	case <-time.After(30 * time.Second):
		h.t.Fatal("no process has begun, or one is left")
	}
}

// The API's children end with it; those that do not listen are killed.
func TestServiceStopsChildren(t *testing.T) {
	for name, child := range map[string]string{
		"willing":  "sleep 1000",
		"stubborn": `trap "" TERM; while :; do sleep 1000; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHold(t)
			s := &Service{Command: "(exec >" + h.path + "; " + child + ") & " + self(t), Grace: 300 * time.Millisecond}
			i := started(t, s)
			h.await(h.opened)
			if err := i.Stop(); err != nil {
				t.Fatal(err)
			}
			h.await(h.released)
		})
	}
}

func TestServiceLogIsBounded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "api.log")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l, err := openServiceLog(log, nil, nil, r)
	if err != nil {
		t.Fatal(err)
	}
	block := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 40 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.WriteString(w, "the end\n")
	w.Close()
	if err := l.close(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil || len(text) > maxLog+2*maxTail || !strings.HasSuffix(string(text), "x\nthe end\n") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if want := "\n… " + strconv.Itoa(8<<20+8-maxTail) + " bytes are left out here …\n"; !strings.Contains(string(text[maxLog:]), want) {
		t.Errorf("it does not have %q: %.200q", want, text[maxLog:])
	}
	if got := l.since(40 << 20); got != "the end\n" {
		t.Errorf("since then: %q", got)
	}
}

// TestServiceLogIsShown: each line reaches the file as it is to be shown, however it came, the last of a cut log too.
func TestServiceLogIsShown(t *testing.T) {
	for _, size := range []int{0, 40 << 20} {
		log := filepath.Join(t.TempDir(), "api.log")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		l, err := openServiceLog(log, func(text string) string { return strings.ReplaceAll(text, "hunter2", "*") }, nil, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"a hun", "ter2 b\nhunt", "er2\n", strings.Repeat("hunter2\n", size/8), "c hunter2"} {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		if err := l.close(30 * time.Second); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(log)
		if err != nil || strings.Contains(string(text), "ter2") || !strings.HasPrefix(string(text), "a * b\n*\n") || !strings.HasSuffix(string(text), "c *") {
			t.Errorf("%d bytes: %.40q … %q, %v", len(text), text, text[max(0, len(text)-40):], err)
		}
		if got := l.since(l.size() - 3); got != "er2" {
			t.Errorf("it is shown as %q to the one who asks", got)
		}
	}
}

func TestLastWords(t *testing.T) {
	for log, want := range map[string]string{
		"":                                  "",
		"a\n\n b \n":                        "b",
		"panic: x\n\ngo.go:7":               "panic: x … go.go:7",
		"Traceback:\n f()\nValueError: y\n": "ValueError: y",
		"\x1b[1;31mError\x1b[0m\x00\x1b[2J": `Error\x00\x1b[2J`,
	} {
		if got := lastWords(log); got != want {
			t.Errorf("%q: got %q, want %q", log, got, want)
		}
	}
}

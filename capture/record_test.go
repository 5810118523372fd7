//go:build unix

package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// With FLAKETAP_TEST_CLIENT this binary is a client: it asks for each path of its arguments.
func TestMain(m *testing.M) {
	if os.Getenv("FLAKETAP_TEST_CLIENT") == "" {
		os.Exit(m.Run())
	}
	for _, path := range os.Args[1:] {
		resp, err := http.Get(os.Getenv("FLAKETAP_URL") + path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_, _ = io.Copy(os.Stdout, resp.Body)
		resp.Body.Close()
	}
	os.Exit(len(os.Args) - 2)
}

// command is the command line of a client that asks for paths. Its exit status is the number of paths, less one.
func command(t *testing.T, paths ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FLAKETAP_TEST_CLIENT", "1")
	return append([]string{self}, paths...)
}

// said is what was said so far. It may be read while more is said.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// await waits for a text, and returns its first group.
func (s *said) await(t *testing.T, pattern string) string {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(s.String()); m != nil {
			return m[1]
		}
	}
	t.Fatalf("it never said %s:\n%s", pattern, s)
	return ""
}

// recording returns options for a recording of an API, and what is said of it.
func recording(t *testing.T) (RecordOptions, *said) {
	t.Helper()
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		fmt.Fprintf(w, "%s %d\n", r.URL.Path, n)
	}))
	t.Cleanup(api.Close)
	target, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	talk := &said{}
	return RecordOptions{
		Options:     Options{Target: target, CA: ca, Console: &console.Console{Err: talk}, Stdout: io.Discard},
		Destination: Destination{DB: filepath.Join(t.TempDir(), "flaketap.db")},
	}, talk
}

// What clients ask until the context ends is one pass.
func TestRecordUntilStopped(t *testing.T) {
	o, talk := recording(t)
	o.Label, o.Sequences.Control = "first", "127.0.0.1:0"
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Record(ctx, o) }()
	base := "http://" + talk.await(t, `recording (\S+) -> http`)
	control := "http://" + talk.await(t, `mark sequences at http://(\S+)/\.flaketap`) + "/.flaketap/mark?name="
	for _, name := range []string{"one", exchange.OwnMark + "a", exchange.OwnMark + "b"} {
		if resp, err := http.Get(control + name); err != nil || resp.StatusCode != 204 {
			t.Errorf("the mark %s: %v, %v", name, resp, err)
		}
	}
	resp, err := http.Get(base + "/a")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	rec, _ := stored(t, o.DB)
	if rec.Count != 1 || len(rec.Passes) != 1 || rec.Passes[0].Label != "first" || rec.Passes[0].Ended.IsZero() || "http://"+rec.Passes[0].Listen != base {
		t.Errorf("stored is %+v", rec)
	}
	if m := rec.Passes[0].Marks; len(m) != 2 || m[0].Name != "flaketap:a" || m[1].Name != "flaketap:b" || m[0].At.Before(rec.Passes[0].Started) {
		t.Errorf("the marks are %+v", m)
	}
	if !strings.Contains(talk.String(), "1 exchange recorded in "+o.DB) {
		t.Errorf("it said\n%s", talk)
	}
	if err := Record(ctx, o); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("again: %v", err)
	}
}

// A mark is redacted as all else that a client sends, where secrets are redacted at rest; those of specs stay what they are.
func TestMarksRedacted(t *testing.T) {
	const secret, plain = "q8Zx81kqP0vR7mW2", exchange.OwnMark + "0a1b2c3d4e5f6071:4:rest"
	o, talk := recording(t)
	o.Sequences.Control, o.Sequences.SayControl, o.Redact = "127.0.0.1:0", true, true
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Record(ctx, o) }()
	base := "http://" + talk.await(t, `recording (\S+) -> http`)
	control := "http://" + talk.await(t, `mark sequences at http://(\S+)/\.flaketap`) + "/.flaketap/mark?name="
	for _, ask := range []string{base + "/a?api_key=" + secret, control + plain, control + exchange.OwnMark + "a:" + secret + ":rest", control + exchange.OwnMark + "token=other-5ecret"} {
		resp, err := http.Get(ask)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	rec, _ := stored(t, o.DB)
	m := rec.Passes[0].Marks
	if said := fmt.Sprint(m); len(m) != 3 || m[0].Name != plain || strings.Contains(said, secret) || strings.Contains(said, "5ecret") {
		t.Errorf("the marks are %s", said)
	}
}

// The client's own status is the error; a run of it again is aligned with what it asked first.
func TestRecordAndRerunCommand(t *testing.T) {
	o, talk := recording(t)
	o.Command, o.Redact = command(t, "/a", "/b"), true
	var status console.ExitStatus
	if err := Record(t.Context(), o); !errors.As(err, &status) || status != 1 {
		t.Fatalf("got %v, want the status of the client\n%s", err, talk)
	}
	rec, _ := stored(t, o.DB)
	if rec.Count != 2 || !rec.Redacted() || len(rec.Passes[0].Command) != 1 {
		t.Errorf("stored is %+v", rec)
	}
	again := RerunOptions{Options: o.Options, DB: o.DB, Runs: 2, Changes: 3}
	again.Target, again.Command = nil, command(t, "/b") // its target is the recorded one
	if err := Rerun(t.Context(), again); err != nil {
		t.Fatalf("%v\n%s", err, talk)
	}
	if _, runs := stored(t, o.DB); len(runs) != 2 || runs[0].Kind != exchange.RunClient || runs[0].Lost != 1 || runs[0].Steps != 1 {
		t.Errorf("the runs are %+v", runs)
	}
	if !strings.Contains(talk.String(), "run 2 of 2: 1 step, 1 lost, 0 added\n  lost     GET /a (exchange 1)\n") {
		t.Errorf("it said\n%s", talk)
	}
	if _, err := os.Stat(o.DB + ".rerun"); err == nil {
		t.Error("what the run was kept in is still there")
	}
	again.Label = "secound"
	if err := Rerun(t.Context(), again); err == nil || !strings.Contains(err.Error(), `no pass has the label "secound"`) {
		t.Errorf("got %v", err)
	}
}

// Where nothing could be recorded, no recording is left behind.
func TestRecordCommandThatIsNotThere(t *testing.T) {
	o, _ := recording(t)
	o.Command = []string{"/no/such/program"}
	if err := Record(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "start the client: ") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(o.DB); err == nil {
		t.Error("there is a recording")
	}
}

// A recorder that other machines can reach needs to know where their requests go, or who they are.
func TestListenRefusesOpenProxy(t *testing.T) {
	if _, err := Open(Options{Listen: "0.0.0.0:0"}); !console.IsUsage(err) {
		t.Errorf("got %v", err)
	}
	s, err := Open(Options{Listen: "0.0.0.0:0", Auth: "a:b"})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A port that is taken is no hindrance where the user did not name it.
func TestPreferredAddressIsTaken(t *testing.T) {
	first, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	at := first.Addr().String()
	second, err := Open(Options{Preferred: at})
	if err != nil || second.Addr().String() == at {
		t.Fatalf("got %v", err)
	}
	second.Close()
	if _, err := Open(Options{Listen: at}); err == nil {
		t.Error("two listen at the same address")
	}
}

// A try that nothing came of leaves nothing behind, and what one that was killed has left is no hindrance. A recording
// that holds something is never removed.
func TestRecordEmpty(t *testing.T) {
	o, talk := recording(t)
	left, err := store.Create(o.DB, store.Options{})
	if err == nil {
		_, err = left.BeginPass(exchange.Pass{Number: 1})
	}
	if err = errors.Join(err, left.Close()); err != nil {
		t.Fatal(err)
	}
	o.Command = command(t)
	for range 2 {
		if err := Record(t.Context(), o); err != nil && !errors.As(err, new(console.ExitStatus)) {
			t.Fatal(err)
		}
		if _, err := os.Stat(o.DB); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("of the empty recording there is still: %v\n%s", err, talk)
		}
	}
	if want := "no requests arrived; " + o.DB + " is not written"; !strings.Contains(talk.String(), want) {
		t.Errorf("it did not say %q but\n%s", want, talk)
	}
	o.Command = command(t, "/a")
	if err := Record(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.Command, o.Append = command(t), true
	if err := Record(t.Context(), o); err != nil && !errors.As(err, new(console.ExitStatus)) {
		t.Fatal(err)
	}
	if rec, _ := stored(t, o.DB); rec.Count != 1 {
		t.Errorf("left of the recording is %+v", rec)
	}
}

// Of a try that asks for quiet the one line is said that scripts wait for.
func TestRecordQuiet(t *testing.T) {
	o, talk := recording(t)
	o.Console.Quiet, o.Listen, o.Metrics, o.Command = true, "0.0.0.0:0", "127.0.0.1:0", command(t, "/a")
	if err := Record(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := talk.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "flaketap: recording ") {
		t.Errorf("it said\n%s", got)
	}
}

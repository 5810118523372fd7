package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// notes is an API that keeps notes until it is reset, and says nothing that depends on when it is asked.
type notes struct {
	mu      sync.Mutex
	all     []string
	latency time.Duration
}

func (n *notes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(n.latency)
	n.mu.Lock()
	defer n.mu.Unlock()
	w.Header()["Date"] = nil
	switch name := strings.TrimPrefix(r.URL.Path, "/notes/"); {
	case r.URL.Path == "/reset":
		n.all = nil
	case r.Method == http.MethodPost:
		n.all = append(n.all, fmt.Sprintf("note-%d-%s", len(n.all), r.Header.Get("About")))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"name":%q}`, n.all[len(n.all)-1])
	case r.URL.Path == "/notes":
		fmt.Fprintf(w, `{"notes":%d,"zone":%q}`, len(n.all), os.Getenv("TZ"))
	case slices.Contains(n.all, name):
		fmt.Fprintf(w, `{"name":%q}`, name)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// notesMain is the API as a process.
func notesMain(addr string) {
	latency, _ := time.ParseDuration(os.Getenv("FLAKETAP_TEST_LATENCY"))
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		err = http.Serve(ln, &notes{latency: latency})
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// startNotes are the flags that start it, so slow, and reset it.
func startNotes(t testing.TB, latency time.Duration) []string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--start", fmt.Sprintf("FLAKETAP_TEST_LATENCY=%s FLAKETAP_TEST_AS_NOTES=127.0.0.1:{port} exec '%s'", latency, exe),
		"--ready", "http://127.0.0.1:{port}/notes", "--reset", "http://127.0.0.1:{port}/reset"}
}

// recordNotes makes a recording of some clients, each of which makes a note and reads it several times.
func recordNotes(t testing.TB, path string, clients, reads int) {
	t.Helper()
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const target = "http://127.0.0.1:9"
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if _, err := db.BeginPass(exchange.Pass{Target: target, Started: at, Start: exchange.StartFresh}); err != nil {
		t.Fatal(err)
	}
	record := func(client int, api http.Handler, method, path string) *http.Response {
		at = at.Add(time.Millisecond)
		about := fmt.Sprintf("client-%d", client)
		asked := httptest.NewRequest(method, target+path, nil)
		asked.Header.Set("About", about)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, asked)
		answer := w.Result()
		body := w.Body.Bytes()
		err := db.Record(&exchange.Exchange{Pass: 1, Conn: uint64(client), Sequence: about, Target: exchange.DefaultTarget, Scheme: "http",
			Addr: "127.0.0.1:9", Start: at,
			Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil,
				"%s %s HTTP/1.1\r\nHost: 127.0.0.1:9\r\nAbout: %s\r\nContent-Length: 0\r\n\r\n", method, path, about)}),
			Response: exchange.ParseResponse(exchange.Message{Body: body, Head: fmt.Appendf(nil,
				"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", answer.StatusCode, len(body))})})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for client := 1; client <= clients; client++ {
		api := &notes{}
		record(client, api, http.MethodPost, "/notes")
		for range reads {
			record(client, api, http.MethodGet, "/notes/"+api.all[0])
		}
		record(client, api, http.MethodGet, "/notes")
	}
	if err := db.EndPass(at); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// answersOf returns what the runs of a recording answered, in order, without what tells when.
func answersOf(t testing.TB, path string) (out []string) {
	t.Helper()
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for step, err := range db.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range step.Observations {
			sent, _, _ := bytes.Cut(o.Sent.Head, []byte("\r\n"))
			said := fmt.Sprint(o.Fault)
			if o.Response != nil {
				said = fmt.Sprintf("%d %s", o.Response.Status, o.Response.Body)
			}
			out = append(out, fmt.Sprintf("run %d, exchange %d: %s: %s", o.Run, o.Seq, sent, said))
		}
	}
	return out
}

// TestManyWorkers has two workers as processes, of which the first is killed while it plays, and so is the replay, which
// goes on then: the runs are those that one machine makes.
func TestManyWorkers(t *testing.T) {
	b := newBench(t)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	here, there := filepath.Join(b.dir, "here.db"), filepath.Join(b.dir, "there.db")
	for _, path := range []string{here, there} {
		recordNotes(t, path, 8, 40)
	}
	start := startNotes(t, 5*time.Millisecond)
	b.run(nil, append([]string{"replay", "--db", here, "--runs", "2", "--reset-each", "sequence"}, start...)...).exit(0)

	hub := b.run(nil, "hub", "--listen", "127.0.0.1:0")
	at := hub.wait(`hub at (nats://\S+),`) + "/notes"
	reach := []string{"--hub-credential", "flaketap-hub/credential", "--token-key", "token.key"}
	worker := append(append([]string{"worker", at, "--api-version", "7"}, start...), reach...)
	replay := append([]string{"replay", "--db", there, "--runs", "2", "--workers", at}, reach...)
	first, cut := b.run(nil, worker...), b.run(nil, replay...)
	cut.wait("waiting for flaketap workers") // it holds the recording, which readers would keep from it until then
	for begun := time.Now(); len(answersOf(t, there)) == 0; {
		if time.Since(begun) > patience {
			t.Fatalf("nothing is stored:\n%s\n%s", first.out, cut.out)
		}
	}
	first.signal(syscall.SIGKILL)
	cut.signal(syscall.SIGKILL)
	<-first.over
	<-cut.over
	second := b.run(nil, worker...)
	b.run(nil, append(replay, "--resume")...).exit(0)
	second.signal(syscall.SIGTERM)
	second.exit(0)

	alone, shared := answersOf(t, here), answersOf(t, there)
	if len(alone) != 2*8*42 || !slices.Equal(alone, shared) {
		for i := range min(len(alone), len(shared)) {
			if alone[i] != shared[i] {
				t.Errorf("alone %s\nby workers %s", alone[i], shared[i])
				break
			}
		}
		t.Errorf("alone there are %d answers, by workers %d", len(alone), len(shared))
	}
	if runs := b.must("flaketap inspect runs --format ndjson --db there.db"); strings.Count(runs, `"version":"7","steps":"1-336"`) != 2 {
		t.Errorf("the runs do not say where they were played:\n%s", runs)
	}
	b.must("flaketap hub remove " + at + " --hub-credential flaketap-hub/credential")
}

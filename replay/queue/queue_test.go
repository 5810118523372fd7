//go:build unix

package queue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/service"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv("FLAKETAP_TEST_API"); addr != "" {
		fmt.Fprintln(os.Stderr, serveAPI(addr))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serveAPI counts the requests since its start, and ends at /crash.
func serveAPI(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	count := 0
	return http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/crash" {
			os.Exit(3)
		}
		count++
		fmt.Fprintf(w, "%d", count)
	}))
}

// command is a command that runs this binary as an API.
func command(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "FLAKETAP_TEST_API=127.0.0.1:{port} exec '" + path + "'"
}

const secret = "Bearer of-good-tidings"

// item asks for some paths, one after the other. Positions begin behind after.
func item(after uint64, paths ...string) *queue.Item {
	i := &queue.Item{}
	for n, path := range paths {
		i.List = append(i.List, &exchange.Exchange{Seq: after + uint64(n) + 1, Pass: 1, Conn: 1, Scheme: "http", Addr: "127.0.0.1:9",
			Start: time.Unix(1, 0).UTC(),
			Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: a\r\nAuthorization: %s\r\n\r\n",
				path, secret)}),
			Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})})
	}
	return i
}

func newKey(t *testing.T, text string) *queue.Key {
	t.Helper()
	key, err := queue.NewKey([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var job = &queue.Job{Recorded: "127.0.0.1:9", Pace: "asap", Timeout: 10 * time.Second}

// begin puts items on a board, to be played in so many runs.
func begin(t *testing.T, m *memory, runs int, items ...*queue.Item) *queue.Round {
	t.Helper()
	r, err := queue.Begin(t.Context(), m, newKey(t, "key"), "plan", job, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range items {
		if err := r.Keep(t.Context(), i, one); err != nil {
			t.Fatal(err)
		}
	}
	for run := range runs {
		for i := range items {
			if err := r.Offer(t.Context(), run+1, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(r.Leave)
	return r
}

func worker(t *testing.T, m *memory, start string) *queue.Worker {
	return &queue.Worker{Board: m, Key: newKey(t, "key"), Machine: exchange.Machine{Host: "here"}, Console: &console.Console{},
		Player: replay.Player{Service: &service.Service{Command: start, Patience: 20 * time.Second}}}
}

// work has workers play until the test ends.
func work(t *testing.T, m *memory, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range n {
		w := worker(t, m, command(t))
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() { cancel(); all.Wait() })
}

// results waits for what came of a run, by item.
func results(t *testing.T, r *queue.Round, run, items int) map[int]*queue.Result {
	t.Helper()
	out := map[int]*queue.Result{}
	for range items {
		i, result, err := r.Next(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if out[i] != nil {
			t.Errorf("item %d of run %d comes twice", i, run)
		}
		out[i] = result
	}
	return out
}

// said are the answers of a result.
func said(r *queue.Result) string {
	var all []string
	for _, o := range r.Observations {
		text := "fault"
		if o.Response != nil {
			text = string(o.Response.Body)
		}
		all = append(all, fmt.Sprintf("%d:%s", o.Seq, text))
	}
	return strings.Join(all, " ")
}

// TestEachItemFindsANewAPI: whoever plays an item, and whatever was played before, it is answered alike.
func TestEachItemFindsANewAPI(t *testing.T) {
	m := newMemory()
	const runs, items = 2, 4
	var all []*queue.Item
	for i := range items {
		all = append(all, item(uint64(10*i), "/a", "/b", "/c"))
	}
	r := begin(t, m, runs, all...)
	work(t, m, 2)
	for run := range runs {
		for i, result := range results(t, r, run+1, items) {
			if got, want := said(result), fmt.Sprintf("%d:1 %d:2 %d:3", 10*i+1, 10*i+2, 10*i+3); got != want {
				t.Errorf("run %d, item %d: %q, want %q", run+1, i, got, want)
			}
			if result.Machine.Host != "here" || result.Attempt != 1 || result.Failed != "" {
				t.Errorf("run %d, item %d: %+v", run+1, i, result)
			}
		}
	}
	if err := r.End(t.Context()); err != nil || len(m.kept)+len(m.waiting) > 0 {
		t.Errorf("at the end, %v, there are %d of content and %d tickets", err, len(m.kept), len(m.waiting))
	}
}

// TestLateResultsDoNotCount: a worker that was taken for dead, and was not, is late; the first result stays.
func TestLateResultsDoNotCount(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a"))
	if _, err := m.Lease(t.Context()); err != nil { // by a worker that is paused
		t.Fatal(err)
	}
	m.expire()
	work(t, m, 1)
	first := results(t, r, 1, 1)[0]
	if first.Attempt != 2 || said(first) != "1:1" {
		t.Errorf("the second attempt gave %+v: %q", first, said(first))
	}
	kept := bytes.Clone(m.kept["plan.result.1.0"])
	if err := m.Put(t.Context(), "plan.result.1.0", []byte("late")); err != nil || !bytes.Equal(kept, m.kept["plan.result.1.0"]) {
		t.Errorf("a late result took the place of the first: %v", err)
	}
}

// TestWhatKillsWorkersIsGivenUp: after so many workers that died the next one says so, and does not play it.
func TestWhatKillsWorkersIsGivenUp(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a"))
	for range queue.MostAttempts {
		if _, err := m.Lease(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.expire()
	}
	work(t, m, 1)
	if got := results(t, r, 1, 1)[0]; !strings.Contains(got.Failed, "workers died") || len(got.Observations) > 0 {
		t.Errorf("got %+v", got)
	}
}

// TestWhatKillsTheAPIIsGivenUp: it is tried again, and then told with its reason; the others are played.
func TestWhatKillsTheAPIIsGivenUp(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a", "/crash", "/b"), item(10, "/a"))
	work(t, m, 1)
	all := results(t, r, 1, 2)
	if got := all[0]; !strings.Contains(got.Failed, "exit status 3") || len(got.Observations) > 0 || got.Attempt != queue.MostAttempts {
		t.Errorf("the one that crashes: %+v", got)
	}
	if got := said(all[1]); got != "11:1" {
		t.Errorf("the other: %q", got)
	}
}

// TestWorkerWithoutAPI ends before it takes anything.
func TestWorkerWithoutAPI(t *testing.T) {
	m := newMemory()
	begin(t, m, 1, item(0, "/a"))
	err := worker(t, m, "exit 7; : {port}").Run(t.Context())
	if !errors.Is(err, service.ErrStart) || len(m.times) > 0 {
		t.Errorf("%v, and it took %v", err, m.times)
	}
}

// TestOthersAreRefused: what was sealed with another key, or is of another version, is told before anything is taken.
func TestOthersAreRefused(t *testing.T) {
	m := newMemory()
	begin(t, m, 1, item(0, "/a"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // which is used up by a failure
	defer cancel()
	w := worker(t, m, command(t))
	w.Key = newKey(t, "another key")
	if err := w.Run(ctx); err == nil || !strings.Contains(err.Error(), "--token-key") {
		t.Errorf("a worker with another key: %v", err)
	}
	if _, err := queue.Begin(t.Context(), m, w.Key, "other", job, nil); err == nil || !strings.Contains(err.Error(), "--token-key") {
		t.Errorf("a replay with another key: %v", err)
	}
	m.keys = []string{newKey(t, "key").ID()}
	if _, err := queue.Begin(t.Context(), m, newKey(t, "key"), "plan", job, nil); err != nil {
		t.Errorf("a replay with the key of the workers: %v", err)
	}
	empty := newMemory()
	empty.keys = m.keys
	if _, err := queue.Begin(t.Context(), empty, w.Key, "other", job, nil); err == nil ||
		!strings.Contains(err.Error(), "workers at that hub have another key") || len(empty.kept) > 0 {
		t.Errorf("workers with another key: %v, %d kept", err, len(empty.kept))
	}
	for some, want := range map[*queue.Job]string{job: "plays", {Judging: []byte("{}")}: "judges", {Judging: []byte("{}"), Tries: true}: "--external", {Lends: true}: ""} {
		var talk bytes.Buffer
		_, err := queue.Begin(t.Context(), newMemory(), w.Key, "other", some, &console.Console{Err: &talk})
		if err != nil || !strings.Contains(talk.String(), want) || want == "" && talk.Len() > 0 {
			t.Errorf("nobody is there that %s: %v, said was %q", want, err, talk.String())
		}
	}
	empty.keys = append(empty.keys, w.Key.ID())
	if _, err := queue.Begin(t.Context(), empty, w.Key, "other", job, nil); err != nil {
		t.Errorf("some worker has the key: %v", err)
	}
	m.kept["plan.job"] = bytes.Replace(m.kept["plan.job"], []byte(`"format":1`), []byte(`"format":9`), 1)
	if err := worker(t, m, command(t)).Run(ctx); err == nil || !strings.Contains(err.Error(), "update this one") {
		t.Errorf("a later format: %v", err)
	}
	if len(m.times) > 0 {
		t.Errorf("taken were %v", m.times)
	}
}

// TestBoardSeesNoSecret: what is kept is sealed, and each for its own name.
func TestBoardSeesNoSecret(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a"), item(10, "/b"))
	work(t, m, 1)
	results(t, r, 1, 2)
	for name, content := range m.kept {
		if bytes.Contains(content, []byte("good-tidings")) || bytes.Contains(content, []byte("GET ")) {
			t.Errorf("%s shows what it holds", name)
		}
	}
	again := begin(t, m, 0)
	m.kept["plan.result.1.0"] = m.kept["plan.result.1.1"]
	if _, _, err := again.Next(t.Context(), 1); !errors.Is(err, queue.ErrSealed) {
		t.Errorf("a result in the place of another: %v", err)
	}
}

// TestHubIsAway: what cannot be reached for a while is tried again.
func TestHubIsAway(t *testing.T) {
	m := newMemory()
	begin(t, m, 1, item(0, "/a"))
	var talk bytes.Buffer
	r, err := queue.Begin(t.Context(), m, newKey(t, "key"), "plan", job, &console.Console{Err: &talk})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Leave()
	m.away = 2
	if err := r.Offer(t.Context(), 2, 0); err != nil {
		t.Fatal(err)
	}
	want := "flaketap: no worker that plays is at that hub yet: start flaketap worker nats://HOST:PORT/NAME with --start CMD and " +
		"the same --token-key\nflaketap: no hub answers: the hub cannot be reached; trying again\nflaketap: the hub answers again\n"
	if talk.String() != want {
		t.Errorf("said was %q", talk.String())
	}
	work(t, m, 1)
	if got := said(results(t, r, 2, 1)[0]); got != "1:1" {
		t.Errorf("got %q", got)
	}
}

// TestRemovedWork ends the wait for it.
func TestRemovedWork(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a"))
	if err := m.Clear(t.Context(), "plan"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Next(t.Context(), 1); !errors.Is(err, queue.ErrRemoved) {
		t.Errorf("got %v", err)
	}
}

// TestResumedRound: what was answered before is not played again.
func TestResumedRound(t *testing.T) {
	m := newMemory()
	r := begin(t, m, 1, item(0, "/a"))
	work(t, m, 1)
	results(t, r, 1, 1)
	r.Leave()
	again := begin(t, m, 1, item(0, "/a"), item(10, "/b"))
	if all := results(t, again, 1, 2); said(all[0]) != "1:1" || said(all[1]) != "11:1" {
		t.Errorf("got %q and %q", said(all[0]), said(all[1]))
	}
	if n := m.times[queue.Ticket{Plan: "plan", Run: 1, Item: 0}]; n != 1 {
		t.Errorf("the first item was leased %d times", n)
	}
}

// TestJudging: a worker that judges needs no API, is given what was kept, and what it found comes back as it is; one that
// cannot go on ends, and leaves the part to others.
func TestJudging(t *testing.T) {
	m := newMemory()
	key := newKey(t, "a key of sixteen bytes")
	r, err := queue.Begin(t.Context(), m, key, "plan", &queue.Job{Judging: []byte("begin")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{r.KeepContent(t.Context(), 7, []byte("steps")), r.Offer(t.Context(), 1, 3)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // which is used up by a failure
	defer cancel()
	cannot := &queue.Worker{Board: m, Key: key, Role: queue.Judges, Judge: func(context.Context, []byte, int, func(int) ([]byte, error)) ([]byte, error) {
		return nil, queue.Unable(errors.New("of another build"))
	}}
	if err := cannot.Run(ctx); err == nil || !strings.Contains(err.Error(), "of another build") {
		t.Errorf("a worker that cannot go on: %v", err)
	}
	working, stop := context.WithCancel(ctx)
	can := &queue.Worker{Board: m, Key: key, Role: queue.Judges, Judge: func(_ context.Context, judging []byte, part int, content func(int) ([]byte, error)) ([]byte, error) {
		steps, err := content(7)
		return fmt.Appendf(nil, "%s %d %s", judging, part, steps), err
	}}
	ended := make(chan error)
	go func() { ended <- can.Run(working) }()
	part, result, err := r.Next(ctx, 1)
	if err != nil || part != 3 || result.Failed != "" || string(result.Found) != "begin 3 steps" {
		t.Errorf("part %d: %+v, %v", part, result, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

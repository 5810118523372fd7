package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
)

// These tests hold replay to its word on APIs that nobody here wrote, each driven by a real fuzzer or client for at least
// realSteps requests: of the steps whose truth is stable at least realShare answer with the recorded status. make tools
// installs the APIs and their clients.
const (
	realSteps = 2000
	realShare = 0.99
)

// realAPI is an API with a known start. It is a process of the test's, that a POST to reset puts back to its start: it is
// killed, its data are laid out anew, and it runs again on the same port; or flaketap runs it itself.
type realAPI struct {
	bench *bench
	known string // the flags that give the known start
	url   string // of the test's process, as all that follows
	reset string
	line  string // of shell, that starts it
	ready string // a path that answers once it runs

	// outcome says what an answer is beside its status; nil where the status says it all.
	outcome func(*exchange.Response) string

	mu  sync.Mutex
	cmd *exec.Cmd
	log bytes.Buffer // read only while no process runs
}

// realAPI returns an API that a line of shell starts, in which PORT stands for its port. layout is a line of shell too: it
// makes the folder data, which is not there then. Nothing runs before the first reset.
func (b *bench) realAPI(line, layout, ready string) *realAPI {
	b.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	ln.Close()
	a := &realAPI{bench: b, url: "http://127.0.0.1:" + port, ready: ready}
	a.line = strings.ReplaceAll("rm -rf data && "+layout+" && exec "+line, "PORT", port)
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.restart(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	a.reset, a.known = control.URL, "--reset "+control.URL
	b.t.Cleanup(func() {
		control.Close()
		a.kill()
	})
	return a
}

// started returns an API that flaketap runs itself, from the same lines of shell as [bench.realAPI] takes.
func (b *bench) started(line, layout, ready string) *realAPI {
	start := strings.ReplaceAll("rm -rf data && "+layout+" && exec "+line, "PORT", "{port}")
	return &realAPI{bench: b, known: "--start '" + strings.ReplaceAll(start, "'", `'\''`) + "' --ready 'http://127.0.0.1:{port}" + ready + "'"}
}

func (a *realAPI) restart(r *http.Request) error {
	a.kill()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log.Reset()
	cmd := exec.Command("sh", "-c", a.line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = a.bench.dir, a.bench.env, &a.log, &a.log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	a.cmd = cmd
	return waitReady(r.Context(), a.url+a.ready)
}

// kill ends the API and all that it started.
func (a *realAPI) kill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cmd == nil {
		return
	}
	killGroup(a.cmd)
	_ = a.cmd.Wait()
	a.cmd = nil
	if a.bench.t.Failed() {
		a.bench.t.Logf("the API said:\n%s", tail(a.log.String()))
	}
}

// record records a client's run from the API's start. flags say which way it is recorded.
func (a *realAPI) record(db, flags, client string) {
	a.bench.t.Helper()
	line := "flaketap record --db " + db + " --listen 127.0.0.1:0 " + flags + " " + a.known + " -- sh -c '" + strings.ReplaceAll(client, "'", `'\''`) + "'"
	out, _ := a.bench.sh(line) // a fuzzer that finds faults says so by its status
	if !strings.Contains(out, "exchanges recorded in") {
		a.bench.t.Fatalf("%s\n%s", line, tail(out))
	}
	a.bench.t.Log(tail(out))
}

// replay replays flaketap.db from the API's start, makes its map, and holds what the stable steps answered against what
// was recorded; nil says that all are stable.
func (a *realAPI) replay(runs int, stable map[uint64]bool) {
	b := a.bench
	b.t.Helper()
	b.must("flaketap replay --settle 1s --runs " + strconv.Itoa(runs) + " " + a.known)
	b.must("flaketap map --all --out volatile.json")
	m := a.reproduction(stable)
	b.t.Log(m)
	switch {
	case m.steps < realSteps:
		b.t.Errorf("only %d requests were recorded", m.steps)
	case float64(m.stable) < 0.95*float64(m.steps):
		b.t.Errorf("only %d of %d steps are stable: what is shown of them says little", m.stable, m.steps)
	case m.share() < realShare:
		b.t.Errorf("%.4f of the stable steps answered with the recorded status, want %v", m.share(), realShare)
	}
}

// stable returns the steps of flaketap.db that got the same status in another recording of the client, which is made from
// the same start and knows nothing of replay. The client does the same things in the same order each time.
func (a *realAPI) stable(again string) map[uint64]bool {
	a.bench.t.Helper()
	_, recorded := a.bench.steps("flaketap.db")
	_, second := a.bench.steps(again)
	if len(recorded) != len(second) {
		a.bench.t.Fatalf("the client sent %d requests, and then %d", len(recorded), len(second))
	}
	stable := map[uint64]bool{}
	for i, e := range recorded {
		other := second[i]
		same := e.Request.Method == other.Request.Method && a.became(e.Response, e.Fault) == a.became(other.Response, other.Fault)
		stable[e.Seq] = same
	}
	return stable
}

// reproduction is how a recording was reproduced.
type reproduction struct {
	steps      int // recorded, without those that no replay can send
	stable     int
	looks      int // answers to stable steps
	reproduced int // those with the recorded status
	others     map[string]*other
}

// other counts the answers that differ in the same way.
type other struct {
	times int
	first uint64 // the step
}

func (m *reproduction) share() float64 { return float64(m.reproduced) / float64(m.looks) }

// String tells the figures, and of what kinds the failures are.
func (m *reproduction) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d steps, %d stable; %d of %d answers with the recorded status: %.4f", m.steps, m.stable, m.reproduced, m.looks, m.share())
	kinds := slices.SortedFunc(maps.Keys(m.others), func(x, y string) int {
		return cmp.Or(m.others[y].times-m.others[x].times, strings.Compare(x, y))
	})
	for _, kind := range kinds[:min(len(kinds), 30)] {
		fmt.Fprintf(&s, "\n%6d %s, first at step %d", m.others[kind].times, kind, m.others[kind].first)
	}
	return s.String()
}

// reproduction holds the runs of flaketap.db against what was recorded.
func (a *realAPI) reproduction(stable map[uint64]bool) *reproduction {
	a.bench.t.Helper()
	steps, recorded := a.bench.steps("flaketap.db")
	operations := flow.Operations(recorded, flow.Bindings(recorded))
	m := &reproduction{others: map[string]*other{}}
	for _, s := range steps {
		e := s.Exchange
		if e.Unsendable() != "" {
			continue
		}
		m.steps++
		if stable != nil && !stable[e.Seq] {
			continue
		}
		m.stable++
		for _, o := range s.Observations {
			m.looks++
			was, is := a.became(e.Response, e.Fault), a.became(o.Response, o.Fault)
			if was == is {
				m.reproduced++
				continue
			}
			kind := fmt.Sprintf("%s: %s recorded, %s now", operations[e.Seq], was, is)
			if m.others[kind] == nil {
				m.others[kind] = &other{first: e.Seq}
			}
			m.others[kind].times++
		}
	}
	return m
}

// steps reads a recording.
func (b *bench) steps(name string) (steps []exchange.Step, all []*exchange.Exchange) {
	b.t.Helper()
	db, err := store.OpenReadOnly(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	for s, err := range db.Steps() {
		if err != nil {
			b.t.Fatal(err)
		}
		steps, all = append(steps, s), append(all, s.Exchange)
	}
	return steps, all
}

// became is the status of a step and its outcome, or how it failed.
func (a *realAPI) became(r *exchange.Response, f *exchange.Fault) string {
	switch {
	case r == nil:
		return fmt.Sprint(f)
	case a.outcome == nil:
		return strconv.Itoa(r.Status)
	}
	return strings.TrimSpace(strconv.Itoa(r.Status) + " " + a.outcome(r))
}

// testdata copies a file of testdata/real into the bench's folder.
func (b *bench) testdata(names ...string) {
	b.t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata", "real", name))
		if err != nil {
			b.t.Fatal(err)
		}
		b.write(name, data)
	}
}

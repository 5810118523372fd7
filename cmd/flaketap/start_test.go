package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
)

// frailAPI is an API that dies when it is asked for /crash while there is a file called frail.
func frailAPI(addr string) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked for", r.URL.Path)
		if _, err := os.Stat("frail"); err == nil && r.URL.Path == "/crash" {
			fmt.Fprintln(os.Stderr, "panic: out of cheese")
			os.Exit(3)
		}
		fmt.Fprintln(w, "fine")
	}))
	os.Exit(0)
}

// frail is what --start takes to run that API, with something beside it.
func (b *bench) frail(beside string) string {
	b.t.Helper()
	exe := testBinary(b.t)
	return beside + " FLAKETAP_TEST_AS_API=127.0.0.1:{port} exec '" + exe + "'"
}

// recordFrail records five exchanges with that API.
func (b *bench) recordFrail() {
	b.t.Helper()
	line := "flaketap record --start \"" + b.frail("") + "\" --listen 127.0.0.1:0 -- sh -c 'for p in a b crash c d; do curl -sf $FLAKETAP_URL/$p || exit; done'"
	if out, status := b.sh(line); status != 0 || !strings.Contains(out, "5 exchanges recorded") {
		b.t.Fatalf("status %d: %s", status, out)
	}
}

func (b *bench) touch(name string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// runsOf returns the runs of the bench's recording, and what each step observed.
func (b *bench) runsOf() (runs []exchange.Run, steps []exchange.Step) {
	b.t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(b.dir, "flaketap.db"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	if runs, err = s.Runs(); err != nil {
		b.t.Fatal(err)
	}
	for step, err := range s.Steps() {
		if err != nil {
			b.t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return runs, steps
}

// An API that dies during a run is told of: how, at which exchange, with its last output. What it answered is kept.
func TestStartedAPIDies(t *testing.T) {
	b := newBench(t)
	b.recordFrail()
	b.touch("frail")
	out, status := b.sh(`flaketap replay --runs 2 --start "` + b.frail("") + `"`)
	want := regexp.MustCompile(`(?m)^flaketap: the API ended with exit status 3 during exchange 3; its last output: panic: out of cheese; see its log, flaketap\.db\.logs/run-1\.log; 3 of 5 steps of run 1 of 2 were stored; --resume`)
	if status != 1 || !want.MatchString(out) {
		t.Errorf("status %d: %s", status, out)
	}
	runs, steps := b.runsOf()
	if len(runs) != 1 || !runs[0].Ended.IsZero() || runs[0].Conditions.Start != exchange.StartFresh || runs[0].Steps != 3 {
		t.Fatalf("the runs are %+v", runs)
	}
	o := steps[2].Observations[0]
	if o.Fault == nil || !strings.HasSuffix(o.Fault.Text, "; the API logged: panic: out of cheese") || len(steps[3].Observations) != 0 {
		t.Errorf("exchange 3 has %v, exchange 4 %v", o.Fault, steps[3].Observations)
	}
	if text, err := os.ReadFile(filepath.Join(b.dir, "flaketap.db.logs", "run-1.log")); err != nil || !strings.HasSuffix(string(text), "asked for /crash\npanic: out of cheese\n") {
		t.Errorf("its log has %q, %v", text, err)
	}
}

// So is one that dies while it is recorded, and the recording has its words with the fault.
func TestStartedAPIDiesWhileRecorded(t *testing.T) {
	b := newBench(t)
	b.touch("frail")
	out, status := b.sh(`flaketap record --start "` + b.frail("") + `" --listen 127.0.0.1:0 -- sh -c 'for p in a crash b; do curl -sf $FLAKETAP_URL/$p; done; true'`)
	want := regexp.MustCompile(`(?m)^flaketap: the API ended with exit status 3 before the recording ended; its last output: panic: out of cheese; see its log, flaketap\.db\.logs/pass-1\.log$`)
	if status != 0 || !want.MatchString(out) || !strings.Contains(out, "3 exchanges recorded in flaketap.db, 2 of them faults") {
		t.Errorf("status %d: %s", status, out)
	}
	_, steps := b.runsOf()
	if f := steps[1].Exchange.Fault; f == nil || !strings.Contains(f.Text, "the API logged: panic: out of cheese") {
		t.Errorf("exchange 2 has %v", f)
	}
}

// Where no secrets come to rest, none do in the API's logs, of the recording and of all further runs: neither those that a
// line names, nor those that a request has named before.
func TestStartedAPILogAtRest(t *testing.T) {
	b := newBench(t)
	start := `--start "` + b.frail("echo password=opensesame1;") + `"`
	client := `-- sh -c 'curl -sf -H "X-Api-Key: key-4711-x" $FLAKETAP_URL/a; curl -sf $FLAKETAP_URL/key-4711-x; curl -sf $FLAKETAP_URL/b'`
	b.must("flaketap record --redact-at-rest " + start + " --listen 127.0.0.1:0 " + client)
	b.must("flaketap rerun " + start + " " + client)
	b.must("flaketap replay " + start)
	for _, name := range []string{"pass-1.log", "run-1.log", "run-2.log"} {
		text, err := os.ReadFile(filepath.Join(b.dir, "flaketap.db.logs", name))
		if err != nil || strings.Contains(string(text), "opensesame1") || strings.Contains(string(text), "4711") ||
			!strings.HasPrefix(string(text), "password=secret:") || !strings.HasSuffix(string(text), "asked for /b\n") {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
}

// hold makes a named pipe, and returns what is closed once a process has it open for writing, and once none has any more.
func (b *bench) hold(name string) (opened, released chan struct{}) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := makeFIFO(path); err != nil {
		b.t.Fatal(err)
	}
	opened, released = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		f, err := os.Open(path)
		close(opened)
		if err == nil {
			_, _ = io.Copy(io.Discard, f)
			f.Close()
		}
	}()
	return opened, released
}

// Whatever ends flaketap, the API that it started ends with it, and so do that one's children.
func TestStartedAPIEndsWithUs(t *testing.T) {
	b := newBench(t)
	b.recordFrail()
	for _, tt := range []struct {
		name string
		sig  syscall.Signal
		exit map[string]int
	}{
		{"interrupted", syscall.SIGINT, map[string]int{"record": 0, "replay": 1}},
		{"killed", syscall.SIGKILL, map[string]int{"record": -1, "replay": -1}},
	} {
		for command, exit := range tt.exit {
			t.Run(tt.name+" "+command, func(t *testing.T) {
				b := &bench{t: t, dir: b.dir, env: b.env}
				name := tt.name + command
				up, over := b.hold(name)
				args := []string{command, "--start", b.frail("(exec >" + name + "; exec sleep 1000) &")}
				var p *process
				if command == "record" {
					p = b.run(nil, append(args, "--listen", "127.0.0.1:0", "--db", name+".db")...)
					p.url()
				} else {
					begun := b.fifo(name + "begun")
					b.fifo(name + "never") // what reads from it ends with this test
					p = b.run(nil, append(args, "--reset", "echo >"+name+"begun; cat "+name+"never")...)
					begun.read()
				}
				await(t, up)
				p.signal(tt.sig)
				<-p.over
				await(t, over)
				if got := p.cmd.ProcessState.ExitCode(); got != exit {
					t.Errorf("exit status %d, want %d: %s", got, exit, p.out)
				}
			})
		}
	}
}

func await(t *testing.T, what chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-time.After(patience):
		t.Fatal("a process has not begun, or is left")
	}
}

// A reset that does not come to its end is not waited for, and nothing that it began is left.
func TestResetThatHangs(t *testing.T) {
	b := newBench(t)
	b.recordFrail()
	p := b.run(nil, "replay", "--start", b.frail(""), "--reset", "sleep 1000 & echo waiting for the lock; wait", "--reset-timeout", "300ms")
	p.exit(1) // once nobody has its output open any more
	p.says(1, `(?m)^flaketap: reset "sleep 1000 & echo waiting for the lock; wait": not finished after 300ms; --reset-timeout gives it more time$`)
	if runs, _ := b.runsOf(); len(runs) != 0 {
		t.Errorf("the runs are %+v", runs)
	}
}

// The truth API has a dial for its clock, which {clock} sets: libfaketime cannot reach it.
func TestClockOfTruthAPI(t *testing.T) {
	b := newBench(t)
	tool := filepath.Join(b.dir, ".bin", "flaketap")
	for value, want := range map[string]time.Duration{"": 0, "+1d": 24 * time.Hour, "-2h": -2 * time.Hour} {
		s := &service.Service{Command: "exec " + tool + " demo api --listen 127.0.0.1:{port} --clock-offset {clock}", Ready: "http://127.0.0.1:{port}/health"}
		if value != "" {
			if err := s.Environment.Add("clock", value); err != nil {
				t.Fatal(err)
			}
		}
		api, err := s.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var health struct{ Clock struct{ EpochSeconds int64 } }
		resp, err := http.Get(api.Target().String() + "/health")
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&health)
			resp.Body.Close()
		}
		if err = errors.Join(err, api.Stop()); err != nil {
			t.Fatal(err)
		}
		if off := time.Until(time.Unix(health.Clock.EpochSeconds, 0)) - want; off.Abs() > time.Minute {
			t.Errorf("%s: its clock is off by %s", value, off)
		}
	}
}

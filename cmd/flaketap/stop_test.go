package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// drain is how long a stopping recorder waits for exchanges that are under way.
const drain = 3 * time.Second

// An API that hangs does not keep a recorder: what was under way is stored as a fault that says why, after a while that
// is announced.
func TestStopWhileAPIHangs(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			api, asked := hangingAPI(t)
			p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0")
			url := p.url()
			get(t, url, "/a")
			ask(t, url, "/hang")
			<-asked
			p.signal(sig)
			p.wait(`waiting for 1 exchange in progress; press Ctrl-C again to stop at once`)
			p.exit(0)
			p.says(1, `2 exchanges recorded in flaketap\.db, 1 of them a fault`)
			p.says(0, `deadline|canceled`)
			all := p.recorded()
			if len(all) != 2 || all[0].Response == nil || all[1].Fault == nil {
				t.Fatalf("%d exchanges are recorded", len(all))
			}
			if f := all[1].Fault; f.Kind != exchange.FaultClient || !strings.Contains(f.Text, "recorder was stopped") {
				t.Errorf("the fault is %s", f)
			}
			if pass := passes(t, p.db)[0]; pass.Ended.IsZero() {
				t.Error("the pass has no end")
			}
		})
	}
}

func passes(t *testing.T, db string) []exchange.Pass {
	t.Helper()
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rec, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return rec.Passes
}

// A second signal ends the waiting, with its own status. What was under way is stored all the same.
func TestStopAtOnce(t *testing.T) {
	for sig, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			api, asked := hangingAPI(t)
			p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0")
			ask(t, p.url(), "/hang")
			<-asked
			first := syscall.SIGTERM
			if sig == first {
				first = syscall.SIGINT
			}
			p.signal(first)
			p.wait(`waiting for 1 exchange`)
			begun := time.Now()
			p.signal(sig)
			p.exit(status)
			if spent := time.Since(begun); spent >= drain {
				t.Errorf("it took %v", spent)
			}
			if all := p.recorded(); len(all) != 1 {
				t.Errorf("%d exchanges are recorded", len(all))
			}
		})
	}
}

// Under nohup a hang-up is no signal to stop.
func TestNohup(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	p := b.run(func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `trap "" HUP; exec flaketap record --listen 127.0.0.1:0 --target ` + api}
	})
	p.url()
	p.signal(syscall.SIGHUP)
	p.signal(syscall.SIGTERM)
	p.exit(0) // and not 143, as after a second signal
}

// A signal to the recorder reaches the client and all that it started; nothing is left behind.
func TestStopClient(t *testing.T) {
	for _, tt := range []struct {
		name   string
		client string
		sig    syscall.Signal
		status int
	}{
		{"children end with it", `sleep 1000 & sleep 1000 & echo ready; wait`, syscall.SIGTERM, 143},
		{"hang-up", `sleep 1000 & echo ready; wait`, syscall.SIGHUP, 129},
		{"its own status", `trap 'exit 7' TERM; sleep 1000 & echo ready; wait`, syscall.SIGTERM, 7},
		{"interrupted", `trap 'kill $!; exit 9' INT; sleep 1000 & echo ready; wait`, syscall.SIGINT, 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			api, _ := hangingAPI(t)
			p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0", "--", "sh", "-c", "curl -s $FLAKETAP_URL/a; "+tt.client)
			p.wait("ready")
			p.signal(tt.sig)
			p.exit(tt.status)
			p.says(1, "1 exchange recorded")
		})
	}
}

// What does not end when it is asked to is killed by a second signal.
func TestStopStubbornClient(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0", "--", "sh", "-c",
		`trap "" TERM INT; sh -c 'echo ready; sleep 1000; sleep 1000'; sleep 1000`)
	p.wait("ready")
	p.signal(syscall.SIGTERM)
	p.wait("waiting for the client to exit; press Ctrl-C again to stop at once")
	p.signal(syscall.SIGINT)
	p.exit(130)
}

// A client that ended by itself leaves what it started alone, and its status is the recorder's.
func TestClientLeavesChildren(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	left := b.fifo("left")
	p := b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0", "--", "sh", "-c",
		`{ read line <left; echo "still here"; } & exit 3`)
	<-p.over
	left.write()
	p.exit(3)
	p.says(1, "still here")
}

// A replay that is interrupted says how much of it is stored.
func TestStopReplay(t *testing.T) {
	b := newBench(t)
	var hang atomic.Bool
	asked := make(chan struct{}, 16)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hang.Load() && r.URL.Path == "/3" {
			asked <- struct{}{}
			<-r.Context().Done()
		}
		_, _ = io.WriteString(w, "done")
	}))
	defer api.Close()
	p := b.run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	url := p.url()
	for i := range 5 {
		get(t, url, fmt.Sprintf("/%d", i))
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)

	hang.Store(true)
	p = b.run(nil, "replay", "--runs", "2")
	<-asked
	dry := b.run(nil, "replay", "--dry-run")
	dry.exit(0)
	dry.says(1, `has been replaying since`)
	p.signal(syscall.SIGINT)
	p.exit(1)
	p.says(1, `(?m)^flaketap: interrupted: 3 of 5 steps of run 1 of \d were stored; --resume`)
	p.says(0, `canceled`)
	s, err := store.OpenReadOnly(p.db)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := s.Runs()
	if err = errors.Join(err, s.Close()); err != nil || len(runs) != 1 || runs[0].Steps != 3 || !runs[0].Ended.IsZero() {
		t.Errorf("the runs are %+v, %v", runs, err)
	}

	hang.Store(false)
	p = b.run(nil, "replay", "--resume")
	p.exit(1)
	p.says(1, `the interrupted replay had 2 runs, but these flags plan 1`)
	p = b.run(nil, "replay", "--runs", "2", "--resume")
	p.exit(0)
	p.says(1, `run 1 of 2: resuming after 3 steps`)
	p.says(2, `run \d of 2: 5 sent, 5 answered with the recorded status`)
	if s, err = store.OpenReadOnly(p.db); err != nil {
		t.Fatal(err)
	}
	runs, err = s.Runs()
	if err = errors.Join(err, s.Close()); err != nil || len(runs) != 2 || runs[0].Steps != 5 || runs[0].Ended.IsZero() || runs[1].Steps != 5 {
		t.Errorf("the runs are %+v, %v", runs, err)
	}
	p = b.run(nil, "replay", "--runs", "2", "--resume")
	p.exit(0)
	p.says(1, `nothing to resume`)

	begun := b.fifo("begun")
	p = b.run(nil, "replay", "--reset", "echo >begun; sleep 1000")
	begun.read()
	p.signal(syscall.SIGINT)
	p.exit(1)
	p.says(1, `interrupted: 0 of 5 steps of run 1 of \d were stored`)
	p.says(0, `--resume`) // there is nothing of it to go on with, and what was there before is not of it
}

// TestResumeAdvice ends replays otherwise than by Ctrl-C, and in the wait before a run: how to go on is said wherever
// something can be gone on with.
func TestResumeAdvice(t *testing.T) {
	b := newBench(t)
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	p := b.run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	answer, err := http.Post(p.url(), "text/plain", strings.NewReader("something"))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	p.signal(syscall.SIGTERM)
	p.exit(0)
	p = b.run(nil, "replay")
	p.exit(0)
	p.says(1, `without --reset or --start`)
	p = b.run(nil, "replay", "--resume")
	p.exit(0)
	p.says(1, `nothing to resume`)
	p.says(0, `without --reset or --start`) // no run was played that could have left anything behind

	p = b.run(nil, "replay", "--reset", "false", "--runs", "2")
	p.exit(1)
	p.says(0, `--resume`)
	p = b.run(nil, "replay", "--reset", "test ! -e once && touch once", "--runs", "2")
	p.exit(1)
	p.says(1, `exit status 1; --resume with the same flags continues it`)
	p = b.run(nil, "replay", "--reset", "true", "--runs", "2", "--resume")
	p.exit(0)
	p.says(0, `run 1 of 2`)
	p.says(1, `run 2 of 2: 1 sent`)

	begun := b.fifo("begun")
	p = b.run(nil, "replay", "--perturb", "double,delay=1h", "--reset", "echo >begun")
	begun.read()
	begun.read()
	p.wait(`delay=1h: begins in`)
	p.signal(syscall.SIGINT)
	p.exit(1)
	p.says(1, `interrupted before run 3 of 3, delay=1h began; --resume with the same flags continues it`)
}

// What a replay had stored before it was killed, or before the API died, is not sent again when it is resumed.
func TestResume(t *testing.T) {
	b := newBench(t)
	var dies, hang atomic.Bool
	asked := make(chan struct{}, 16)
	var mu sync.Mutex
	paths := ""
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var api *http.Server
	serve := func(ln net.Listener) {
		api = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			paths += r.URL.Path
			mu.Unlock()
			switch {
			case dies.Load() && r.URL.Path == "/2":
				ln.Close()
				panic(http.ErrAbortHandler)
			case hang.Load() && r.URL.Path == "/3":
				asked <- struct{}{}
				<-r.Context().Done()
			}
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, "done")
		})}
		go api.Serve(ln) //nolint:errcheck // it ends when the listener is closed
	}
	serve(ln)
	defer func() { api.Close() }()
	p := b.run(nil, "record", "--target", "http://"+ln.Addr().String(), "--listen", "127.0.0.1:0")
	url := p.url()
	for i := range 6 {
		get(t, url, fmt.Sprintf("/%d", i))
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)

	dies.Store(true)
	p = b.run(nil, "replay")
	p.exit(1)
	p.says(1, `the API is gone.*\n?.*3 of 6 steps of run 1 of 1 were stored; --resume`)
	dies.Store(false)
	if ln, err = net.Listen("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	serve(ln)
	hang.Store(true)
	p = b.run(nil, "replay", "--resume")
	<-asked
	p.signal(syscall.SIGKILL)
	p.exit(-1)
	hang.Store(false)
	mu.Lock()
	paths = ""
	mu.Unlock()
	p = b.run(nil, "replay", "--resume")
	p.exit(0)
	p.says(1, `run 1 of 1: resuming after 3 steps`)
	mu.Lock()
	defer mu.Unlock()
	if paths != "/3/4/5" {
		t.Errorf("then it sent %s", paths)
	}
}

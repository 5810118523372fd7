//go:build unix

package hub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/collect"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
	"github.com/flaketap/flaketap/store"
)

// roleVariable makes the program of these tests one of the processes that are killed: what it is, as JSON.
const roleVariable = "FLAKETAP_TEST_ROLE"

// up is what such a process says first.
const up = "up"

// role is what a process is and does.
type role struct {
	Node     *cluster.Node `json:",omitempty"`
	Recorder *recorder     `json:",omitempty"`
	Hub      *hubRole      `json:",omitempty"`
	Sender   *sender       `json:",omitempty"`
	Collect  *collects     `json:",omitempty"`
	Judge    *judges       `json:",omitempty"`
}

// TestMain is the tests, or a process of theirs.
func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println(up) // from here on it ends as it should where it is asked to
	switch {
	case err != nil:
	case r.Node != nil:
		err = r.Node.Run(ctx)
	case r.Recorder != nil:
		err = r.Recorder.run(ctx)
	case r.Hub != nil:
		err = r.Hub.run(ctx)
	case r.Sender != nil:
		err = r.Sender.run(ctx)
	case r.Judge != nil:
		err = r.Judge.run(ctx)
	default:
		err = r.Collect.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// recorder records what its seed says, as fast as its pace, and sends it; it goes on where one that was killed ended.
type recorder struct {
	File, Hub, Credential string
	Key                   []byte
	Seed                  uint64
	Pace                  time.Duration
	Linger                time.Duration // as that of package ship
}

func (r *recorder) run(ctx context.Context) error {
	db, err := store.Open(r.File, store.Options{Doing: "recording"})
	if errors.Is(err, fs.ErrNotExist) {
		db, err = store.Create(r.File, store.Options{Doing: "recording"})
	}
	if err != nil {
		return err
	}
	if _, err := db.BeginPass(exchange.Pass{Label: fmt.Sprint("recorder ", r.Seed), Started: time.Now(), Start: exchange.StartUnknown}); err != nil {
		return err
	}
	l, err := hub.Dial(r.Hub, hub.Options{Credential: r.Credential})
	if err != nil {
		return err
	}
	defer l.Close()
	shipper, err := ship.Start(db, l, ship.Options{Key: r.Key, Machine: fmt.Sprint("m", r.Seed), Linger: r.Linger,
		Say: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }})
	if err != nil {
		return err
	}
	rec, err := db.Recording()
	if err != nil {
		return err
	}
	told := uint64(0)
	for n := rec.Count; ctx.Err() == nil; n++ {
		if err := db.Record(r.exchange(n)); err != nil {
			return err
		}
		if sent := shipper.Sent(); sent != told {
			told = sent
			fmt.Println("acknowledged", sent)
		}
		time.Sleep(r.Pace)
	}
	if err := db.EndPass(time.Now()); err != nil {
		return err
	}
	return errors.Join(shipper.Finish(context.Background(), time.Minute), db.Close())
}

// hubRole is flaketap hub.
type hubRole struct{ Dir, Listen string }

func (h *hubRole) run(ctx context.Context) error {
	s, err := server.Start(server.Options{Dir: h.Dir, Listen: h.Listen})
	if err != nil {
		return err
	}
	return s.Run(ctx)
}

// sender is flaketap ship.
type sender struct {
	File, Hub, Credential string
	Key                   []byte
}

func (s *sender) run(ctx context.Context) error {
	db, err := store.OpenReadOnly(s.File)
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := hub.Dial(s.Hub, hub.Options{Credential: s.Credential})
	if err != nil {
		return err
	}
	defer l.Close()
	shipper, err := ship.Start(db, l, ship.Options{Key: s.Key, Ended: true, Machine: "m"})
	if err != nil {
		return err
	}
	err = shipper.Finish(ctx, time.Minute)
	fmt.Println("bytes", shipper.Bytes())
	return err
}

// exchange makes the exchange with a number: some with a body that travels apart, which other recorders have, too.
func (r *recorder) exchange(number uint64) *exchange.Exchange {
	random := rand.New(rand.NewPCG(r.Seed, number))
	body := fmt.Sprintf(`{"recorder":%d,"number":%d,"draw":%d}`, r.Seed, number, random.Uint64())
	if random.IntN(5) == 0 {
		body = strings.Repeat(fmt.Sprint("shared ", random.IntN(50), " "), 5000)
	}
	e := &exchange.Exchange{Conn: 1, Scheme: "http", Addr: "127.0.0.1:80", Target: "default", Start: time.Now(), Latency: time.Millisecond}
	e.Request = exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", number)})
	e.Response = exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body)), Body: []byte(body)})
	return e
}

// collects collects again and again, whatever fails, or once, as a user does.
type collects struct {
	File, Hub, Credential string
	Key                   []byte
	Once                  bool
}

func (c *collects) run(ctx context.Context) error {
	l, err := hub.Dial(c.Hub, hub.Options{Credential: c.Credential})
	if err != nil {
		return err
	}
	defer l.Close()
	if c.Once {
		_, err := collect.Collect(ctx, collect.Options{Hub: l, DB: c.File, Key: c.Key})
		return err
	}
	for ctx.Err() == nil {
		got, err := collect.Collect(ctx, collect.Options{Hub: l, DB: c.File})
		if err == nil {
			err = got.Err()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// process is one that may be killed and started again.
type process struct {
	t     *testing.T
	name  string
	role  role
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended

	mu           sync.Mutex
	acknowledged uint64
	bytes        uint64 // that were sent
	said         []string
}

// start starts it, and returns once it can be asked to end.
func (p *process) start() {
	p.t.Helper()
	text, err := json.Marshal(p.role)
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	errs, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	var read sync.WaitGroup
	each := func(lines *bufio.Scanner, do func(string)) {
		read.Go(func() {
			for lines.Scan() {
				p.mu.Lock()
				do(lines.Text())
				p.mu.Unlock()
			}
		})
	}
	isUp := make(chan struct{})
	each(bufio.NewScanner(out), func(line string) {
		var n uint64
		if line == up {
			close(isUp)
		} else if _, err := fmt.Sscanf(line, "acknowledged %d", &n); err == nil {
			p.acknowledged = max(p.acknowledged, n)
		} else if _, err := fmt.Sscanf(line, "bytes %d", &n); err == nil {
			p.bytes = n
		}
	})
	each(bufio.NewScanner(errs), func(line string) { p.said = append(p.said, line) })
	cmd, ended := p.cmd, make(chan struct{})
	p.ended = ended
	go func() {
		defer close(ended)
		read.Wait()
		p.err = cmd.Wait()
	}()
	select {
	case <-isUp:
	case <-ended:
		p.t.Fatalf("%s does not start: %v", p.name, p.err)
	}
}

// far is how much of a recorder was acknowledged.
func (p *process) far() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acknowledged
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill kills it, at once, unless it has ended.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// end asks it to end, and says how it did.
func (p *process) end() error {
	p.signal(syscall.SIGTERM)
	<-p.ended
	return p.err
}

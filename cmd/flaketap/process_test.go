package main

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// patience is how long a test waits for what must come; it is only ever used up by a failure.
const patience = 2 * time.Minute

// process is a flaketap that runs beside a test.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *transcript // stdout and stderr, or what a terminal shows
	over chan struct{}
	db   string
	// how long it may take to say what is waited for, and to end
	patience time.Duration
}

// transcript is what a process has said so far.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder
	grown chan struct{} // closed when there is more
	ended chan struct{} // closed when no process is left that could say more
}

// newTranscript reads r to its end.
func newTranscript(r io.Reader) *transcript {
	s := &transcript{grown: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			close(s.grown)
			s.grown = make(chan struct{})
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// run runs flaketap without a terminal; how may change the command before it starts.
func (b *bench) run(how func(*exec.Cmd), args ...string) *process {
	b.t.Helper()
	cmd := exec.Command(filepath.Join(b.dir, ".bin", "flaketap"), args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	ownSession(cmd)
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if how != nil {
		how(cmd)
	}
	return b.launch(cmd, r, w)
}

// launch starts cmd, which has w for its output; r is the other end of w.
func (b *bench) launch(cmd *exec.Cmd, r, w *os.File) *process {
	b.t.Helper()
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	w.Close()
	p := &process{t: b.t, cmd: cmd, out: newTranscript(r), over: make(chan struct{}), db: filepath.Join(b.dir, "flaketap.db"),
		patience: cmp.Or(b.patience, patience)}
	go func() {
		defer close(p.over)
		_ = cmd.Wait()
	}()
	b.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.over
		r.Close()
	})
	return p
}

// wait waits until the process has said what pattern matches, and returns the first group of it.
func (p *process) wait(pattern string) string {
	p.t.Helper()
	late, re := time.After(p.patience), regexp.MustCompile(pattern)
	for {
		p.out.mu.Lock()
		text, grown := p.out.text.String(), p.out.grown
		p.out.mu.Unlock()
		if m := re.FindStringSubmatch(text); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-grown:
		case <-p.out.ended:
			if !re.MatchString(p.out.String()) {
				p.t.Fatalf("it ended and never said %s:\n%s", pattern, p.out)
			}
		case <-late:
			p.t.Fatalf("it does not say %s:\n%s", pattern, p.out)
		}
	}
}

// url waits until the recorder listens and returns its URL.
func (p *process) url() string { return "http://" + p.wait(`recording (\S+) ->`) }

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the end of the process, and of all that it started, and holds its status against the wanted one.
func (p *process) exit(want int) {
	p.t.Helper()
	late := time.After(p.patience)
	for _, end := range []chan struct{}{p.over, p.out.ended} {
		select {
		case <-end:
		case <-late:
			p.t.Fatalf("it, or what it started, does not end:\n%s", p.out)
		}
	}
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("exit status %d, want %d:\n%s", got, want, p.out)
	}
}

// says fails the test unless the process has said what pattern matches so often.
func (p *process) says(times int, pattern string) {
	p.t.Helper()
	if n := len(regexp.MustCompile(pattern).FindAllString(p.out.String(), -1)); n != times {
		p.t.Errorf("%s is said %d times, want %d:\n%s", pattern, n, times, p.out)
	}
}

// recorded returns what the recording holds.
func (p *process) recorded() (all []*exchange.Exchange) {
	p.t.Helper()
	s, err := store.OpenReadOnly(p.db)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	for e, err := range s.Exchanges() {
		if err != nil {
			p.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// hangingAPI answers /hang never, and says when it is asked to; everything else it answers at once.
func hangingAPI(t *testing.T) (url string, asked chan struct{}) {
	asked = make(chan struct{}, 16)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hang" {
			_, _ = io.WriteString(w, "done")
			return
		}
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(api.Close)
	return api.URL, asked
}

// ask sends a request over a connection of its own that stays open until the test ends, and reads no answer.
func ask(t *testing.T, url, path string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: api\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

// get asks and reads the answer.
func get(t *testing.T, url, path string) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(ask(t, url, path)), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// fifo is a named pipe, by which a test and a line of shell wait for each other.
type fifo struct {
	t *testing.T
	*os.File
}

// fifo makes a named pipe in the bench's folder.
func (b *bench) fifo(name string) fifo {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := makeFIFO(path); err != nil {
		b.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // both ways: it opens at once
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { f.Close() })
	return fifo{b.t, f}
}

// read waits until something is written.
func (f fifo) read() {
	f.t.Helper()
	_ = f.SetReadDeadline(time.Now().Add(patience))
	if _, err := f.Read(make([]byte, 64)); err != nil {
		f.t.Fatal(err)
	}
}

// write lets a reader go on.
func (f fifo) write() {
	f.t.Helper()
	if _, err := io.WriteString(f, "go\n"); err != nil {
		f.t.Fatal(err)
	}
}

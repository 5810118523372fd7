//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// flood writes size bytes of header lines, many short ones or one long one.
func flood(w io.Writer, size int64, line string) error {
	block := bytes.Repeat([]byte(line), 64<<10/len(line))
	for left := size; left > 0; left -= int64(len(block)) {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "E: e\r\n\r\n")
	return err
}

// skipHead reads a head to its blank line and returns how many bytes it has.
func skipHead(r *bufio.Reader) (n int64, err error) {
	for blank := false; ; {
		line, err := r.ReadSlice('\n')
		n += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			blank = true // this line is not
		case err != nil:
			return n, err
		case !blank && string(line) == "\r\n":
			return n, nil
		default:
			blank = false
		}
	}
}

// TestLargeHeaders sends heads of any size through the recorder, both ways: they pass in full, what the recorder needs
// does not grow with them, and the connection goes on after them.
func TestLargeHeaders(t *testing.T) {
	size := int64(64 << 20)
	if os.Getenv("FLAKETAP_LONG") != "" {
		size = 1 << 30
	}
	for name, line := range map[string]string{"many fields": "A: b\r\n", "one field": "xxxxxxxxxxxxxxxx"} {
		t.Run(name, func(t *testing.T) {
			came := make(chan int64, 2)
			api := rawAPI(t, func(c net.Conn) {
				for r := bufio.NewReader(c); ; {
					n, err := skipHead(r)
					if err != nil {
						return
					}
					came <- n
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ")
					if flood(c, size, line) != nil {
						return
					}
				}
			})
			p := newBench(t).run(nil, "record", "--target", api, "--listen", "127.0.0.1:0")
			addr := p.wait(`recording (\S+) ->`)
			most := p.peak(func() {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				for in := bufio.NewReader(c); len(came) < 2; {
					_, _ = io.WriteString(c, "GET /large HTTP/1.1\r\nHost: x\r\nX: ")
					if err := flood(c, size, line); err != nil {
						t.Error(err)
						return
					}
					if n, err := skipHead(in); err != nil || n < size {
						t.Errorf("an answer of %d bytes, %v", n, err)
						return
					}
				}
			})
			t.Logf("%d KiB of anonymous memory", most)
			if most == 0 || most > mostMemory {
				t.Errorf("the recorder took %d KiB, want %d at most", most, mostMemory)
			}
			if n := <-came; n < size {
				t.Errorf("%d bytes arrived", n)
			}
			all := p.recorded()
			if len(all) != 2 {
				t.Fatalf("%d exchanges are recorded", len(all))
			}
			for _, e := range all {
				if q := e.Request; !q.Malformed || q.Cut+int64(len(q.Head)) < size || q.Target != "/large" {
					t.Errorf("request: malformed %v, %d bytes of head, %d missing", q.Malformed, len(q.Head), q.Cut)
				}
				if a := e.Response; a == nil || !a.Malformed || a.Cut+int64(len(a.Head)) < size || a.Status != 200 {
					t.Errorf("answer %v, fault %v", a != nil, e.Fault)
				}
			}
		})
	}
}

// idleConnections is how many connections the test can hold open: it has one end of each to the recorder, and one of
// each that the recorder has to the API.
func idleConnections(t *testing.T) int {
	t.Helper()
	want := 500
	if os.Getenv("FLAKETAP_LONG") != "" {
		want = 10_000
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if most := int(limit.Cur)/2 - 100; most < want {
		t.Logf("the system allows %d open files: %d connections rather than %d", limit.Cur, most, want)
		want = most
	}
	return want
}

// TestIdleConnections holds many connections open that have asked once and say no more. The recorder goes on for others,
// needs little for each, and stops at once when it is told to.
func TestIdleConnections(t *testing.T) {
	n := idleConnections(t)
	api := okAPI(t)
	p := newBench(t).run(nil, "record", "--target", api, "--listen", "127.0.0.1:0")
	addr := p.wait(`recording (\S+) ->`)
	var told time.Time
	most := p.peak(func() {
		defer func() { told = time.Now() }()
		conns := make([]net.Conn, 0, n)
		for i := range n {
			c, err := net.Dial("tcp", addr)
			if err == nil {
				t.Cleanup(func() { c.Close() })
				conns = append(conns, c)
				err = askOn(c)
			}
			if err != nil {
				t.Errorf("connection %d of %d: %v", i+1, n, err)
				return
			}
		}
		for i := 0; i < n; i += max(1, n/20) { // each is as good as at first
			if err := askOn(conns[i]); err != nil {
				t.Errorf("connection %d of %d, later: %v", i+1, n, err)
			}
		}
	})
	if took := time.Since(told); took > drain {
		t.Errorf("it took %v to stop", took)
	}
	each := 32 // KiB and connection
	t.Logf("%d KiB of anonymous memory for %d connections", most, n)
	if most == 0 || most > mostMemory+each*n {
		t.Errorf("the recorder took %d KiB for %d connections", most, n)
	}
	if got := len(p.recorded()); got < n {
		t.Errorf("%d exchanges are recorded, want %d at least", got, n)
	}
}

// askOn asks over a connection and reads the answer.
func askOn(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	want := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("answered %q", got)
	}
	return nil
}

// okAPI answers whatever it is asked.
func okAPI(t *testing.T) string {
	return rawAPI(t, func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			if _, err := skipHead(r); err != nil {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
}

// TestFewFiles has more clients come than the recorder may have files open for: the API is not blamed for it, some wait
// until others have gone, and all are answered.
func TestFewFiles(t *testing.T) {
	p := newBench(t).run(func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "ulimit -n 100; exec flaketap record --listen 127.0.0.1:0 --target " + okAPI(t)}
	})
	addr := p.wait(`recording (\S+) ->`)
	conns := make([]net.Conn, 120) // the kernel takes as many before they are accepted
	for i := range conns {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		conns[i] = c
	}
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() {
			if err := askOn(c); err != nil {
				t.Error(err)
			}
			c.Close()
		})
	}
	all.Wait()
	p.signal(os.Interrupt)
	p.exit(0)
	got := p.recorded()
	for _, e := range got {
		if e.Fault != nil {
			t.Errorf("fault: %v", e.Fault)
		}
	}
	if len(got) != len(conns) {
		t.Errorf("%d exchanges are recorded", len(got))
	}
}

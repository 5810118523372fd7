//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
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
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/store"
)

// mostMemory is what a recorder may take of anonymous memory, in KiB: what is not mapped from files and cannot be
// dropped when others need it.
const mostMemory = 96 << 10

// memory returns the anonymous memory of a process in KiB.
func memory(pid int) (kib int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	field := regexp.MustCompile(`(?m)^RssAnon:\s+(\d+) kB$`).FindSubmatch(status)
	if field == nil {
		return 0, errors.New("the system does not say how much memory is anonymous")
	}
	return strconv.Atoi(string(field[1]))
}

// peak runs a load, stops the recorder, and returns the most memory that it had all the while.
func (p *process) peak(load func()) (most int) {
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		load()
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-loaded:
			loaded = nil
			p.signal(os.Interrupt)
		case <-p.over:
			p.exit(0)
			return most
		case <-tick.C:
			if kib, err := memory(p.cmd.Process.Pid); err == nil {
				most = max(most, kib)
			}
		}
	}
}

// mostUntilOver waits for the end of a process, and returns the most memory that it had until then.
func (p *process) mostUntilOver() (most int) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.over:
			return most
		case <-tick.C:
			if kib, err := memory(p.cmd.Process.Pid); err == nil {
				most = max(most, kib)
			}
		}
	}
}

// TestMemory has a recorder see many small exchanges, one endless answer, and several large uploads at once.
func TestMemory(t *testing.T) {
	many, stream := 20_000, int64(512<<20)
	if os.Getenv("FLAKETAP_LONG") != "" {
		many, stream = 1_000_000, 4<<30
	}
	answer := bytes.Repeat([]byte(`{"id":12345678,"name":"article","price":19.99},`), 38)[:1750]
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path != "/stream" {
			_, _ = fmt.Fprintf(w, "%s%s", r.URL.Path, answer)
			return
		}
		chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
		for left := stream; left > 0; left -= int64(len(chunk)) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer api.Close()
	for _, c := range []struct {
		name string
		load func(*testing.T, string)
	}{
		{"small", func(t *testing.T, addr string) { sendMany(t, addr, many) }},
		{"stream", func(t *testing.T, addr string) { receive(t, addr, stream) }},
		{"uploads", func(t *testing.T, addr string) { upload(t, addr, 3, 100<<20) }},
		{"slow uploads", func(t *testing.T, addr string) { uploadTogether(t, addr, 80, 500_000) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := b.run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0", "--max-body", "128M")
			addr := p.wait(`recording (\S+) ->`)
			most := p.peak(func() { c.load(t, addr) })
			info, err := os.Stat(p.db)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d KiB of anonymous memory; the file has %d bytes", most, info.Size())
			if most == 0 || most > mostMemory {
				t.Errorf("the recorder took %d KiB, want %d at most", most, mostMemory)
			}
			s, err := store.OpenReadOnly(p.db)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if rec, err := s.Recording(); err != nil || rec.Count == 0 {
				t.Errorf("%d exchanges are stored, %v", rec.Count, err)
			}
		})
	}
}

// sendMany sends n requests over some connections.
func sendMany(t *testing.T, addr string, n int) {
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := range n / 16 {
				resp, err := client.Get(fmt.Sprintf("http://%s/items/%d?page=1", addr, i))
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func receive(t *testing.T, addr string, want int64) {
	resp, err := http.Get("http://" + addr + "/stream")
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != want {
		t.Errorf("%d bytes came of %d: %v", n, want, err)
	}
}

// upload sends several bodies at once, each with content of its own.
func upload(t *testing.T, addr string, clients int, size int64) {
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			body := io.LimitReader(&counting{next: uint64(i) << 40}, size)
			req, err := http.NewRequest("POST", "http://"+addr+"/upload", body)
			if err != nil {
				t.Error(err)
				return
			}
			req.ContentLength = size
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
		})
	}
	wg.Wait()
}

// counting reads numbers without end.
type counting struct{ next uint64 }

func (c *counting) Read(b []byte) (int, error) {
	n := 0
	for ; n+20 <= len(b); c.next++ {
		n += copy(b[n:], strconv.FormatUint(c.next*0x9E3779B97F4A7C15, 36))
	}
	if n == 0 {
		n = copy(b, "filling the small rest")
	}
	return n, nil
}

// uploadTogether has many bodies under way at the same time: each client sends all but the last byte of its body, and
// that one only when all have got there.
func uploadTogether(t *testing.T, addr string, clients, size int) {
	var there, wg sync.WaitGroup
	there.Add(clients)
	for i := range clients {
		wg.Go(func() {
			body := make([]byte, size)
			_, _ = io.ReadFull(&counting{next: uint64(i) << 40}, body)
			conn, err := net.Dial("tcp", addr)
			if err == nil {
				defer conn.Close()
				_, err = fmt.Fprintf(conn, "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, body[:size-1])
			}
			there.Done()
			there.Wait()
			if err == nil {
				_, err = conn.Write(body[size-1:])
			}
			if err == nil {
				_, err = http.ReadResponse(bufio.NewReader(conn), nil)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// An export takes no more memory for a large recording.
func TestExportMemory(t *testing.T) {
	exchanges := 4_000
	if os.Getenv("FLAKETAP_LONG") != "" {
		exchanges = 50_000
	}
	b := newBench(t)
	largeRecording(t, filepath.Join(b.dir, "flaketap.db"), exchanges, 10_000)
	for _, out := range []string{"a.har", "a.har.gz"} {
		p := b.run(nil, "export", "--out", out)
		most := 0
		tick := time.NewTicker(5 * time.Millisecond)
		for over := false; !over; {
			select {
			case <-p.over:
				over = true
			case <-tick.C:
				if kib, err := memory(p.cmd.Process.Pid); err == nil {
					most = max(most, kib)
				}
			}
		}
		tick.Stop()
		p.exit(0)
		info, err := os.Stat(filepath.Join(b.dir, out))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d MB written, %d KiB of anonymous memory", out, info.Size()/1e6, most)
		if most == 0 || most > mostMemory {
			t.Errorf("%s: the export took %d KiB, want %d at most", out, most, mostMemory)
		}
	}
}

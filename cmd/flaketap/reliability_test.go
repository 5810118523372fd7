package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// rawAPI serves each connection with handle until the test ends, and returns its URL.
func rawAPI(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		all.Wait()
	})
	return "http://" + ln.Addr().String()
}

// slowly writes a text byte by byte, each after the one before has been read at the other end of the way.
func slowly(w io.Writer, text string, read func() error) error {
	for i := range len(text) {
		if _, err := io.WriteString(w, text[i:i+1]); err != nil {
			return err
		}
		if err := read(); err != nil {
			return fmt.Errorf("byte %d of %d: %w", i+1, len(text), err)
		}
	}
	return nil
}

// TestSlowSenders has clients and an API send byte by byte: each byte passes when it comes, none waits for a message to
// be whole, and nobody else waits meanwhile.
func TestSlowSenders(t *testing.T) {
	const request, answer = "GET /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz"
	const known = len("GET /") // so much tells what the client takes its peer for, and is waited for
	n := 20
	if os.Getenv("FLAKETAP_LONG") != "" {
		n = 1000
	}
	upstream := make(chan net.Conn, n+1)
	p := newBench(t).run(nil, "record", "--target", rawAPI(t, func(c net.Conn) {
		closed := make(chan struct{})
		upstream <- closing{c, closed}
		<-closed
	}), "--listen", "127.0.0.1:0")
	addr := p.wait(`recording (\S+) ->`)
	one := make([]byte, 1)
	var clients, apis []net.Conn
	for i := range n {
		c, api := connectSlow(t, addr, request[:known], upstream)
		clients, apis = append(clients, c), append(apis, api)
		next := func() error { _, err := io.ReadFull(api, one); return err }
		if err := slowly(c, request[known:len(request)-1], next); err != nil {
			t.Fatalf("request of client %d: %v", i, err)
		}
	}
	// One client and the API are quick, while all others have half a request under way.
	c, api := connectSlow(t, addr, request[:known], upstream)
	_, _ = io.WriteString(c, request[known:])
	_, _ = io.WriteString(api, answer)
	if got, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || got.StatusCode != 200 {
		t.Fatalf("the quick one: %v", err)
	}
	for i, c := range clients {
		_, _ = io.WriteString(c, request[len(request)-1:])
		next := func() error { _, err := io.ReadFull(c, one); return err }
		if err := slowly(apis[i], answer, next); err != nil {
			t.Fatalf("answer to client %d: %v", i, err)
		}
	}
	for _, api := range append(apis, api) {
		api.Close()
	}
	p.signal(os.Interrupt)
	p.exit(0)
	all := p.recorded()
	if len(all) != n+1 {
		t.Errorf("%d exchanges are recorded", len(all))
	}
	for _, e := range all {
		if e.Response == nil || string(e.Request.Head)+string(e.Request.Body) != request || string(e.Response.Head)+string(e.Response.Body) != answer {
			t.Errorf("recorded: %q, answer %v, fault %v", e.Request.Head, e.Response, e.Fault)
		}
	}
}

// closing is a connection that tells when it is closed on this side.
type closing struct {
	net.Conn
	closed chan struct{}
}

func (c closing) Close() error {
	close(c.closed)
	return c.Conn.Close()
}

// connectSlow sends the first bytes of a request and returns both ends: that of the client, and that of the API, which has
// read them.
func connectSlow(t *testing.T, addr, first string, upstream chan net.Conn) (client, api net.Conn) {
	t.Helper()
	client, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	_, _ = io.WriteString(client, first)
	select {
	case api = <-upstream:
	case <-time.After(patience):
		t.Fatal("the API was not connected to")
	}
	for _, c := range []net.Conn{client, api} {
		_ = c.SetDeadline(time.Now().Add(patience))
	}
	if _, err := io.ReadFull(api, make([]byte, len(first))); err != nil {
		t.Fatal(err)
	}
	return client, api
}

// TestHangingAPI has an API not answer some of its clients: the others are answered, one that gives up is felt by the API
// at once, and the rest are faults when the recorder stops.
func TestHangingAPI(t *testing.T) {
	const n = 20
	gone := make(chan struct{}, n)
	asked := make(chan struct{}, n)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hang" {
			_, _ = io.WriteString(w, "done")
			return
		}
		asked <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
		panic(http.ErrAbortHandler) // no answer after all
	}))
	defer api.Close()
	p := newBench(t).run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	var hanging []net.Conn
	for range n {
		hanging = append(hanging, ask(t, p.url(), "/hang"))
		<-asked
	}
	get(t, p.url(), "/a")
	hanging[0].Close()
	select {
	case <-gone:
	case <-time.After(patience):
		t.Fatal("the API does not feel that its client gave up")
	}
	p.signal(syscall.SIGTERM)
	p.wait(`waiting for \d+ exchanges in progress`) // the one that was given up may not have been put down yet
	p.exit(0)
	all := p.recorded()
	if len(all) != n+1 || all[0].Response == nil {
		t.Fatalf("%d exchanges are recorded", len(all))
	}
	for _, e := range all[1:] {
		if e.Fault == nil || e.Fault.Kind != exchange.FaultClient {
			t.Errorf("answer %v, fault %v", e.Response, e.Fault)
		}
	}
}

// TestDeepJSON takes bodies that are nested deeper than anything should look into through all commands.
func TestDeepJSON(t *testing.T) {
	const deep = 100_000
	bodies := map[string]string{
		"/arrays":     strings.Repeat("[", deep) + "%d" + strings.Repeat("]", deep),
		"/objects":    strings.Repeat(`{"a":`, deep) + "%d" + strings.Repeat("}", deep),
		"/both":       strings.Repeat(`[{"id":7,"a":`, deep/2) + "%d" + strings.Repeat("}]", deep/2),
		"/unfinished": strings.Repeat("[", deep) + "%d",
		"/string":     `{"id":7,"token":"` + strings.Repeat(`[`, deep) + `","n":%d}`,
	}
	asked := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked++ // one client asks one thing after the other
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, bodies[r.URL.Path], asked)
	}))
	defer api.Close()
	b := newBench(t)
	p := b.run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	for path, body := range bodies {
		resp, err := http.Post(p.url()+path, "application/json", strings.NewReader(fmt.Sprintf(body, 1)))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	p.signal(os.Interrupt)
	p.exit(0)
	for _, line := range []string{
		"flaketap replay --runs 2", "flaketap map --out map.json", "flaketap suite --format pytest --out suite",
		"flaketap report --out report.html", "flaketap report --format text", "flaketap inspect", "flaketap inspect exchanges",
		"flaketap inspect exchange 1", "flaketap inspect exchange 1 --format json", "flaketap inspect bindings", "flaketap inspect sequences",
		"flaketap inspect why 'POST /arrays'", "flaketap export --format har --out out.har", "flaketap import --db again.db out.har",
	} {
		began := time.Now()
		out, status := b.sh(line)
		t.Logf("%s: %v", line, time.Since(began))
		if took := time.Since(began); status != 0 || strings.Contains(out, "goroutine ") || took > patience {
			t.Errorf("%s: exit status %d after %v\n%.2000s", line, status, took, out)
		}
	}
}

// TestReadOnly records into a folder, and adds to a recording, that cannot be written to: this is told before anything
// passes, and what only reads goes on to work.
func TestReadOnly(t *testing.T) {
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	b := newBench(t)
	owner := ordinary(b)
	run := func(status int, args ...string) *process {
		t.Helper()
		p := b.run(owner, args...)
		p.exit(status)
		return p
	}
	p := b.run(owner, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	get(t, p.url(), "/a")
	p.signal(os.Interrupt)
	p.exit(0)
	run(1, "record", "--target", api.URL, "--listen", "127.0.0.1:0").says(1, `flaketap\.db already exists`)
	for path, mode := range map[string]os.FileMode{"flaketap.db": 0o444, ".": 0o555} {
		if err := os.Chmod(filepath.Join(b.dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(b.dir, 0o755) })
	for _, args := range [][]string{
		{"record", "--target", api.URL, "--listen", "127.0.0.1:0", "--append"},
		{"record", "--target", api.URL, "--listen", "127.0.0.1:0", "--db", "new.db"},
		{"replay"},
		{"map", "--out", "map.json"},
	} {
		p := run(1, args...)
		p.says(1, `permission denied`)
		p.says(1, `check the owner and permissions of the file and its folder`)
		p.says(0, `recording 127`)
	}
	for _, args := range [][]string{
		{"suite", "--format", "pytest", "--out", "new"},
		{"suite", "--format", "pytest", "--out", "new", "--force"},
		{"export", "--format", "bruno", "--out", "new"},
		{"mock", "search", "--request", "GET /a", "--start", "exit 1 # {port}", "--out", "new"},
	} {
		run(1, args...).says(1, `(?m)^flaketap: make folder new in folder \.: permission denied; check the owner and permissions`)
	}
	for _, args := range [][]string{{"inspect"}, {"map"}, {"report", "--format", "text"}} {
		run(0, args...).says(0, `denied`)
	}
	if n := len(p.recorded()); n != 1 {
		t.Errorf("%d exchanges are recorded", n)
	}
}

// ordinary returns what makes a command one of a user whom the modes of files bind: this one, or nobody where this is
// root. The bench's folder is theirs.
func ordinary(b *bench) func(*exec.Cmd) {
	b.t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	const nobody = 65534
	content, err := os.ReadFile(program(b.t)) // where it is, nobody can read it
	if err == nil {
		err = writeProgram(filepath.Join(b.dir, "tool"), content)
	}
	for _, err := range []error{err, os.Chmod(filepath.Dir(b.dir), 0o755), os.Chown(b.dir, nobody, nobody)} {
		if err != nil {
			b.t.Fatal(err)
		}
	}
	counts := b.t.TempDir() // of a program that counts statements, which this user may not write where the others do
	if err := os.Chmod(counts, 0o777); err != nil {
		b.t.Fatal(err)
	}
	return func(cmd *exec.Cmd) {
		cmd.Path, cmd.Env = filepath.Join(b.dir, "tool"), append(cmd.Env, "GOCOVERDIR="+counts)
		runAs(cmd, nobody)
	}
}

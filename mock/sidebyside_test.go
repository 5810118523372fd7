package mock

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/tcp"
)

// pipes is a listener in memory.
type pipes struct{ *tcp.Handed }

func (p pipes) dial() *pipeClient {
	client, server := net.Pipe()
	p.Give(server)
	return &pipeClient{Conn: client, r: bufio.NewReader(client)}
}

// pipeClient asks one thing after the other over one connection.
type pipeClient struct {
	net.Conn
	r *bufio.Reader
}

func (c *pipeClient) get(t *testing.T, target string) {
	t.Helper()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: rates.example.com\r\n\r\n", target)
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
}

// shaking is a connection on which the second flight of a handshake takes a while.
type shaking struct {
	net.Conn
	flights int
}

func (s *shaking) Write(p []byte) (int, error) {
	if s.flights++; s.flights == 2 {
		time.Sleep(30 * time.Millisecond)
	}
	return s.Conn.Write(p)
}

// dialSlowly is a client whose handshake of TLS takes longer than an answer.
func (p pipes) dialSlowly() *pipeClient {
	client, server := net.Pipe()
	p.Give(server)
	secure := tls.Client(&shaking{Conn: client}, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}})
	return &pipeClient{Conn: secure, r: bufio.NewReader(secure)}
}

// Calls that are made side by side are known as such, though the second comes when the first could have been answered;
// those of which one is made after the other's answer keep their order.
func TestSideBySide(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := pipes{tcp.NewHanded(&net.TCPAddr{})}
		s := &Server{Book: NewBook(nil), Calls: &Calls{}, Journal: &Journal{Hold: 20 * time.Millisecond}, Leaves: ca}
		served := make(chan error)
		go func() { served <- s.Serve("rates.example.com", 80, l) }()
		asked := func(want string) {
			t.Helper()
			var got []string
			for _, a := range s.Journal.List() {
				got = append(got, a.Target)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("asked %q, want %q", got, want)
			}
			s.Journal.Clear()
		}
		shaking, quick := l.dialSlowly(), l.dial()
		both := make(chan struct{})
		go func() { shaking.get(t, "/a"); both <- struct{}{} }()
		synctest.Wait()
		quick.get(t, "/z")
		<-both
		asked("/a /z")

		slow := l.dial() // it is connected, and asks nothing yet
		synctest.Wait()
		quick.get(t, "/z")
		slow.get(t, "/a")
		asked("/z /a")

		quick.get(t, "/z")
		slow.get(t, "/a")
		quick.get(t, "/b")
		asked("/z /a /b")

		go func() { quick.get(t, "/z"); both <- struct{}{} }()
		time.Sleep(15 * time.Millisecond)
		slow.get(t, "/a")
		<-both
		asked("/a /z")

		shaking.Close()
		slow.Close()
		quick.Close()
		l.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

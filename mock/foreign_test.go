package mock

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/google/go-cmp/cmp"
)

// A client of another protocol is refused at once, and one that waits for the service to begin soon; both are counted
// and recorded. Who speaks HTTP is answered beside them.
func TestForeigners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipes{tcp.NewHanded(&net.TCPAddr{})}
		recorded := make(chan *exchange.External, 10)
		told := 0
		s := &Server{Book: NewBook(nil), Calls: &Calls{}, Foreigners: &Foreigners{},
			Recorder: &Recorder{MaxBody: 1 << 10, Record: func(x *exchange.External) {
				if x.Scheme == "tcp" {
					if synctest.Wait(); told != len(recorded) {
						t.Error("the client is told before it is recorded")
					}
				}
				recorded <- x
			}}}
		served := make(chan error)
		go func() { served <- s.Serve("db.example.com", 5432, l) }()
		began := time.Now()
		ended := func(first string) time.Duration {
			t.Helper()
			c := l.dial()
			defer c.Close()
			if first != "" {
				if _, err := io.WriteString(c, first); err != nil {
					t.Error(err)
				}
			}
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Errorf("%q is answered", first)
			}
			told++
			return time.Since(began)
		}
		if took := ended("\x00\x00\x00\x08\x04\xd2\x16\x2f"); took > 0 { // PostgreSQL asks for TLS so
			t.Errorf("it hung for %s", took)
		}
		if took := ended(""); took != speechless {
			t.Errorf("it hung for %s", took)
		}
		c := l.dial()
		c.get(t, "/")
		c.Close()
		synctest.Wait()
		if diff := cmp.Diff(map[string]Foreign{"db.example.com:5432": {Spoke: 1, Silent: 1}}, s.Foreigners.List()); diff != "" {
			t.Error(diff)
		}
		var got []string
		close(recorded)
		for x := range recorded {
			got = append(got, x.Scheme+" "+x.Addr+" "+x.Request.Method)
		}
		if diff := cmp.Diff([]string{"tcp db.example.com:5432 ", "tcp db.example.com:5432 ", "http db.example.com:5432 GET"}, got); diff != "" {
			t.Error(diff)
		}
		l.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// With its listener a service ends the connections on which nothing was asked yet, silent ones and those that shake
// hands; that is the doing of no client, and nothing is counted of it, nor later.
func TestEndWhileNothingIsAsked(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	s := &Server{Book: NewBook(nil), Leaves: ca, Calls: &Calls{}, Foreigners: &Foreigners{}, Distrusts: &Distrusts{},
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	served := make(chan error)
	go func() { served <- s.Serve("rates.example.com", 443, l) }()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	silent, shaking := dial(), dial()
	shown, look, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- tls.Client(shaking, &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(tls.ConnectionState) error {
			close(shown)
			<-look
			return errors.New("another certificate is pinned")
		}}).Handshake()
	}()
	<-shown // so that both are accepted
	l.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("it is answered")
	}
	close(look)
	if err := <-ended; err == nil {
		t.Error("the handshake goes on")
	}
	if len(s.Foreigners.List()) > 0 || len(s.Distrusts.List()) > 0 {
		t.Errorf("%v, %v", s.Foreigners.List(), s.Distrusts.List())
	}
	if !strings.Contains(log.String(), "a TLS handshake failed") {
		t.Errorf("the log has\n%s", &log)
	}
}

// What a connection begins with says whether it may be of HTTP.
func TestMayBeHTTP(t *testing.T) {
	for first, want := range map[string]bool{"GET / HTTP/1.1": true, "PRI * HTTP/2.0": true, "P": true, "VERSION-CONTROL /": true,
		"PING\r\n": false, "*1\r\n$4\r\n": false, "AMQP\x00\x00\x09\x01": false, "\x10\x0c\x00\x04MQTT": false, " /": false, "aaaaaaaaaaaaaaaaaaaaaaaa": false} {
		if got := mayBeHTTP([]byte(first)); got != want {
			t.Errorf("%q: %t", first, got)
		}
	}
}

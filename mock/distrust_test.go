package mock

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a client does that does not take a certificate is told by how it does so; who takes it, asks late, or was to see
// a bad one, is not told.
func TestDistrusts(t *testing.T) {
	s := &Server{}
	at, roots := listen(t, s, "rates.example.com", `{"mappings": []}`)
	bad, _ := listen(t, &Server{Distrusts: s.Distrusts}, "bad.example.com", `{"mappings": [{"response": {"fault": "UNTRUSTED_CERTIFICATE"}}]}`)
	if c, err := tls.Dial("tcp", bad, &tls.Config{ServerName: "bad.example.com", RootCAs: roots}); err == nil {
		c.Close()
		t.Error("nobody is to trust it")
	}
	shake := func(config *tls.Config, then func(*tls.Conn)) {
		t.Helper()
		raw, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		config.ServerName = "rates.example.com"
		c := tls.Client(raw, config)
		if c.Handshake() == nil && then != nil {
			then(c)
		}
		_ = c.Close()
	}
	pin := func(tls.ConnectionState) error { return errors.New("another certificate is pinned") }
	shake(&tls.Config{}, nil)
	shake(&tls.Config{MaxVersion: tls.VersionTLS12}, nil)
	shake(&tls.Config{RootCAs: roots, VerifyConnection: pin}, nil)
	shake(&tls.Config{RootCAs: roots}, nil) // it looks at the certificate behind the handshake
	raw, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	mute := &tls.Config{RootCAs: roots, ServerName: "rates.example.com", VerifyConnection: func(tls.ConnectionState) error { return raw.Close() }}
	_ = tls.Client(raw, mute).Handshake()
	shake(&tls.Config{RootCAs: roots}, func(c *tls.Conn) {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: rates.example.com\r\nConnection: close\r\n\r\n")
		_, _ = io.ReadAll(c)
	})
	want := []Distrust{{"rates.example.com:443", "bad certificate", false, 3}, {"rates.example.com:443", "", true, 1}, {"rates.example.com:443", "", false, 1}}
	count := func() (n int) {
		for _, d := range s.Distrusts.List() {
			n += d.Times
		}
		return n
	}
	for deadline := time.Now().Add(time.Minute); count() < 5 && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	got := s.Distrusts.List()
	if len(got) == len(want) && got[1].Shaken == want[2].Shaken { // they end side by side
		got[1], got[2] = got[2], got[1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What clients of other libraries say is told by its name.
func TestAlerts(t *testing.T) {
	for alert, want := range map[int]string{42: "bad certificate", 46: "unknown certificate", 48: UnknownAuthority} {
		of := func(op string) string { return alertOf(&net.OpError{Op: op, Err: tls.AlertError(alert)}, nil) }
		if got := of("remote error"); got != want || of("local error") != "" {
			t.Errorf("%d: %q", alert, got)
		}
		c := trial{} // by OpenSSL, behind something else, in two parts
		c.read([]byte{1, 2, 3, 4, 5, 6, 7, 8, 21, 3})
		c.read([]byte{3, 0, 2, 2, byte(alert)})
		if got := alertOf(io.EOF, c.last); got != want || alertOf(io.EOF, nil) != "" || alertOf(io.EOF, c.last[1:]) != "" {
			t.Errorf("%d in the clear: %q", alert, got)
		}
	}
}

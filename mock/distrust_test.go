package mock

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
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

// A process that ends distrusts nobody: what ends without a word within a second of its end is not counted, and all else
// is.
func TestDistrustsOfTheDead(t *testing.T) {
	mute, said := Distrust{Service: "a.example:443", Shaken: true, Times: 1}, Distrust{Service: "a.example:443", Alert: "bad certificate", Times: 1}
	start := time.Now()
	for name, test := range map[string]struct {
		ends []time.Duration // of processes
		want []Distrust
	}{
		"nobody ends":             {nil, []Distrust{said, mute}},
		"it ends at once":         {[]time.Duration{time.Millisecond}, []Distrust{said}},
		"it was known to end":     {[]time.Duration{-time.Millisecond}, []Distrust{said}},
		"it lives a second":       {[]time.Duration{atOnce}, []Distrust{said, mute}},
		"it ended long before":    {[]time.Duration{-atOnce}, []Distrust{said, mute}},
		"others end, and another": {[]time.Duration{-2 * atOnce, 2 * atOnce, 3 * atOnce}, []Distrust{said, mute}},
	} {
		d := &Distrusts{}
		d.Add(said)
		counted := false
		for _, at := range append(test.ends, 100*atOnce) {
			if at > 0 && !counted {
				d.cutOff(mute, start)
				counted = true
			}
			if at < 100*atOnce {
				d.end(start.Add(at))
			}
		}
		if diff := cmp.Diff(test.want, d.List()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A client that parts says so, in each version of TLS; a process that is killed does not.
func TestParted(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := ca.Leaf("rates.example.com")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM())
	suites := []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
		tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256}
	for i, version := range []uint16{tls.VersionTLS13, tls.VersionTLS12, tls.VersionTLS12} {
		for _, killed := range []bool{false, true} {
			theirs, ours := net.Pipe()
			go func() {
				c := tls.Client(theirs, &tls.Config{ServerName: "rates.example.com", RootCAs: roots, MaxVersion: version,
					CipherSuites: []uint16{suites[i%2], suites[2+i%2]}})
				if err := c.Handshake(); err != nil {
					t.Error(err)
				}
				if !killed {
					_ = c.Close()
				}
				_ = theirs.Close()
			}()
			b := &begun{Conn: ours}
			_, _ = io.ReadAll(tls.Server(b, &tls.Config{Certificates: []tls.Certificate{*leaf}}))
			if b.trial.parted() == killed {
				t.Errorf("%s, killed %v: %v", tls.VersionName(version), killed, b.trial.last)
			}
			_ = ours.Close()
		}
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
		if got := alertOf(io.EOF, c.last); got != want || alertOf(io.EOF, nil) != "" || alertOf(io.EOF, c.last[:len(c.last)-1]) != "" {
			t.Errorf("%d in the clear: %q", alert, got)
		}
	}
}

package certs_test

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
	"software.sslmate.com/src/go-pkcs12"
)

func authority(t *testing.T) *certs.Authority {
	t.Helper()
	a, err := certs.LoadOrCreate(filepath.Join(t.TempDir(), "ca"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCreatedOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "ca")
	first, err := certs.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := certs.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.PEM()) != string(second.PEM()) {
		t.Error("the authority was made anew")
	}
	for name, want := range map[string]os.FileMode{"ca.pem": 0o644, "ca-key.pem": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("directory holds %v (%v), want the two files alone", entries, err)
	}
	if _, ok := first.TLSCertificate().PrivateKey.(*ecdsa.PrivateKey); !ok {
		t.Error("the CA's key is not ECDSA")
	}
	if other := authority(t); string(other.PEM()) == string(first.PEM()) {
		t.Error("two installations have the same authority")
	}
}

func TestCreatedByManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	const many = 16
	pems := make([]string, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			a, err := certs.LoadOrCreate(dir)
			if err != nil {
				t.Error(err)
				return
			}
			pems[i] = string(a.PEM())
		})
	}
	wg.Wait()
	for _, p := range pems {
		if p != pems[0] {
			t.Fatal("two starts at once came to different authorities")
		}
	}
}

// A process that is killed between key and certificate leaves the key alone behind.
func TestCompletedAfterKill(t *testing.T) {
	dir := t.TempDir()
	if _, err := certs.LoadOrCreate(dir); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(dir, "ca-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "ca.pem")); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.LoadOrCreate(dir); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(filepath.Join(dir, "ca-key.pem")); string(again) != string(key) {
		t.Error("the key was replaced")
	}
}

func TestKeyIsMadePrivateAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ca-key.pem")
	if _, err := certs.LoadOrCreate(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.LoadOrCreate(dir); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %o", info.Mode().Perm())
	}
}

func TestBadFilesAreNamed(t *testing.T) {
	other := authority(t)
	tests := []struct{ name, file, content string }{
		{"empty key", "ca-key.pem", ""},
		{"no PEM", "ca.pem", "hello"},
		{"broken DER", "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}))},
		{"broken key", "ca-key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))},
		{"certificate of another key", "ca.pem", string(other.PEM())},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := certs.LoadOrCreate(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := certs.LoadOrCreate(dir)
			if err == nil || !strings.Contains(err.Error(), tt.file) {
				t.Errorf("error %v does not name %s", err, tt.file)
			}
		})
	}
}

func TestLeafVerifies(t *testing.T) {
	a := authority(t)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(a.PEM()) {
		t.Fatal("no certificate in PEM")
	}
	long := strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + ".example"
	tests := []struct{ host, verify string }{
		{"api.example.com", "api.example.com"},
		{"API.Example.com.", "api.example.com"},
		{"under_score.example", "under_score.example"},
		{"localhost", "localhost"},
		{"127.0.0.1", "127.0.0.1"},
		{"::1", "::1"},
		{"[::1]", "::1"},
		{"::ffff:10.0.0.1", "10.0.0.1"},
		{"fe80::1%eth0", "fe80::1"},
		{long, long},
	}
	for _, tt := range tests {
		cert, err := a.Leaf(tt.host)
		if err != nil {
			t.Errorf("%s: %v", tt.host, err)
			continue
		}
		for _, at := range []time.Time{time.Now(), time.Now().Add(-12 * time.Hour)} {
			if _, err := cert.Leaf.Verify(x509.VerifyOptions{DNSName: tt.verify, Roots: roots, CurrentTime: at}); err != nil {
				t.Errorf("%s: %v", tt.host, err)
			}
		}
	}
	for _, host := range []string{"", ".", "a b", "x\r\ny", "ü.example", "a/b", strings.Repeat("a.", 130)} {
		if cert, err := a.Leaf(host); err == nil {
			t.Errorf("%q has a certificate: %v", host, cert.Leaf.DNSNames)
		}
	}
}

func TestLeafIsMintedOnce(t *testing.T) {
	a := authority(t)
	const many = 32
	got := make([]*tls.Certificate, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() { got[i], _ = a.Leaf("one.example") })
	}
	wg.Wait()
	for _, c := range got {
		if c == nil || c != got[0] {
			t.Fatal("one host has several certificates")
		}
	}
}

func TestLeafSpeaksTLS(t *testing.T) {
	a := authority(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hi") }))
	leaf, err := a.Leaf("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{*leaf}}
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	u, _ := url.Parse(srv.URL)
	resp, err := client.Get("https://" + net.JoinHostPort("127.0.0.1", u.Port()))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "hi" {
		t.Errorf("got %q", body)
	}
}

func TestBundleHoldsRootsAndCA(t *testing.T) {
	system := authority(t) // stands for the roots of the system
	t.Setenv("SSL_CERT_FILE", system.CertFile())
	a := authority(t)
	path, err := a.WriteBundle()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := string(system.PEM()) + string(a.PEM()); string(raw) != want {
		t.Errorf("bundle is\n%s\nwant\n%s", raw, want)
	}
}

func TestTrustStoreHoldsRootsAndCA(t *testing.T) {
	system := authority(t)
	t.Setenv("SSL_CERT_FILE", system.CertFile())
	a := authority(t)
	path, password, err := a.WriteTrustStore()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pkcs12.DecodeTrustStore(raw, password)
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, c := range list {
		got = append(got, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	if want := string(a.PEM()) + string(system.PEM()); string(got) != want {
		t.Errorf("trust store holds %d certificates, not the two expected", len(list))
	}
}

func BenchmarkLeaf(b *testing.B) {
	a, err := certs.LoadOrCreate(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := a.Leaf(fmt.Sprintf("h%d.example", i)); err != nil {
			b.Fatal(err)
		}
	}
}

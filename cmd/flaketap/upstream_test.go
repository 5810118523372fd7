package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An API with a certificate of a private authority, which wants to see one of its clients', is recorded both ways and
// replayed to, and not without either of the two.
func TestUpstreamTLS(t *testing.T) {
	b := newBench(t)
	cert, key := b.clientCert()
	api := b.strictAPI(cert)
	use := func(flags string) string {
		line := "rm -f flaketap.db; flaketap record " + flags + " --listen 127.0.0.1:0 -- sh -c 'curl -s "
		reverse, _ := b.sh("exec 2>&1; "+strings.Replace(line, " -- ", " --target $API -- ", 1)+"$FLAKETAP_URL/'", "API="+api)
		forward, _ := b.sh("exec 2>&1; "+line+"$API/'", "API="+api)
		if strings.Contains(reverse, "hello flaketap") != strings.Contains(forward, "hello flaketap") {
			t.Errorf("with %s the ways differ:\n%s\n%s", flags, reverse, forward)
		}
		return reverse
	}
	all := "--upstream-ca ca.pem --client-cert client.pem --client-key key.pem"
	b.write("both.pem", append(pemOf("CERTIFICATE", cert), key...))
	for flags, works := range map[string]bool{
		all: true,
		"--insecure-upstream --client-cert both.pem":                   true,
		"--upstream-ca ca.pem":                                         false,
		"--client-cert client.pem --client-key key.pem":                false,
		"--upstream-ca other.pem --client-cert both.pem":               false,
		"--upstream-ca ca.pem --client-cert both.pem --log-level warn": true,
	} {
		if out := use(flags); strings.Contains(out, "hello flaketap") != works {
			t.Errorf("with %s:\n%s", flags, out)
		}
	}
	use(all)
	if out := b.must("flaketap replay "+all, "API="+api); !strings.Contains(out, "1 ") {
		t.Errorf("replay says %s", out)
	}
	if out, status := b.sh("flaketap replay"); status == 0 || !strings.Contains(out, "--upstream-ca FILE trusts its authority") {
		t.Errorf("a replay without the authority ends with %d and %s", status, out)
	}
	if out := b.must("flaketap suite --out tried --target $API "+all, "API="+api); !strings.Contains(out, "tried 1 test against") {
		t.Errorf("suite says %s", out)
	}
	if out, status := b.sh("flaketap suite --out other --target $API", "API="+api); status == 0 || !strings.Contains(out, "--upstream-ca FILE trusts its authority") {
		t.Errorf("a trial without the authority ends with %d and %s", status, out)
	}
	b.write("t.py", []byte("import unittest\nclass T(unittest.TestCase):\n    def test_0(self):\n        pass\n"))
	if out, status := b.sh("flaketap patch --session flaketap.db --target $API --reset true --upstream-ca none.pem t.py", "API="+api); status == 0 || !strings.Contains(out, "read --upstream-ca: none.pem") {
		t.Errorf("patch ends with %d and %s", status, out)
	}
}

// What is wrong with the files is said before anything is made.
func TestUpstreamFiles(t *testing.T) {
	b := newBench(t)
	cert, key := b.clientCert()
	b.write("empty.pem", nil)
	b.write("bad.pem", pemOf("CERTIFICATE", []byte("nonsense")))
	b.write("locked.pem", pemOf("ENCRYPTED PRIVATE KEY", []byte("x")))
	b.write("chain.pem", pemOf("CERTIFICATE", cert))
	for flags, want := range map[string]string{
		"--upstream-ca none.pem":                            `read --upstream-ca: none\.pem: no such file`,
		"--upstream-ca empty.pem":                           `read --upstream-ca empty\.pem: it contains no PEM certificate`,
		"--upstream-ca bad.pem":                             `read --upstream-ca bad\.pem: certificate 1: x509`,
		"--upstream-ca chain.pem --insecure-upstream":       `use either --upstream-ca or --insecure-upstream, not both`,
		"--client-key key.pem":                              `--client-key needs --client-cert`,
		"--client-cert chain.pem":                           `read --client-cert chain\.pem: tls: `,
		"--client-cert chain.pem --client-key empty.pem":    `read --client-cert chain\.pem: tls: `,
		"--client-cert chain.pem --client-key locked.pem":   `the key in locked\.pem has a password; openssl pkey`,
		"--client-cert chain.pem --client-key no.pem":       `read --client-key: no\.pem: no such file`,
		"--client-cert /dev/zero --client-key /dev/zero":    `/dev/zero is larger than`,
		"--upstream-ca '' --client-cert chain.pem --append": `--upstream-ca is empty`,
	} {
		out, status := b.sh("flaketap record " + flags + " -- true")
		if status == 0 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("with %s: %d, %s", flags, status, out)
		}
		if strings.Contains(out, string(key)) {
			t.Errorf("with %s the key is shown", flags)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "flaketap.db")); err == nil {
		t.Error("a recording was made")
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func (b *bench) write(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// clientCert makes a certificate that signs itself, as client.pem and key.pem, and returns it with the key in PEM.
func (b *bench) clientCert() (der, keyPEM []byte) {
	b.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "flaketap"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, template, key.Public(), key); err != nil {
		b.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		b.t.Fatal(err)
	}
	keyPEM = pemOf("PRIVATE KEY", secret)
	b.write("client.pem", pemOf("CERTIFICATE", der))
	b.write("other.pem", pemOf("CERTIFICATE", der))
	b.write("key.pem", keyPEM)
	return der, keyPEM
}

// strictAPI serves TLS to the holder of a certificate, greets it by name, and leaves its authority in ca.pem.
func (b *bench) strictAPI(client []byte) string {
	b.t.Helper()
	cert, err := x509.ParseCertificate(client)
	if err != nil {
		b.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "hello", r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
	s.TLS.ClientCAs.AddCert(cert)
	s.StartTLS()
	b.t.Cleanup(s.Close)
	b.write("ca.pem", pemOf("CERTIFICATE", s.Certificate().Raw))
	return s.URL
}

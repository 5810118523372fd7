package certs_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/google/go-cmp/cmp"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/flaketap/flaketap/internal/certs"
)

func TestExport(t *testing.T) {
	a := authority(t)
	t.Setenv("SSL_CERT_FILE", authority(t).CertFile()) // one root, whatever this machine has
	for _, test := range []struct {
		form  certs.Form
		roots bool
		count int
	}{
		{certs.PEM, false, 1}, {certs.PEM, true, 2}, {certs.DER, false, 1},
		{certs.P12, false, 1}, {certs.P12, true, 2}, {certs.JKS, false, 1}, {certs.JKS, true, 2},
	} {
		data, err := a.Export(test.form, certs.ExportOptions{Roots: test.roots, Password: "pass word"})
		if err != nil {
			t.Fatalf("%s: %v", test.form, err)
		}
		var got []*x509.Certificate
		switch test.form {
		case certs.PEM:
			got = readPEM(t, data)
		case certs.DER:
			got, err = x509.ParseCertificates(data)
		case certs.P12:
			got, err = pkcs12.DecodeTrustStore(data, "pass word")
		case certs.JKS:
			got = readJKS(t, data, "p\x00a\x00s\x00s\x00 \x00w\x00o\x00r\x00d")
		}
		if err != nil || len(got) != test.count || !got[0].Equal(a.Certificate()) {
			t.Errorf("%s, roots %v: %d certificates, %v", test.form, test.roots, len(got), err)
		}
		if key, _ := os.ReadFile(a.KeyFile()); bytes.Contains(data, pemBytes(t, key)[40:80]) {
			t.Errorf("%s holds the key", test.form)
		}
	}
}

func pemBytes(t *testing.T, raw []byte) []byte {
	t.Helper()
	block, _ := pem.Decode(raw)
	if block == nil {
		t.Fatal("no PEM")
	}
	return block.Bytes
}

func readPEM(t *testing.T, data []byte) (out []*x509.Certificate) {
	t.Helper()
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return out
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
}

// readJKS reads a Java key store as Java does; password is in UTF-16 without the first byte.
func readJKS(t *testing.T, data []byte, password string) (out []*x509.Certificate) {
	t.Helper()
	body, sum := data[:len(data)-sha1.Size], data[len(data)-sha1.Size:]
	want := sha1.Sum([]byte("\x00" + password + "Mighty Aphrodite" + string(body)))
	if !bytes.Equal(sum, want[:]) {
		t.Error("the digest of the key store is wrong")
	}
	u32 := func() (n uint32) { n, body = binary.BigEndian.Uint32(body), body[4:]; return n }
	text := func() (s string) {
		n := 2 + int(binary.BigEndian.Uint16(body))
		s, body = string(body[2:n]), body[n:]
		return s
	}
	if u32() != 0xfeedfeed || u32() != 2 {
		t.Fatal("no key store of version 2")
	}
	for range u32() {
		if kind, name := u32(), text(); kind != 2 || name == "" {
			t.Fatalf("entry %q of kind %d", name, kind)
		}
		body = body[8:]
		if kind := text(); kind != "X.509" {
			t.Fatalf("certificate of kind %s", kind)
		}
		n := u32()
		c, err := x509.ParseCertificate(body[:n])
		if err != nil {
			t.Fatal(err)
		}
		out, body = append(out, c), body[n:]
	}
	if len(body) > 0 {
		t.Errorf("%d bytes behind the last entry", len(body))
	}
	return out
}

// Java itself reads the stores.
func TestExportReadByJava(t *testing.T) {
	keytool := needs.Program(t, "keytool")
	a := authority(t)
	for _, form := range []certs.Form{certs.P12, certs.JKS} {
		data, err := a.Export(form, certs.ExportOptions{Password: "pass word"})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "store")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(keytool, "-list", "-keystore", path, "-storepass:env", "STOREPASS")
		cmd.Env = append(os.Environ(), "STOREPASS=pass word", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "1 entry") || !strings.Contains(string(out), "flaketap, ") {
			t.Errorf("%s: %v\n%s", form, err, out)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	a := authority(t)
	for _, test := range []struct {
		form     certs.Form
		roots    bool
		password string
		want     string
	}{
		{"pfx", false, "", `unknown format "pfx"`},
		{certs.DER, true, "", "only one certificate"},
		{certs.P12, false, "12345", "5 characters; Java needs at least 6"},
		{certs.JKS, false, "12345", "5 characters; Java needs at least 6"},
		{certs.P12, false, "pässword", "ASCII"},
	} {
		if _, err := a.Export(test.form, certs.ExportOptions{Roots: test.roots, Password: test.password}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.form, err, test.want)
		}
	}
}

func TestInstall(t *testing.T) {
	a := authority(t)
	for _, test := range []struct {
		name, os, command, dir string
		install, undo          string
	}{
		{"Debian", "linux", "update-ca-certificates", "/usr/local/share/ca-certificates",
			"install -m 0644 CA /usr/local/share/ca-certificates/flaketap-ID.crt; update-ca-certificates",
			"rm -f /usr/local/share/ca-certificates/flaketap-ID.crt; update-ca-certificates --fresh"},
		{"Fedora", "linux", "update-ca-trust", "/etc/pki/ca-trust/source/anchors",
			"install -m 0644 CA /etc/pki/ca-trust/source/anchors/flaketap-ID.pem; update-ca-trust",
			"rm -f /etc/pki/ca-trust/source/anchors/flaketap-ID.pem; update-ca-trust"},
		{"macOS", "darwin", "security", "/Users/ada/Library",
			"security add-trusted-cert -r trustRoot -k /Users/ada/Library/Keychains/login.keychain-db CA", "security remove-trusted-cert CA"},
		{"a directory without its command", "linux", "trust", "/usr/local/share/ca-certificates", "", ""},
	} {
		install, undo, err := a.Install(certs.System{OS: test.os, Home: "/Users/ada",
			HasCommand: func(name string) bool { return name == test.command },
			HasDir:     func(path string) bool { return path == test.dir }})
		if (err != nil) != (test.install == "") {
			t.Errorf("%s: %v", test.name, err)
		}
		id := strings.Fields(a.Certificate().Subject.CommonName)[2]
		lines := func(steps []certs.Step) string {
			var out []string
			for _, s := range steps {
				if s.Root != (test.os == "linux") {
					t.Errorf("%s: %q for the superuser: %v", test.name, s.Args, s.Root)
				}
				out = append(out, strings.Join(s.Args, " "))
			}
			return strings.NewReplacer(a.CertFile(), "CA", id, "ID").Replace(strings.Join(out, "; "))
		}
		if d := cmp.Diff([]string{test.install, test.undo}, []string{lines(install), lines(undo)}); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
}

func TestExposedKeyIsTold(t *testing.T) {
	dir := t.TempDir()
	first, err := certs.LoadOrCreate(dir)
	if err != nil || first.Exposed() != 0 {
		t.Fatalf("a new key was exposed: %o, %v", first.Exposed(), err)
	}
	if err := os.Chmod(first.KeyFile(), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, want := range []os.FileMode{0o640, 0} {
		a, err := certs.LoadOrCreate(dir)
		if err != nil || a.Exposed() != want {
			t.Errorf("exposed %o, %v; want %o", a.Exposed(), err, want)
		}
	}
}

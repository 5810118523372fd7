package doctor

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
)

// maxBundle bounds a file of certificates.
const maxBundle = 16 << 20

// authority looks for flaketap's certificate authority, which it does not make, and for who trusts it.
func (v *visit) authority(context.Context) (out []Finding, _ error) {
	dir := v.CADir
	if dir == "" {
		var err error
		if dir, err = certs.DefaultDir(); err != nil {
			return one(Problem, "folder", err.Error(), "name a folder with --ca-dir DIR or FLAKETAP_CA_DIR")
		}
	}
	certFile, keyFile := certs.Files(dir)
	anew := "remove " + dir + ": a new authority is made then, which clients must be told of again"
	ca, err := readCertificate(certFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return one(OK, "certificate", "none yet in "+dir+": the first recording makes it", "")
	case err != nil:
		return one(Problem, "certificate", err.Error(), anew)
	case time.Now().After(ca.NotAfter):
		return one(Problem, "certificate", "expired on "+ca.NotAfter.Format(time.DateOnly),
			anew)
	case time.Now().Before(ca.NotBefore):
		return one(Problem, "certificate", "not valid before "+ca.NotBefore.Format(time.DateOnly), "set this machine's clock")
	}
	out = append(out, Finding{About: "certificate", Status: OK, Says: "valid until " + ca.NotAfter.Format(time.DateOnly)})
	if info, err := os.Stat(keyFile); err != nil {
		out = append(out, Finding{About: "key", Status: Problem, Says: "not there: " + keyFile,
			Do: anew})
	} else if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		out = append(out, Finding{About: "key", Status: Problem, Says: fmt.Sprintf("other users can read it (mode %04o)", info.Mode().Perm()),
			Do: "remove " + dir + ": who has read the key can make certificates that clients here trust"})
	}
	system := Finding{About: "system", Status: Note, Says: "does not trust it; a client that record starts does",
		Do: "for clients that you start yourself and that use HTTPS: flaketap ca export --format install"}
	if _, err := ca.Verify(x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err == nil {
		system = Finding{About: "system", Status: OK, Says: "trusts it"}
	}
	return append(append(out, system), v.trusting(ca)...), nil
}

// trusting looks at the variables by which clients that the user starts are told of authorities: file by file.
func (v *visit) trusting(ca *x509.Certificate) (out []Finding) {
	named := map[string][]string{}
	var files []string
	for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"} {
		if file := variable(v.Environ, name); file != "" {
			if named[file] == nil {
				files = append(files, file)
			}
			named[file] = append(named[file], name)
		}
	}
	for _, file := range files {
		names := strings.Join(named[file], ", ")
		f := Finding{About: "variables", Status: OK, Says: "it is in the file of " + names}
		has, err := holds(file, ca)
		switch {
		case err != nil:
			f.Status, f.Says = Problem, "clients cannot read what "+names+" names: "+err.Error()
			f.Do = "unset it, or let it name a file: eval \"$(flaketap ca export --format env)\""
		case !has:
			f.Status, f.Says = Note, "it is not in "+file+", the file of "+names+"; a client that record starts gets another"
			f.Do = "for clients that you start yourself: eval \"$(flaketap ca export --format env)\""
		}
		out = append(out, f)
	}
	return out
}

// variable returns a variable of the environment; the last of its name counts.
func variable(environ []string, name string) (value string) {
	for _, kv := range environ {
		if key, v, _ := strings.Cut(kv, "="); key == name {
			value = v
		}
	}
	return value
}

func readCertificate(path string) (*x509.Certificate, error) {
	raw, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("%s is not PEM", path)
	}
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return ca, nil
}

// holds reports whether a file of certificates has one.
func holds(path string, ca *x509.Certificate) (bool, error) {
	rest, err := readBounded(path)
	if err != nil {
		return false, err
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return false, nil
		}
		if string(block.Bytes) == string(ca.Raw) {
			return true, nil
		}
	}
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	return io.ReadAll(io.LimitReader(f, maxBundle))
}

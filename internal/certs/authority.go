package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
)

const (
	certName   = "ca.pem"
	keyName    = "ca-key.pem"
	bundleName = "ca-bundle.pem"
	storeName  = "ca.p12"

	// backdate lets machines whose clocks are behind accept what was just made.
	backdate = 24 * time.Hour
	// authorityLife is long, because replacing a CA means telling every client again.
	authorityLife = 10 * 365 * 24 * time.Hour
)

// Authority is the certificate authority of one installation. Its methods may be called from several goroutines.
type Authority struct {
	dir  string
	cert *x509.Certificate
	pem  []byte
	key  *ecdsa.PrivateKey

	exposed fs.FileMode // the mode that the key had where others than its owner could read it

	leafKey *ecdsa.PrivateKey
	mu      sync.Mutex
	leaves  map[string]*leaf
}

// Open is [LoadOrCreate] for the folder that a user named; "" stands for the one in the user's configuration.
func Open(dir string) (*Authority, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	return LoadOrCreate(dir)
}

// DefaultDir is the folder of the authority where the user names no other.
func DefaultDir() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the certificate authority (--ca-dir sets one): %w", err)
	}
	return filepath.Join(config, "flaketap"), nil
}

// Files are the files of the authority of a folder, which need not be there: its certificate, and its key.
func Files(dir string) (cert, key string) {
	return filepath.Join(dir, certName), filepath.Join(dir, keyName)
}

// LoadOrCreate returns the authority kept in dir (ca.pem, mode 0644, and ca-key.pem, mode 0600), and makes directory,
// key and certificate where they are not there. Any number of processes may do so at once: all get the same authority.
// A key that others than its owner may read is made private again.
func LoadOrCreate(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make CA directory: %w", err)
	}
	key, exposed, err := loadKey(filepath.Join(dir, keyName))
	if err != nil {
		return nil, err
	}
	raw, cert, err := loadCert(filepath.Join(dir, certName), key)
	if err != nil {
		return nil, err
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make leaf key: %w", err)
	}
	return &Authority{dir: dir, cert: cert, pem: raw, key: key, exposed: exposed, leafKey: leafKey,
		leaves: map[string]*leaf{}}, nil
}

// TLSCertificate returns the CA's own certificate with its private key.
func (a *Authority) TLSCertificate() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{a.cert.Raw}, PrivateKey: a.key, Leaf: a.cert}
}

// PEM returns the CA's certificate in PEM, without the key.
func (a *Authority) PEM() []byte { return bytes.Clone(a.pem) }

// Describe says what the authority is, before its certificate: programs that read PEM pass such lines over.
func (a *Authority) Describe(w io.Writer) error {
	var fingerprint []string
	for _, b := range sha256.Sum256(a.cert.Raw) {
		fingerprint = append(fingerprint, fmt.Sprintf("%02X", b))
	}
	_, err := fmt.Fprintf(w, "name         %s\nvalid        %s to %s\nSHA-256      %s\ncertificate  %s\nkey          %s (ECDSA P-256, for this user alone)\n\n%s",
		a.cert.Subject.CommonName, a.cert.NotBefore.UTC().Format(time.DateOnly), a.cert.NotAfter.UTC().Format(time.DateOnly),
		strings.Join(fingerprint, ":"), a.CertFile(), a.KeyFile(), a.pem)
	return err
}

// KeyFile returns the path of the CA's private key.
func (a *Authority) KeyFile() string { return filepath.Join(a.dir, keyName) }

// Exposed returns the mode in which the key was found where others than its owner could read it, else 0. It is private
// again; whether somebody has read it nobody knows.
func (a *Authority) Exposed() fs.FileMode { return a.exposed }

// CertFile returns the path of the CA's certificate in PEM.
func (a *Authority) CertFile() string { return filepath.Join(a.dir, certName) }

// loadKey reads the key, and makes it first where there is none. The key file is the one that decides between
// processes that start at once: whoever puts it there first has made the authority.
func loadKey(path string) (_ *ecdsa.PrivateKey, exposed fs.FileMode, _ error) {
	raw, err := readOrPublish(path, 0o600, func() ([]byte, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return nil, err
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("load CA key: %w", err)
	}
	if exposed, err = keepPrivate(path); err != nil {
		return nil, 0, fmt.Errorf("protect CA key: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, 0, fmt.Errorf("read CA key %s: not PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, 0, fmt.Errorf("read CA key %s: %w", path, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, 0, fmt.Errorf("read CA key %s: it is a %T, not an ECDSA key", path, parsed)
	}
	return key, exposed, nil
}

// loadCert reads the certificate, and signs one with the key first where there is none. A process that was killed
// after it made the key leaves no half authority behind: the next one completes it.
func loadCert(path string, key *ecdsa.PrivateKey) ([]byte, *x509.Certificate, error) {
	raw, err := readOrPublish(path, 0o644, func() ([]byte, error) { return selfSign(key) })
	if err != nil {
		return nil, nil, fmt.Errorf("load CA certificate: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, nil, fmt.Errorf("read CA certificate %s: not PEM", path)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, nil, fmt.Errorf("read CA certificate %s: %w", path, err)
	}
	switch {
	case !key.PublicKey.Equal(cert.PublicKey):
		return nil, nil, fmt.Errorf("read CA certificate %s: it does not belong to the key %s", path, keyName)
	case !cert.IsCA:
		return nil, nil, fmt.Errorf("read CA certificate %s: not a certificate authority", path)
	case time.Now().After(cert.NotAfter):
		return nil, nil, fmt.Errorf("read CA certificate %s: it expired on %s; delete it to have a new one made", path,
			cert.NotAfter.Format(time.DateOnly))
	}
	return raw, cert, nil
}

func selfSign(key *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host" // only a hint for people who look through their trust stores
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// The serial makes the name differ between installations: clients look issuers up by name.
		Subject: pkix.Name{
			CommonName:   fmt.Sprintf("flaketap CA %x (%.30s)", serial.Bytes()[:4], host),
			Organization: []string{"flaketap"},
		},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true, // it signs leaves only
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// serialNumber returns 127 random bits, of which the highest is set: RFC 5280 §4.1.2.2 wants it positive, in 20 bytes.
func serialNumber() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, fmt.Errorf("make serial number: %w", err)
	}
	return n.SetBit(n, 126, 1), nil
}

// readOrPublish reads a file, after putting what content returns there if there is none. Of several processes that do
// so at once one wins, and all read its file whole.
func readOrPublish(path string, perm fs.FileMode, content func() ([]byte, error)) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	made, err := content()
	if err != nil {
		return nil, err
	}
	temp, err := writeTemp(filepath.Dir(path), made, perm)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp)
	// A link, unlike a rename, fails where the file is there already.
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("write %s: %w", path, outfile.Cause(err))
	}
	return os.ReadFile(path)
}

// writeTemp writes a file of a name of its own and returns the name; the content is on disk by then.
func writeTemp(dir string, content []byte, perm fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(dir, ".new-*") // 0600 from the first moment
	if err != nil {
		return "", fmt.Errorf("write into %s: %w", dir, outfile.Cause(err))
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, werr := f.Write(content)
	if err := errors.Join(werr, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return f.Name(), nil
}

// keepPrivate takes a file away from everybody but its owner, and returns the mode that it had where it was not so.
func keepPrivate(path string) (was fs.FileMode, _ error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return 0, err
	}
	return info.Mode().Perm(), os.Chmod(path, 0o600)
}

package upstream

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/flaketap/flaketap/internal/console"
)

// Options say how an API is spoken to. The zero Options connect directly, and verify the API's certificate against the
// system's roots.
type Options struct {
	Proxy    string // URL of a proxy through which the API is reached; it may hold a password
	Insecure bool   // do not verify the API's certificate; excludes CA
	CA       string // PEM file of authorities to trust beside the system's
	Cert     string // PEM file of the certificate to show to an API that asks for one
	Key      string // PEM file of its key; "": in Cert
	Mark     bool   // mark the connections to Proxy (tcp.Mark), for rules of the kernel to leave them alone
}

// Open reads the files that the options name. dial is nil where no proxy is to be used.
func (o Options) Open() (config *tls.Config, dial Dialer, err error) {
	if config, err = o.TLS(); err != nil {
		return nil, nil, err
	}
	dial, err = o.Dialer(config)
	return config, dial, err
}

// maxPEM bounds a file of certificates, in bytes; the system's own hold a quarter of a megabyte.
const maxPEM = 16 << 20

// TLS returns the configuration for an API that speaks TLS. It reads the files that the options name.
func (o Options) TLS() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: o.Insecure}
	switch {
	case o.CA != "" && o.Insecure:
		return nil, console.Usage(errors.New("use either --upstream-ca or --insecure-upstream, not both"))
	case o.Key != "" && o.Cert == "":
		return nil, console.Usage(errors.New("--client-key needs --client-cert"))
	}
	if o.CA != "" {
		var err error
		if config.RootCAs, err = rootsWith(o.CA); err != nil {
			return nil, err
		}
	}
	if o.Cert != "" {
		pair, err := keyPair(o.Cert, o.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// rootsWith returns the system's roots and the authorities of a file.
func rootsWith(file string) (*x509.CertPool, error) {
	data, err := readPEM(file)
	if err != nil {
		return nil, fmt.Errorf("read --upstream-ca: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // there is none: what the file holds is all
	}
	found := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read --upstream-ca %s: certificate %d: %w", file, found+1, err)
		}
		pool.AddCert(cert)
		found++
	}
	if found == 0 {
		return nil, fmt.Errorf("read --upstream-ca %s: it contains no PEM certificate", file)
	}
	return pool, nil
}

// keyPair reads a certificate with its chain, and its key: from the same file, where key is "".
func keyPair(cert, key string) (tls.Certificate, error) {
	chain, err := readPEM(cert)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read --client-cert: %w", err)
	}
	secret, from := chain, cert
	if key != "" {
		if secret, err = readPEM(key); err != nil {
			return tls.Certificate{}, fmt.Errorf("read --client-key: %w", err)
		}
		from = key
	}
	if bytes.Contains(secret, []byte("ENCRYPTED")) {
		return tls.Certificate{}, console.Advise(fmt.Errorf("read --client-key: the key in %s has a password", from),
			"openssl pkey -in FILE -out PLAIN removes it; keep that file private")

	}
	pair, err := tls.X509KeyPair(chain, secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read --client-cert %s: %w", cert, err)
	}
	return pair, nil
}

func readPEM(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err == nil && len(data) > maxPEM {
		return nil, fmt.Errorf("%s is larger than %d bytes", file, maxPEM)
	}
	return data, err
}

package certs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// storePassword is the one that Java has for its own trust store. Nothing in the store is secret.
const storePassword = "changeit"

// WriteBundle writes the system's roots and the CA into one PEM file and returns its path. It is for clients whose
// setting replaces the roots they have (SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE): with the CA alone they
// could reach nothing that is not intercepted. Where the system keeps no such file, the CA stands alone in it.
func (a *Authority) WriteBundle() (path string, err error) {
	roots := systemRoots()
	if len(roots) > 0 && !bytes.HasSuffix(roots, []byte("\n")) {
		roots = append(roots, '\n')
	}
	path = filepath.Join(a.dir, bundleName)
	if err := replace(path, append(roots, a.pem...)); err != nil {
		return "", fmt.Errorf("write CA bundle: %w", err)
	}
	return path, nil
}

// WriteTrustStore writes the system's roots and the CA as a PKCS#12 trust store and returns its path and password, for
// Java (javax.net.ssl.trustStore), where it replaces the roots that come with it.
func (a *Authority) WriteTrustStore() (path, password string, err error) {
	data, err := a.Export(P12, ExportOptions{Roots: true})
	if err != nil {
		return "", "", fmt.Errorf("write trust store: %w", err)
	}
	path = filepath.Join(a.dir, storeName)
	if err := replace(path, data); err != nil {
		return "", "", fmt.Errorf("write trust store: %w", err)
	}
	return path, storePassword, nil
}

// systemRoots returns the system's roots in PEM, or nothing. The places are those that crypto/x509 looks in; like
// there, SSL_CERT_FILE goes before them: where it is set, it holds roots that the user's clients cannot do without.
func systemRoots() []byte {
	for _, path := range []string{
		os.Getenv("SSL_CERT_FILE"),
		"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Gentoo, Arch
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL
		"/etc/pki/tls/certs/ca-bundle.crt",                  // older Fedora, RHEL
		"/etc/ssl/ca-bundle.pem",                            // openSUSE
		"/etc/ssl/cert.pem",                                 // Alpine, macOS, BSD
	} {
		if raw, err := os.ReadFile(path); err == nil {
			return raw
		}
	}
	return nil
}

// replace puts content at path in one step, so that a client never reads half a file.
func replace(path string, content []byte) error {
	temp, err := writeTemp(filepath.Dir(path), content, 0o644)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	return nil
}

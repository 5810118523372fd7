package certs

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"software.sslmate.com/src/go-pkcs12"
)

// Form is a form in which programs take the certificate of an authority. None of them holds the key.
type Form string

// The forms.
const (
	PEM Form = "pem"
	DER Form = "der"
	P12 Form = "p12" // a PKCS#12 trust store, which Java, Windows and browsers read
	JKS Form = "jks" // Java's own trust store, for a Java older than 9
)

// minPassword is the length that Java's keytool asks of a store's password, in characters.
const minPassword = 6

// ExportOptions say what is exported besides the CA's certificate, and how it is locked. The zero value is that
// certificate alone, and Java's own password.
type ExportOptions struct {
	// Roots has the system's roots exported too, for settings that replace those that a client has. DER holds one
	// certificate only.
	Roots    bool
	Password string // of P12 and JKS, in which nothing is secret; "" is Java's own, "changeit"
}

// Export returns the CA's certificate in a form.
func (a *Authority) Export(form Form, o ExportOptions) ([]byte, error) {
	password := cmp.Or(o.Password, storePassword)
	if form == P12 || form == JKS {
		if err := checkPassword(password); err != nil {
			return nil, fmt.Errorf("export CA: %w", err)
		}
	}
	entries := a.trusted()
	if o.Roots {
		entries = withRoots(entries)
	}
	switch form {
	case PEM:
		var out []byte
		for _, e := range entries {
			out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: e.Cert.Raw})...)
		}
		return out, nil
	case DER:
		if o.Roots {
			return nil, errors.New("export CA: der can hold only one certificate; use pem for several")
		}
		return a.cert.Raw, nil
	case P12:
		// The old algorithms are the ones that every Java still in use can read; the password is public anyway.
		data, err := pkcs12.LegacyDES.EncodeTrustStoreEntries(entries, password)
		if err != nil {
			return nil, fmt.Errorf("export CA: %w", err)
		}
		return data, nil
	case JKS:
		return encodeJKS(entries, password), nil
	}
	return nil, fmt.Errorf("export CA: unknown format %q: want one of pem, der, p12, jks", form)
}

// checkPassword refuses the passwords that Java cannot use.
func checkPassword(s string) error {
	if len(s) < minPassword {
		return fmt.Errorf("the password has %d characters; Java needs at least %d", len(s), minPassword)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return errors.New("the password must be ASCII, or Java cannot open the PKCS#12 store")
	}
	return nil
}

// Certificate returns the CA's certificate. It belongs to the authority.
func (a *Authority) Certificate() *x509.Certificate { return a.cert }

// trusted are the certificates of a trust store: the CA's.
func (a *Authority) trusted() []pkcs12.TrustStoreEntry {
	return []pkcs12.TrustStoreEntry{{Cert: a.cert, FriendlyName: "flaketap"}}
}

// withRoots adds the system's roots to the certificates of a trust store.
func withRoots(entries []pkcs12.TrustStoreEntry) []pkcs12.TrustStoreEntry {
	for rest := systemRoots(); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return entries
		}
		// A root that Go cannot read is left out, as Java would do.
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			// Java keeps one entry for each name.
			entries = append(entries, pkcs12.TrustStoreEntry{Cert: cert, FriendlyName: fmt.Sprintf("system-%d", len(entries))})
		}
	}
}

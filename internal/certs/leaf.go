package certs

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	// maxLeaves bounds the cache: host names come from clients, which are fuzzers.
	maxLeaves = 1024
	// leafLife stays below the 398 days that browsers and Apple's platforms put up with.
	leafLife = 365 * 24 * time.Hour
	// leafSpare is how long before its end a leaf is made anew.
	leafSpare = 24 * time.Hour
	// maxHost is the longest a host name may be (RFC 1035 §2.3.4, as text).
	maxHost = 253
	// maxCommonName is the upper bound of X.520 for a common name; the name that counts stands in the SAN.
	maxCommonName = 64
)

// leaf is one entry of the cache. made lets one goroutine mint while others that want the same host wait.
type leaf struct {
	made sync.Once
	cert *tls.Certificate
	err  error
}

// Leaf returns a certificate for a host, signed by the authority: a DNS name or an IP address, without a port; IPv6
// with or without brackets. Certificates are cached, in a bounded cache, and each is minted by one goroutine only.
func (a *Authority) Leaf(host string) (*tls.Certificate, error) {
	name, err := normalize(host)
	if err != nil {
		return nil, fmt.Errorf("mint certificate for %.60q: %w", host, err)
	}
	entry := a.entry(name)
	entry.made.Do(func() {
		// A panic here must not leave an entry that is neither: Once would count it as done.
		entry.err = errors.New("making the certificate was interrupted")
		entry.cert, entry.err = a.mint(name)
	})
	if entry.err != nil {
		a.drop(name, entry)
		return nil, fmt.Errorf("mint certificate for %.60q: %w", host, entry.err)
	}
	if time.Until(entry.cert.Leaf.NotAfter) < leafSpare && time.Until(a.cert.NotAfter) > leafSpare {
		a.drop(name, entry)
		return a.Leaf(host)
	}
	return entry.cert, nil
}

// entry returns the cache's entry for a host, a new one if need be. Which one must make room for it is left to the
// order of the map: minting costs little, and a client that asks for a thousand hosts gains nothing by it.
func (a *Authority) entry(name string) *leaf {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.leaves[name]; e != nil {
		return e
	}
	if len(a.leaves) >= maxLeaves {
		for victim := range a.leaves {
			delete(a.leaves, victim)
			break
		}
	}
	e := &leaf{}
	a.leaves[name] = e
	return e
}

func (a *Authority) drop(name string, e *leaf) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaves[name] == e {
		delete(a.leaves, name)
	}
}

func (a *Authority) mint(name string) (*tls.Certificate, error) {
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial,
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(leafLife),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if template.NotAfter.After(a.cert.NotAfter) {
		template.NotAfter = a.cert.NotAfter
	}
	if len(name) <= maxCommonName {
		template.Subject = pkix.Name{CommonName: name}
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		template.IPAddresses = append(template.IPAddresses, ip.AsSlice())
		if ip.IsLoopback() { // a client that asks for localhost need not say so (Java): only the address is known then
			template.DNSNames = []string{"localhost"}
		}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.leafKey.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.leafKey, Leaf: parsed}, nil
}

// normalize returns the one spelling of a host that the cache knows: names in lower case without the root's dot,
// addresses as netip writes them, without a zone.
func normalize(host string) (string, error) {
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(bare); err == nil {
		return ip.WithZone("").Unmap().String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "" || len(name) > maxHost {
		return "", errors.New("the host name is missing")
	}
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("not a host name: it contains %q", c)
		}
	}
	return name, nil
}

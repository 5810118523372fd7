package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"time"
)

// localNames makes a certificate good for an API at an address of this machine if it is for that address or, as those
// that developers make for themselves often are, for localhost alone. Clients that resolve names by themselves and come
// by SOCKS tell the address only.
func localNames(config *tls.Config) {
	if ip, err := netip.ParseAddr(config.ServerName); err != nil || !ip.IsLoopback() || config.InsecureSkipVerify {
		return
	}
	names, roots, now := []string{config.ServerName, "localhost"}, config.RootCAs, time.Now
	if config.Time != nil {
		now = config.Time
	}
	config.InsecureSkipVerify = true // VerifyConnection does what this leaves out
	config.VerifyConnection = func(state tls.ConnectionState) error {
		certs := state.PeerCertificates
		options := x509.VerifyOptions{Roots: roots, CurrentTime: now(), Intermediates: x509.NewCertPool()}
		for _, c := range certs[1:] {
			options.Intermediates.AddCert(c)
		}
		var first error
		for _, name := range names {
			options.DNSName = name
			_, err := certs[0].Verify(options)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
		return &tls.CertificateVerificationError{UnverifiedCertificates: certs, Err: first}
	}
}

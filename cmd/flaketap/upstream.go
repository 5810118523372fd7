package main

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
	"github.com/urfave/cli/v2"
)

// upstreamFlags say how the API is spoken to, by the recorder and by a replay.
func upstreamFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		upstreamProxyFlag(),
		&cli.BoolFlag{Name: "insecure-upstream", Usage: "do not verify the API's certificate"},
		&cli.StringFlag{Name: "upstream-ca", EnvVars: []string{"FLAKETAP_UPSTREAM_CA"}, Usage: "PEM `FILE` of authorities to trust in the API's certificate, beside the system's"},
		&cli.StringFlag{Name: "client-cert", EnvVars: []string{"FLAKETAP_CLIENT_CERT"}, Usage: "PEM `FILE` of the certificate to show to an API that asks for one"},
		&cli.StringFlag{Name: "client-key", EnvVars: []string{"FLAKETAP_CLIENT_KEY"}, Usage: "PEM `FILE` of its key (default: in the file of the certificate)"},
	)
}

// maxPEM bounds a file of certificates, in bytes; the system's own hold a quarter of a megabyte.
const maxPEM = 16 << 20

// upstreamTLS reads how the API is spoken to from the flags and the files that they name.
func upstreamTLS(c *cli.Context) (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: c.Bool("insecure-upstream")}
	ca, cert, key := c.String("upstream-ca"), c.String("client-cert"), c.String("client-key")
	switch {
	case ca != "" && config.InsecureSkipVerify:
		return nil, console.Usage(errors.New("--upstream-ca says what to trust, and --insecure-upstream to trust anything: one of them is too many"))
	case key != "" && cert == "":
		return nil, console.Usage(errors.New("--client-key needs the --client-cert that it belongs to"))
	}
	if ca != "" {
		var err error
		if config.RootCAs, err = rootsWith(ca); err != nil {
			return nil, err
		}
	}
	if cert != "" {
		pair, err := keyPair(cert, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// upstream reads how the API is spoken to, and what connects to it: nil where that is not done through a proxy.
func upstream(c *cli.Context) (*tls.Config, dialer, error) {
	config, err := upstreamTLS(c)
	if err != nil {
		return nil, nil, err
	}
	dial, err := upstreamDialer(c, config)
	return config, dial, err
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
		return nil, fmt.Errorf("read --upstream-ca %s: there is no certificate in PEM in it", file)
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
			"openssl pkey -in FILE -out PLAIN writes it without; keep that file to yourself")

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

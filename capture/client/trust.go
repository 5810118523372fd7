package client

import (
	"strings"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/environ"
)

// trust is how programs are told to trust a certificate authority beside the system's.
type trust struct {
	variables map[string]string // of curl, Python, Node, Deno and Go
	java      []string          // options of a JVM
}

// trustOf writes the files that the variables name into the folder of the authority.
func trustOf(ca *certs.Authority) (t trust, err error) {
	bundle, err := ca.WriteBundle()
	if err != nil {
		return t, err
	}
	store, password, err := ca.WriteTrustStore()
	if err != nil {
		return t, err
	}
	return trust{
		variables: map[string]string{
			"SSL_CERT_FILE":       bundle,
			"REQUESTS_CA_BUNDLE":  bundle,
			"CURL_CA_BUNDLE":      bundle,
			"NODE_EXTRA_CA_CERTS": ca.CertFile(),
			"DENO_CERT":           ca.CertFile(), // beside its own authorities
			// of gRPC's core, which Python, Ruby, PHP and C++ have
			"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": bundle,
		},
		java: []string{environ.JavaQuoted("-Djavax.net.ssl.trustStore=" + store), "-Djavax.net.ssl.trustStoreType=PKCS12",
			"-Djavax.net.ssl.trustStorePassword=" + password},
	}, nil
}

// Trusting returns the variables by which a program trusts the authority, to be set beside those of env, for a program
// whose connections are led without its knowledge: it is to use no proxy.
//
// The files that the variables name are written into the folder of the authority.
func Trusting(env []string, ca *certs.Authority) ([]string, error) {
	t, err := trustOf(ca)
	if err != nil {
		return nil, err
	}
	t.variables["JAVA_TOOL_OPTIONS"] = WithOptions(env, "JAVA_TOOL_OPTIONS", t.java...)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.variables[name], t.variables[strings.ToLower(name)] = "", ""
	}
	return withVariables(nil, t.variables), nil
}

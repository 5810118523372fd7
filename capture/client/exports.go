package client

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/certs"
)

// Exports writes, as lines for sh, the variables by which curl, Python, Node, Java and Go are told of an authority:
// those of [Environment], for clients that somebody else starts.
func Exports(ca *certs.Authority) ([]byte, error) {
	bundle, err := ca.WriteBundle()
	if err != nil {
		return nil, err
	}
	trust, password, err := ca.WriteTrustStore()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		fmt.Fprintf(&b, "export %s=%s\n", name, ShellQuoted(bundle))
	}
	fmt.Fprintf(&b, "export NODE_EXTRA_CA_CERTS=%s\n", ShellQuoted(ca.CertFile()))
	java := fmt.Sprintf(`"-Djavax.net.ssl.trustStore=%s" -Djavax.net.ssl.trustStoreType=PKCS12 -Djavax.net.ssl.trustStorePassword=%s`, trust, password)
	fmt.Fprintf(&b, "export JAVA_TOOL_OPTIONS=\"${JAVA_TOOL_OPTIONS:+$JAVA_TOOL_OPTIONS }\"%s\n", ShellQuoted(java))
	return b.Bytes(), nil
}

// ShellQuoted returns a text as one word of sh.
func ShellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ShellLine returns words as one types them into a shell: in quotes where there is more in them than ASCII letters
// and digits, and the characters of plain.
func ShellLine(words []string, plain string) string {
	out := make([]string, len(words))
	special := func(r rune) bool {
		return !strings.ContainsRune(plain, r) && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsFunc(w, special) {
			out[i] = ShellQuoted(w)
		}
	}
	return strings.Join(out, " ")
}

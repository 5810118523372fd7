package main

import (
	_ "embed"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/internal/outfile"
)

// preload makes Node heed the proxy variables.
//
//go:embed preload.cjs
var preload string

// preloadName is what it is called beside the certificate authority.
const preloadName = "node-preload.cjs"

// clientEnv returns the environment in which clients find the recorder: its URL, the proxy variables in both spellings
// that clients read, what makes Node and Java go by the proxy, and the variables by which curl, Python, Node, Java and
// Go are told of a certificate authority. NO_PROXY is emptied: it commonly names localhost, where the API under test is.
// password says that the recorder asks proxy clients for one.
func clientEnv(env []string, addr net.Addr, ca *certs.Authority, password bool) ([]string, error) {
	bundle, err := ca.WriteBundle()
	if err != nil {
		return nil, err
	}
	script, err := writePreload(filepath.Dir(ca.CertFile()))
	if err != nil {
		return nil, err
	}
	java, err := javaOptions(addr, ca, password)
	if err != nil {
		return nil, err
	}
	own := "http://" + addr.String()
	set := map[string]string{
		"FLAKETAP_URL":        own,
		"SSL_CERT_FILE":       bundle,
		"REQUESTS_CA_BUNDLE":  bundle,
		"CURL_CA_BUNDLE":      bundle,
		"NODE_EXTRA_CA_CERTS": ca.CertFile(),
		"NODE_USE_ENV_PROXY":  "", // what is loaded does it, and keeps refused connections apart from answers
		"NODE_OPTIONS":        withOptions(env, "NODE_OPTIONS", "--require "+nodeQuoted(script)),
		"JAVA_TOOL_OPTIONS":   withOptions(env, "JAVA_TOOL_OPTIONS", java...),
		"NO_PROXY":            "",
		"no_proxy":            "",
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		set[name], set[strings.ToLower(name)] = own, own
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := set[name]
		return ours
	})
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out, nil
}

// withOptions returns the value of a variable with further options behind those that it has.
func withOptions(env []string, name string, further ...string) string {
	var all []string
	for _, kv := range env {
		if key, value, _ := strings.Cut(kv, "="); key == name && value != "" {
			all = []string{value}
		}
	}
	return strings.Join(append(all, further...), " ")
}

// javaOptions are the options by which a JVM trusts the recorder and finds it. Its own clients heed the proxy for HTTP.
// Others open sockets, which all go by SOCKS: to the recorder too, where a library finds the former by itself. A JVM
// prints its options, so they hold no password; where there is one, nothing sends it to a proxy that would refuse it.
func javaOptions(addr net.Addr, ca *certs.Authority, password bool) ([]string, error) {
	trust, trustPassword, err := ca.WriteTrustStore()
	if err != nil {
		return nil, err
	}
	options := []string{javaQuoted("-Djavax.net.ssl.trustStore=" + trust), "-Djavax.net.ssl.trustStoreType=PKCS12",
		"-Djavax.net.ssl.trustStorePassword=" + trustPassword}
	if password {
		return options, nil
	}
	host, port, _ := net.SplitHostPort(addr.String())
	for _, way := range []string{"http.proxy", "https.proxy", "socksProxy"} {
		options = append(options, "-D"+way+"Host="+host, "-D"+way+"Port="+port)
	}
	return append(options, "-Dhttp.nonProxyHosts=", "-DsocksNonProxyHosts="), nil
}

// javaQuoted returns an option as JAVA_TOOL_OPTIONS has it: within quotes, of which none are escaped, if there is a blank.
func javaQuoted(option string) string {
	switch {
	case !strings.ContainsAny(option, " \t\"'"):
		return option
	case strings.Contains(option, `"`):
		return "'" + option + "'"
	}
	return `"` + option + `"`
}

// nodeQuoted returns a text as one word of NODE_OPTIONS.
func nodeQuoted(s string) string {
	if !strings.ContainsAny(s, ` "\\`) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// writePreload writes the script that Node loads first into a folder, whole at any moment, and returns its path.
func writePreload(dir string) (path string, err error) {
	path = filepath.Join(dir, preloadName)
	s, err := outfile.Stage(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, preload)
		return err
	})
	if err != nil {
		return "", err
	}
	return path, s.Put()
}

package client

import (
	_ "embed"
	"io"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/environ"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/internal/tcp"
)

// preload makes Node heed the proxy variables.
//
//go:embed preload.cjs
var preload string

// preloadName is what it is called beside the certificate authority.
const preloadName = "node-preload.cjs"

// Recorder is what a client has to know of the recorder that it speaks through.
type Recorder struct {
	Addr    net.Addr         // where it listens
	CA      *certs.Authority // whose certificates it shows
	Auth    string           // USER:PASSWORD that it asks clients of a proxy for, or ""
	Control string           // the address at which sequences are marked, or ""
}

// Environment returns the environment in which clients find the recorder: its URL, the proxy variables in both
// spellings that clients read, what makes Node and Java go by the proxy, and the variables by which curl, Python, Node,
// Java and Go are told of a certificate authority. NO_PROXY is emptied: it commonly names localhost, where the API
// under test is. The password is in the proxy variables. What is for the recorder alone is left out: the client must
// not find a way past it.
//
// The files that the variables name are written into the folder of the authority.
func Environment(env []string, r Recorder) ([]string, error) {
	set, err := proxied(env, r, "")
	if err != nil {
		return nil, err
	}
	set["FLAKETAP_URL"] = "http://" + tcp.Reachable(r.Addr).String()
	if r.Control != "" {
		set["FLAKETAP_CONTROL"] = "http://" + r.Control
	}
	return withVariables(env, set), nil
}

// ThisMachine is a value of NO_PROXY by which no proxy is used for this machine.
const ThisMachine = "localhost,127.0.0.1,::1"

// Proxied returns the variables by which a program uses a recorder as its proxy and trusts it, to be set beside those
// of env. noProxy are the hosts for which it uses none: "", or [ThisMachine].
func Proxied(env []string, r Recorder, noProxy string) ([]string, error) {
	set, err := proxied(env, r, noProxy)
	if err != nil {
		return nil, err
	}
	return withVariables(nil, set), nil
}

// proxied are the variables by which a program uses the recorder as its proxy, and trusts it.
func proxied(env []string, r Recorder, noProxy string) (map[string]string, error) {
	trust, err := trustOf(r.CA)
	if err != nil {
		return nil, err
	}
	script, err := writePreload(filepath.Dir(r.CA.CertFile()))
	if err != nil {
		return nil, err
	}
	addr := tcp.Reachable(r.Addr)
	java := append(trust.java, javaProxies(addr, r.Auth, noProxy)...)
	set := map[string]string{
		"NODE_USE_ENV_PROXY": "", // what is loaded does it, and keeps refused connections apart from answers
		"NODE_OPTIONS":       WithOptions(env, "NODE_OPTIONS", "--require "+environ.NodeQuoted(script)),
		"JAVA_TOOL_OPTIONS":  WithOptions(env, "JAVA_TOOL_OPTIONS", java...),
		"NO_PROXY":           noProxy,
		"no_proxy":           noProxy,
	}
	maps.Copy(set, trust.variables)
	proxy := withPassword("http://"+addr.String(), r.Auth)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		set[name], set[strings.ToLower(name)] = proxy, proxy
	}
	return set, nil
}

// withVariables returns an environment with these variables in the place of its own, sorted.
func withVariables(env []string, set map[string]string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := set[name]
		return ours || slices.Contains(private, name)
	})
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// private are the variables that are for the recorder alone, where it does not set them itself.
var private = []string{"FLAKETAP_CONTROL", "FLAKETAP_PROXY_AUTH", "FLAKETAP_UPSTREAM_PROXY"}

// withPassword puts credentials into the URL of a proxy.
func withPassword(own, auth string) string {
	user, password, found := strings.Cut(auth, ":")
	u, err := url.Parse(own)
	if !found || err != nil {
		return own
	}
	u.User = url.UserPassword(user, password)
	return u.String()
}

// WithOptions returns the value of a variable of an environment with further options behind those that it has.
func WithOptions(env []string, name string, further ...string) string {
	var all []string
	for _, kv := range env {
		if key, value, _ := strings.Cut(kv, "="); key == name && value != "" {
			all = []string{value}
		}
	}
	return strings.Join(append(all, further...), " ")
}

// javaProxies are the options by which a JVM finds the recorder. Its own clients heed the proxy for HTTP.
// Others open sockets, which all go by SOCKS: to the recorder too, where a library finds the former by itself. A JVM
// prints its options, so they hold no password; where there is one, nothing sends it to a proxy that would refuse it.
// For the hosts of noProxy a JVM uses none, as ever: it knows those of this machine by itself.
func javaProxies(addr net.Addr, auth, noProxy string) (options []string) {
	if auth != "" {
		return nil
	}
	host, port, _ := net.SplitHostPort(addr.String())
	for _, way := range []string{"http.proxy", "https.proxy", "socksProxy"} {
		options = append(options, "-D"+way+"Host="+host, "-D"+way+"Port="+port)
	}
	if noProxy != "" {
		return options
	}
	return append(options, "-Dhttp.nonProxyHosts=", "-DsocksNonProxyHosts=")
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

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/flaketap/flaketap/certs"
)

// clientResult is how the recorded client ended.
type clientResult struct {
	status int   // its exit status, 128+n where signal n ended it
	err    error // it could not be started
}

// runClient runs the client's command line to its end, or until ctx ends. It reads this process's stdin and writes to
// its streams.
func (t *tool) runClient(ctx context.Context, env []string) clientResult {
	cmd := exec.CommandContext(ctx, t.client[0], t.client[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, t.out, t.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = drain
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return clientResult{}
	case errors.As(err, &exit):
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return clientResult{status: 128 + int(ws.Signal())}
		}
		return clientResult{status: exit.ExitCode()}
	default:
		return clientResult{err: fmt.Errorf("start the client: %w", err)}
	}
}

// clientEnv returns the environment in which clients find the recorder: its URL, the proxy variables in both spellings
// that clients read, and the variables by which curl, Python, Node, Java and Go are told of a certificate authority.
// NO_PROXY is emptied: it commonly names localhost, where the API under test is.
func clientEnv(env []string, addr net.Addr, ca *certs.Authority) ([]string, error) {
	bundle, err := ca.WriteBundle()
	if err != nil {
		return nil, err
	}
	trust, password, err := ca.WriteTrustStore()
	if err != nil {
		return nil, err
	}
	own := "http://" + addr.String()
	host, port, _ := net.SplitHostPort(addr.String())
	set := map[string]string{
		"FLAKETAP_URL":        own,
		"SSL_CERT_FILE":       bundle,
		"REQUESTS_CA_BUNDLE":  bundle,
		"CURL_CA_BUNDLE":      bundle,
		"NODE_EXTRA_CA_CERTS": ca.CertFile(),
		"JAVA_TOOL_OPTIONS": strings.TrimSpace(strings.Join([]string{os.Getenv("JAVA_TOOL_OPTIONS"),
			"-Dhttp.proxyHost=" + host, "-Dhttp.proxyPort=" + port, "-Dhttps.proxyHost=" + host, "-Dhttps.proxyPort=" + port,
			"-Dhttp.nonProxyHosts=", "-Djavax.net.ssl.trustStore=" + trust, "-Djavax.net.ssl.trustStoreType=PKCS12",
			"-Djavax.net.ssl.trustStorePassword=" + password}, " ")),
		"NO_PROXY": "",
		"no_proxy": "",
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

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/certs"
	"github.com/urfave/cli/v2"
)

// clientResult is how the recorded client ended.
type clientResult struct {
	status int   // its exit status, 128+n where signal n ended it
	err    error // it could not be started
}

// clientGrace is how long a client that was asked to end may take to do so.
const clientGrace = 10 * time.Second

// runClient runs the client's command line to its end, or until ctx ends. It reads this process's stdin and writes to
// its streams.
func (t *tool) runClient(ctx context.Context, c *cli.Context, env []string) clientResult {
	cmd := exec.Command(t.client[0], t.client[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, t.out, t.err
	cmd.WaitDelay = clientGrace
	f, err := startFamily(cmd)
	if err != nil {
		return clientResult{err: fmt.Errorf("start the client: %w", err)}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // what it says is in ProcessState too
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		t.endClient(ctx, c, f, ended)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return clientResult{status: 128 + int(ws.Signal())}
	}
	return clientResult{status: cmd.ProcessState.ExitCode()}
}

// endClient passes on the signal that ended ctx, or asks the client to end where it was none, and waits until the
// client and all that it started are gone. What has not gone after a while is killed; at once, if there is a further
// signal. Ctrl-C at a terminal reaches the client by itself, and is not passed on a second time.
func (t *tool) endClient(ctx context.Context, c *cli.Context, f *family, ended <-chan struct{}) {
	orders := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	s := stopOf(ctx)
	if s != nil {
		orders[0] = s.signal
	}
	if orders[0] != syscall.SIGINT || !f.hears() {
		f.signal(orders[0])
		orders = orders[1:]
	} else {
		orders[0] = syscall.SIGTERM
	}
	patience, word, look := time.NewTimer(clientGrace), time.NewTimer(time.Second), time.NewTicker(20*time.Millisecond)
	defer patience.Stop()
	defer word.Stop()
	defer look.Stop()
	for again := nextSignal(ctx); ; {
		select {
		case <-look.C: // nobody tells when the last process of a group has gone
			select {
			case <-ended:
				if !f.alive() {
					return
				}
			default:
			}
		case <-word.C:
			t.say(c, "flaketap: waiting for the client to end; Ctrl-C again stops at once")
		case <-patience.C:
			f.signal(orders[0])
			if orders = orders[1:]; len(orders) == 0 {
				<-ended
				return
			}
			patience.Reset(clientGrace)
		case <-again:
			f.signal(syscall.SIGKILL)
			<-ended
			return
		}
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

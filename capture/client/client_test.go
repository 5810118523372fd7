//go:build unix

package client

import (
	"bytes"
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/interrupt"
)

// sh is a command for the shell, which writes to out.
func sh(out *bytes.Buffer, script string) Command {
	return Command{Args: []string{"sh", "-c", script}, Env: os.Environ(), Stdout: out, Stderr: out}
}

func TestStatusOfClient(t *testing.T) {
	for script, want := range map[string]int{"true": 0, "exit 7": 7, "kill -TERM $$": 128 + int(syscall.SIGTERM)} {
		if got, err := sh(&bytes.Buffer{}, script).Run(t.Context()); got != want || err != nil {
			t.Errorf("%s: status %d, %v; want %d", script, got, err, want)
		}
	}
	if _, err := (Command{Args: []string{"/no/such/program"}}).Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "start the client: ") {
		t.Errorf("a program that is not there gives %v", err)
	}
}

// onceReady ends a context when the client has written its first line.
type onceReady struct{ end func() }

func (w onceReady) Write(p []byte) (int, error) {
	w.end()
	return len(p), nil
}

// The signal that ended the context is passed on, and the client's own status is returned. It is one that nohup does not
// have the tests ignore.
func TestSignalIsPassedOn(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  int
	}{{&interrupt.Stop{Signal: syscall.SIGUSR1}, 5}, {context.Canceled, 6}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := sh(&bytes.Buffer{}, `trap 'exit 5' USR1; trap 'exit 6' TERM; echo ready; while :; do sleep 0.01; done`)
		c.Stdout = onceReady{func() { cancel(tt.cause) }}
		if got, err := c.Run(ctx); got != tt.want || err != nil {
			t.Errorf("%v: status %d, %v; want %d", tt.cause, got, err, tt.want)
		}
	}
}

// A further signal kills a client that does not listen to the first.
func TestFurtherSignalKills(t *testing.T) {
	again := make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	c := sh(&bytes.Buffer{}, `trap "" HUP TERM; echo ready; while :; do sleep 0.01; done`)
	c.Stdout = onceReady{func() { cancel(&interrupt.Stop{Signal: syscall.SIGHUP, Again: again}) }}
	close(again)
	if got, err := c.Run(ctx); got != 128+int(syscall.SIGKILL) || err != nil {
		t.Errorf("status %d, %v", got, err)
	}
}

func TestEnvironment(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	given := []string{"HOME=/home/ada", "http_proxy=http://elsewhere", "NO_PROXY=localhost", "NODE_OPTIONS=--trace-warnings",
		"FLAKETAP_PROXY_AUTH=ada:p/w", "FLAKETAP_UPSTREAM_PROXY=http://x:secret@y", "FLAKETAP_CONTROL=http://old"}
	for _, tt := range []struct {
		recorder  Recorder
		has, lack []string
	}{
		{Recorder{}, []string{
			"HOME=/home/ada\n", "FLAKETAP_URL=http://127.0.0.1:8877\n", "http_proxy=http://127.0.0.1:8877\n", "ALL_PROXY=http://127.0.0.1:8877\n",
			"NO_PROXY=\n", "NODE_EXTRA_CA_CERTS=" + ca.CertFile(), "DENO_CERT=" + ca.CertFile(), "NODE_OPTIONS=--trace-warnings --require ", "-DsocksProxyHost=127.0.0.1",
		}, []string{"elsewhere", "secret", "FLAKETAP_CONTROL", "FLAKETAP_PROXY_AUTH"}},
		{Recorder{Auth: "ada:p/w", Control: "127.0.0.1:1"}, []string{
			"FLAKETAP_URL=http://127.0.0.1:8877\n", "https_proxy=http://ada:p%2Fw@127.0.0.1:8877\n", "FLAKETAP_CONTROL=http://127.0.0.1:1\n",
		}, []string{"FLAKETAP_PROXY_AUTH", "socksProxyHost", "http://old"}}, // a JVM prints its options, and would be refused without a password
	} {
		tt.recorder.Addr, tt.recorder.CA = &net.TCPAddr{IP: net.IPv4zero, Port: 8877}, ca
		env, err := Environment(given, tt.recorder)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(env, "\n") + "\n"
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		for _, not := range tt.lack {
			if strings.Contains(text, not) {
				t.Errorf("%q is in\n%s", not, text)
			}
		}
	}
}

// An API that is led by variables trusts, uses the proxy, and leaves this machine out of it, or does not.
func TestProxied(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for noProxy, all := range map[string]bool{"": true, ThisMachine: false} {
		env, err := Proxied([]string{"NODE_OPTIONS=--a"}, Recorder{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8877}, CA: ca}, noProxy)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(env, "\n") + "\n"
		for _, want := range []string{"https_proxy=http://127.0.0.1:8877\n", "NO_PROXY=" + noProxy + "\n", "NODE_OPTIONS=--a --require ",
			"NODE_EXTRA_CA_CERTS=", "-Dhttp.proxyPort=8877"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		if strings.Contains(text, "FLAKETAP_URL") || strings.Contains(text, "nonProxyHosts=") != all {
			t.Errorf("for %q it is\n%s", noProxy, text)
		}
	}
}

func TestWordsAreQuoted(t *testing.T) {
	if got := WithOptions([]string{"A=1", "AB=2"}, "A", "x", "y"); got != "1 x y" {
		t.Errorf("options are %q", got)
	}
}

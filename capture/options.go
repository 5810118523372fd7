package capture

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/upstream"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// Options say how a client, a proxy and an API stand to each other. The zero Options are a forward proxy on a free port
// of this machine, for clients that somebody else starts.
type Options struct {
	// Listen is the address that clients come to; port 0 takes any free one. "" takes Preferred, or any port of this
	// machine where that is taken.
	Listen string
	// Preferred is where the recorder listened when the client was recorded, which may have it written in; "" for
	// nowhere.
	Preferred string
	// Auth is the USER:PASSWORD that clients must give to use the recorder as a proxy; "" asks for none, which an
	// address that other machines can reach does not allow a forward proxy.
	Auth string
	// CA signs the certificates that clients are shown. It must be there to look into TLS, and to start a Command.
	CA *certs.Authority

	// Target is the API for all requests that no route is for; nil without routes makes a forward proxy.
	Target *url.URL
	// Routes are the APIs behind other paths and hosts.
	Routes []proxy.Route
	// Transparent takes connections that rules of the kernel redirect here, and lets them go on to where they were
	// going.
	Transparent bool
	// TargetHost sends the target's host in the Host field; false leaves what the client sent.
	TargetHost bool
	// Tunnel and Exclude are patterns of hosts whose TLS is not looked into, and with which exchanges are not recorded.
	Tunnel, Exclude []string
	// Upstream says how APIs are spoken to.
	Upstream upstream.Options
	// MaxBody is proxy.Proxy's: how many bytes of a body are recorded.
	MaxBody int64
	// Sequences say which requests belong to one test case.
	Sequences Sequences

	// Service is the API if it is started here; nil where others run it.
	Service *service.Service
	// Reset puts the API back to its start, before clients come. ResetTimeout bounds it; 0 means 60 s.
	Reset        service.Reset
	ResetTimeout time.Duration

	// Command is the client's command line; none lets clients come until the context ends.
	Command []string
	// Stdout takes what that command prints; its stderr goes to Console.Err. nil discards it.
	Stdout io.Writer
	// Console is told how it goes.
	Console *console.Console
	// LogLevel is from which level on the proxy's log goes to Console.Err. The zero level is slog.LevelInfo.
	LogLevel slog.Level
}

// Sequences say where sequences begin. The zero Sequences go by the headers that fuzzers send, and by marks.
type Sequences struct {
	Headers       []string      // further request headers that name the test case a request belongs to
	Gap           time.Duration // begin a new sequence after so much silence; 0: never
	PerConnection bool          // each connection of the client is a sequence; excludes Gap
	Control       string        // loopback address at which clients mark sequences; "" for none
	SayControl    bool          // say where that is even if it is for a Command, which has it in its environment
}

// Check finds what is wrong with options before anything is opened or made. Its errors are mistakes in the command line
// (console.Usage).
func (o *Options) Check() error {
	err := errors.Join(checkAddress(o.Listen), checkAuth(o.Auth), o.Sequences.check(),
		checkHosts("--tunnel", o.Tunnel), checkHosts("--exclude", o.Exclude), o.checkTransparent(tcp.Redirects))
	if err == nil && o.TargetHost && o.Target == nil && o.Routes == nil && o.Service == nil {
		err = errors.New("--host-header target needs --target")
	}
	if err == nil && o.Service == nil && o.Target != nil && o.Listen == o.Target.Host {
		err = fmt.Errorf("--listen %s is the address of the target itself: listen on another port, or run the API on another one", o.Listen)
	}
	if err != nil {
		return console.Usage(err)
	}
	return nil
}

// checkAddress refuses an address that cannot be listened on.
func checkAddress(addr string) error {
	if addr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--listen must be an address such as 127.0.0.1:8877, got %q", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return fmt.Errorf("--listen %q: the port must be a number up to 65535; 0 uses any free port", addr)
	}
	if host == "" {
		return fmt.Errorf("--listen %s has no host: use 127.0.0.1:%s for this machine only, or 0.0.0.0:%s for every network it is on", addr, port, port)
	}
	return nil
}

// checkAuth refuses what is not USER:PASSWORD. What it is belongs on no terminal.
func checkAuth(auth string) error {
	user, password, _ := strings.Cut(auth, ":")
	if auth != "" && (user == "" || password == "" ||
		strings.ContainsFunc(auth, func(r rune) bool { return r < ' ' || r == 0x7f })) {
		return errors.New("--proxy-auth must be USER:PASSWORD")
	}
	return nil
}

// checkHosts refuses what is no pattern of hosts.
func checkHosts(flag string, patterns []string) error {
	if err := proxy.Hosts(patterns).Check(); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

func (s *Sequences) check() error {
	for _, name := range s.Headers {
		if !isToken(name) {
			return fmt.Errorf("--sequence-header must be the name of a header, got %q", name)
		}
	}
	switch {
	case s.Gap < 0:
		return fmt.Errorf("--gap must be a duration such as 2s, got %s", s.Gap)
	case s.Gap > 0 && s.PerConnection:
		return errors.New("use either --gap or --per-connection, not both")
	}
	return nil
}

// isToken reports whether a header may have that name (RFC 9110 §5.6.2).
func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}) < 0
}

// headers are the request headers that name a test case: the user's own first, then those that fuzzers send.
func (s *Sequences) headers() []string {
	return append(s.Headers[:len(s.Headers):len(s.Headers)], "X-Flaketap-Sequence", "X-Schemathesis-TestCaseId",
		"x-restler-sequence-id")
}

// NewProxy returns a proxy as the options want it, which has no Recorder yet. It reads the files that Upstream names.
func (o *Options) NewProxy() (*proxy.Proxy, error) {
	target, err := o.servedTarget()
	if err != nil {
		return nil, err
	}
	config, dial, err := o.Upstream.Open()
	if err != nil {
		return nil, err
	}
	p := &proxy.Proxy{
		Target: target, Routes: o.Routes, RewriteHost: o.TargetHost, SequenceHeaders: o.Sequences.headers(), Auth: o.Auth,
		UpstreamTLS: config, Dial: dial, Tunnel: o.Tunnel, Exclude: o.Exclude, MaxBody: o.MaxBody,
		MaxConnections: maxConnections(),
	}
	if o.CA != nil {
		p.Leaves = o.CA
	}
	if o.Console != nil && o.Console.Err != nil {
		p.Log = o.logger(o.Console.Err)
	}
	if o.Transparent {
		p.Redirected = redirected
	}
	return p, nil
}

func (o *Options) logger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: o.LogLevel}))
}

// servedTarget is the target for all: where the API that is started here will be, if it says so.
func (o *Options) servedTarget() (*url.URL, error) {
	if o.Service == nil {
		return o.Target, nil
	}
	asked := ""
	if o.Target != nil {
		asked = o.Target.String()
	}
	served, err := o.Service.Locate(asked, "")
	if err != nil {
		return nil, err
	}
	return service.BaseURL(served)
}

// anyPort is an address of this machine alone, with any free port.
const anyPort = "127.0.0.1:0"

// address is where to listen first.
func (o *Options) address() string { return cmp.Or(o.Listen, o.Preferred, anyPort) }

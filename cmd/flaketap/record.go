package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// silence is how long a recorder waits for a first exchange before it says what may be wrong.
const silence = 8 * time.Second

// drain is how long a stopping recorder waits for exchanges that are under way.
const drain = 10 * time.Second

func (t *tool) recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a client's exchanges with an API",
		UsageText: "flaketap record [--target URL] [options] [-- CMD ARG…]",
		Description: "With --target it is a reverse proxy for that API; without, a forward proxy that intercepts TLS. CMD runs with\n" +
			"FLAKETAP_URL, HTTP_PROXY, HTTPS_PROXY and the CA variables set, and its status is returned.",
		Flags: common(
			&cli.StringFlag{Name: "target", Usage: "the API's base `URL`"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8877", Usage: "`ADDR`ess to listen on; port 0 takes any free one"},
			&cli.StringFlag{Name: "label", Usage: "a `NAME` for this pass"},
			&cli.StringSliceFlag{Name: "sequence-header", Usage: "a request header that `NAME`s the test case a request belongs to"},
			&cli.BoolFlag{Name: "append", Usage: "add a further pass to the recording"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before recording"},
			&cli.StringFlag{Name: "host-header", Value: "client", Usage: "whose Host goes to the API: `client` or target"},
			&cli.BoolFlag{Name: "insecure-upstream", Usage: "do not verify the API's certificate"},
			&cli.StringFlag{Name: "ca-dir", EnvVars: []string{"FLAKETAP_CA_DIR"}, Usage: "`DIR` of the certificate authority (default: in the user's configuration)"},
		),
		Action: t.record,
	}
}

func (t *tool) record(c *cli.Context) error {
	if err := errors.Join(noArgs(c), notEmpty(c, "target", "reset", "listen", "db")); err != nil {
		return usageError{err}
	}
	target, err := targetURL(c.String("target"))
	if err != nil {
		return err
	}
	authority, err := openAuthority(c.String("ca-dir"))
	if err != nil {
		return err
	}
	log, err := t.logger(c)
	if err != nil {
		return err
	}
	p := &proxy.Proxy{
		Target:          target,
		Leaves:          authority,
		SequenceHeaders: sequenceHeaders(c.StringSlice("sequence-header")),
		UpstreamTLS:     &tls.Config{InsecureSkipVerify: c.Bool("insecure-upstream")},
		Log:             log,
	}
	switch c.String("host-header") {
	case "client":
	case "target":
		p.RewriteHost = true
	default:
		return usageError{fmt.Errorf("--host-header is client or target, not %q", c.String("host-header"))}
	}
	ln, err := net.Listen("tcp", c.String("listen"))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer ln.Close()
	db, err := openForRecording(c)
	if err != nil {
		return err
	}
	t.announce(ln, target)
	err = t.recordInto(c, db, p, ln, authority)
	if failed := err != nil && !errors.As(err, new(statusError)); failed && p.Stats().Exchanges == 0 && !c.Bool("append") {
		defer os.Remove(c.String("db")) // an empty recording would only stand in the way of the next try
	}
	if cerr := db.Close(); cerr != nil && (err == nil || errors.As(err, new(statusError))) {
		return fmt.Errorf("close recording: %w", cerr)
	}
	return err
}

// recordInto runs one pass: the proxy, and the client if there is one.
func (t *tool) recordInto(c *cli.Context, db *store.Store, p *proxy.Proxy, ln net.Listener, ca *certs.Authority) error {
	pass := exchange.Pass{
		Label: c.String("label"), Started: time.Now(), Target: c.String("target"), Source: "record",
		Listen: ln.Addr().String(), Start: exchange.StartUnknown,
	}
	if len(t.client) > 0 {
		pass.Command = []string{filepath.Base(t.client[0])} // its arguments may hold credentials
	}
	if r := replay.Reset(c.String("reset")); r != "" {
		if err := r.Run(c.Context); err != nil {
			return err
		}
		pass.Start = exchange.StartReset
	}
	if _, err := db.BeginPass(pass); err != nil {
		return err
	}
	p.Recorder = db
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()

	status, err := t.drive(c, p, ln, ca, served)
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err = errors.Join(err, p.Shutdown(ctx))
	if err == nil {
		err = db.EndPass(time.Now())
	}
	if err = errors.Join(err, db.Flush()); err != nil {
		return err
	}
	t.recordSummary(c, p.Stats())
	if status != 0 {
		return statusError(status)
	}
	return nil
}

// drive lets the client run, or waits for the user to stop the recorder. It returns the client's status; an error is
// the proxy's own, or that the client could not be started.
func (t *tool) drive(c *cli.Context, p *proxy.Proxy, ln net.Listener, ca *certs.Authority, served <-chan error) (int, error) {
	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	ended := make(chan clientResult, 1)
	if len(t.client) > 0 {
		env, err := clientEnv(os.Environ(), ln.Addr(), ca)
		if err != nil {
			return 0, err
		}
		go func() { ended <- t.runClient(ctx, env) }()
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case err := <-served:
			cancel()
			if len(t.client) > 0 {
				<-ended
			}
			return 0, fmt.Errorf("record: %w", err)
		case r := <-ended:
			return r.status, r.err
		case <-quiet.C:
			if p.Stats().Exchanges == 0 {
				t.say(c, "flaketap: nothing has come through yet. Go and Java clients and some others go past a proxy for localhost;\n"+
					"flaketap: give the client the base URL http://%s instead of the API's own.", ln.Addr())
			}
		case <-ctx.Done():
			if len(t.client) > 0 {
				r := <-ended // it got the same signal, or was killed by the end of ctx
				return r.status, r.err
			}
			return 0, nil
		}
	}
}

// announce prints the one line that says where the recorder listens; scripts wait for it, so it comes even when quiet.
func (t *tool) announce(ln net.Listener, target *url.URL) {
	to := "any"
	if target != nil {
		to = target.Redacted()
	}
	fmt.Fprintf(t.err, "flaketap: recording %s -> %s\n", ln.Addr(), to)
}

func (t *tool) recordSummary(c *cli.Context, s proxy.Stats) {
	switch {
	case s.Exchanges == 0:
		t.say(c, "flaketap: nothing came through; the recording in %s is empty. Go and Java clients and some others go past a\n"+
			"flaketap: proxy for localhost: give the client the recorder's own address as its base URL.", c.String("db"))
	case s.Faults > 0:
		t.say(c, "flaketap: %d exchanges recorded in %s, %d of them faults (no HTTP answer came)", s.Exchanges, c.String("db"), s.Faults)
	default:
		t.say(c, "flaketap: %d exchanges recorded in %s", s.Exchanges, c.String("db"))
	}
}

// targetURL reads a base URL; "" gives nil.
func targetURL(s string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usageError{fmt.Errorf("target %q is no URL such as http://127.0.0.1:8080", s)}
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, usageError{fmt.Errorf("target %s: give scheme, host and port only; paths go through as they are", u.Redacted())}
	}
	if u.User != nil {
		return nil, usageError{fmt.Errorf("target %s: credentials belong into the client's requests", u.Redacted())}
	}
	return u, nil
}

// openAuthority opens the certificate authority of this installation, and makes it where there is none.
func openAuthority(dir string) (*certs.Authority, error) {
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("find a folder for the certificate authority (--ca-dir names one): %w", err)
		}
		dir = filepath.Join(config, "flaketap")
	}
	return certs.LoadOrCreate(dir)
}

// openForRecording creates the database, or opens it for a further pass.
func openForRecording(c *cli.Context) (*store.Store, error) {
	path, o := c.String("db"), store.Options{}
	if c.Bool("append") {
		if _, err := os.Stat(path); err == nil {
			return store.Open(path, o)
		}
	}
	db, err := store.Create(path, o)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already: --append adds a pass to the recording, --db FILE makes another", path)
	}
	return db, err
}

// sequenceHeaders are the request headers that name a test case: the user's own first, then those that fuzzers send.
func sequenceHeaders(own []string) []string {
	return append(own, "X-Flaketap-Sequence", "X-Schemathesis-TestCaseId", "x-restler-sequence-id")
}

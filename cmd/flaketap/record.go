package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

func (t *tool) recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a client's exchanges with an API",
		UsageText: "flaketap record [--target [/PATH=|HOST=]URL]… [options] [-- CMD ARG…]",
		Description: "With --target it is a reverse proxy for that API; without, a forward proxy that intercepts TLS. CMD runs with\n" +
			"FLAKETAP_URL, HTTP_PROXY, HTTPS_PROXY and the CA variables set, and its status is returned. With --transparent\n" +
			"it takes connections besides that rules of the kernel redirect to it, and prints such rules.",
		Flags: common(append(proxyFlags(slices.Concat(storingFlags(), startFlags())...),
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8877", Usage: "`ADDR`ess to listen on; port 0 takes any free one"},
			&cli.StringFlag{Name: "label", Usage: "a `NAME` for this pass"},
			metricsFlag(),
			&cli.StringFlag{Name: "on-store-error", Value: "stop", Usage: "what follows when the recording cannot be written: `stop`, or pass: go on unrecorded"},
			resetTimeoutFlag(),
			&cli.BoolFlag{Name: "append", Usage: "add a further pass to the recording"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before recording"},
		)...),
		Action: t.record,
	}
}

// proxyFlags say how the recorder stands between client and API.
func proxyFlags(more ...cli.Flag) []cli.Flag {
	return append(upstreamFlags(append(sequenceFlags(), more...)...),
		targetsFlag(),
		transparentFlag(),
		&cli.StringSliceFlag{Name: "tunnel", Usage: "`HOST` whose TLS is not looked into, as *.example.com: it passes unrecorded"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "`HOST` with which exchanges are not recorded, as *.example.com or localhost:9090"},
		proxyAuthFlag(),
		&cli.StringFlag{Name: "host-header", Value: "client", Usage: "whose Host goes to the API: `client` or target"},
		&cli.StringFlag{Name: "ca-dir", EnvVars: []string{"FLAKETAP_CA_DIR"}, Usage: "`DIR` of the certificate authority (default: in the user's configuration)"},
	)
}

func (t *tool) record(c *cli.Context) error {
	service, reset, err := t.knownStart(c)
	if err != nil {
		return err
	}
	p, err := t.recordingProxy(c, service)
	if err != nil {
		return err
	}
	maxBody, options, err := storing(c)
	if err != nil {
		return err
	}
	p.MaxBody, p.MaxConnections = maxBody, maxConnections()
	if err := errors.Join(checkListen(c.String("listen")), checkSequences(c)); err != nil {
		return err
	}
	authority, err := openAuthority(c.String("ca-dir"))
	if err != nil {
		return err
	}
	ln, second, err := listenTwice(c, p)
	if err != nil {
		return err
	}
	defer ln.Close()
	if second != nil {
		defer second.Close()
	}
	sequences := sequencer(c)
	ctl, err := startControl(c, p, sequences)
	if err != nil {
		return err
	}
	defer ctl.close()
	metrics, err := openMetrics(c)
	if err != nil {
		return err
	}
	if metrics != nil {
		defer metrics.Close()
	}
	db, rest, err := openForRecording(c, options)
	if err != nil {
		return err
	}
	interrupt.CatchBrokenPipe()
	r := &recorder{tool: t, c: c, db: db, proxy: p, ln: ln, second: second, ca: authority, served: make(chan error, 2),
		service: service, reset: reset}
	r.showStatus()
	r.storeWith(sequences, rest)
	p.Log, _ = t.logger(c) // that there is such a level was checked
	rec, err := db.Recording()
	if err == nil {
		err = r.startAPI("pass", len(rec.Passes)+1)
	}
	if err != nil {
		return r.close(0, err)
	}
	r.announceAll()
	defer r.serveMetrics(metrics).close()
	status, err := r.run()
	return r.close(status, err)
}

// announceAll says where the recorder listens, and what follows from that.
func (r *recorder) announceAll() {
	r.announce(r.ln, r.proxy)
	r.warnOpen(r.ln, r.proxy)
	r.announceControl(r.c, r.proxy)
	r.announceRules(r.c, r.ln)
}

// storeWith has the proxy hand over what it records: to be marked, redacted where that is wanted, and stored.
func (r *recorder) storeWith(sequences *proxy.Sequencer, rest *redact.Rest) {
	r.keep = &keeper{store: r.db, rest: rest, goOn: r.c.String("on-store-error") == "pass", watch: r.line != nil, tell: r.storeFailed}
	sequences.Recorder = r.keep
	r.proxy.Recorder, r.proxy.Leaves = sequences, r.ca
	if rest == nil { // else a body must be there as a whole before any of it is stored
		r.proxy.Keeper = r.keep
	}
}

// recordingProxy returns a proxy as the flags want it. Every mistake in them is found here, before anything is made.
func (t *tool) recordingProxy(c *cli.Context, service *service.Service) (*proxy.Proxy, error) {
	if err := noArgs(c); err != nil {
		return nil, err
	}
	return t.proxyOf(c, service)
}

// proxyOf is recordingProxy for a command that has arguments of its own.
func (t *tool) proxyOf(c *cli.Context, service *service.Service) (*proxy.Proxy, error) {
	target, routes, err := targets(c)
	if err != nil {
		return nil, err
	}
	return t.proxyTo(c, service, target, routes)
}

// proxyTo does what proxyOf does, for targets that are known by other means than flags.
func (t *tool) proxyTo(c *cli.Context, service *service.Service, target *url.URL, routes []proxy.Route) (*proxy.Proxy, error) {
	var err error
	if target, err = recordedService(service, target); err != nil {
		return nil, err
	}
	if _, err := t.logger(c); err != nil {
		return nil, err
	}
	headers := c.StringSlice("sequence-header")
	for _, name := range headers {
		if !isToken(name) {
			return nil, console.Usage(fmt.Errorf("--sequence-header %q is no name of a header", name))
		}
	}
	if s := c.String("on-store-error"); s != "stop" && s != "pass" && hasFlag(c.Command, "on-store-error") {
		return nil, console.Usage(fmt.Errorf("--on-store-error is stop or pass, not %q", s))
	}
	if err := checkHosts(c, "tunnel", "exclude"); err != nil {
		return nil, err
	}
	upstream, dial, err := upstreamOptions(c).Open()
	if err != nil {
		return nil, err
	}
	p := &proxy.Proxy{Target: target, Routes: routes, SequenceHeaders: sequenceHeaders(headers), UpstreamTLS: upstream, Dial: dial,
		Tunnel: c.StringSlice("tunnel"), Exclude: c.StringSlice("exclude")}
	if err := takeRedirected(c, p, tcp.Redirects); err != nil {
		return nil, err
	}
	switch c.String("host-header") {
	case "client":
	case "target":
		if target == nil && routes == nil {
			return nil, console.Usage(errors.New("--host-header target needs a --target"))
		}
		p.RewriteHost = true
	default:
		return nil, console.Usage(fmt.Errorf("--host-header is client or target, not %q", c.String("host-header")))
	}
	return p, nil
}

// checkListen refuses what is no address to listen on.
func checkListen(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return console.Usage(fmt.Errorf("--listen %q is no address such as 127.0.0.1:8877", addr))
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return console.Usage(fmt.Errorf("--listen %q: a port is a number up to 65535; 0 takes any free one", addr))
	}
	return nil
}

// isToken reports whether a header may have that name (RFC 9110 §5.6.2).
func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}) < 0
}

// announce prints the one line that says where the recorder listens; scripts wait for it, so it comes even when quiet.
func (t *tool) announce(ln net.Listener, p *proxy.Proxy) {
	fmt.Fprintf(t.err, "flaketap: recording %s -> %s\n", ln.Addr(), cmp.Or(targetsText(p), "any"))
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

// openForRecording opens the database for a pass, with what redacts its exchanges: nil where they are stored as they are.
func openForRecording(c *cli.Context, o store.Options) (*store.Store, *redact.Rest, error) {
	db, err := openOrCreate(c, o)
	if err != nil {
		return nil, nil, err
	}
	rest, err := atRest(c, db)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, rest, nil
}

// openOrCreate creates the database, or opens it for a further pass.
func openOrCreate(c *cli.Context, o store.Options) (*store.Store, error) {
	path := c.String("db")
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

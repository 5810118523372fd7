package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/replay/service"
)

// Options say which API is run, and what its external services are.
type Options struct {
	// Stubs are the folders with the stubs; those of later ones go before those of earlier ones.
	Stubs []string
	// Service is the API.
	Service *service.Service
	// Reset puts the API back to its start, before clients come.
	Reset service.Reset
	// Launch returns a program with its arguments that calls intercept.Launch with a socket, and with the command that is
	// given behind them.
	Launch func(socket string) []string
	// Local are ports of this machine that are external services too.
	Local []uint16
	// Allow are the hosts whose real services are connected to.
	Allow []string
	// Unknown is what becomes of a request that no stub is for.
	Unknown mock.Unknown
	// Command is the client's command line; none lets clients come until the context ends.
	Command []string
	// Stdout takes what that command prints.
	Stdout  io.Writer
	Console *console.Console
	Log     *slog.Logger // nil discards it
}

// run is one run of an API with its mocks.
type run struct {
	o       Options
	server  *mock.Server
	leading *intercept.Interceptor
	dir     string // of the certificates

	mu        sync.Mutex
	connected []Service
}

// open makes what an API is run with. Its close ends that.
func open(o Options, stubs []mock.Stub) (*run, error) {
	dir, err := os.MkdirTemp("", "flaketap-mock-")
	if err != nil {
		return nil, fmt.Errorf("make folder for certificates: %w", err)
	}
	r := &run{o: o, dir: dir}
	if err := r.prepare(stubs); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// prepare has the API's connections led here, and the API trust who answers them.
func (r *run) prepare(stubs []mock.Stub) error {
	ca, err := certs.LoadOrCreate(filepath.Join(r.dir, "ca"))
	if err != nil {
		return err
	}
	r.server = &mock.Server{Book: mock.NewBook(stubs), Leaves: ca, Calls: &mock.Calls{}, Unknown: r.o.Unknown,
		Log: r.o.Log}
	if r.leading, err = intercept.Open(intercept.Options{Serve: r.serve, Local: r.o.Local, Log: r.o.Log}); err != nil {
		return err
	}
	if r.o.Service.Env, err = client.Trusting(os.Environ(), ca); err != nil {
		return err
	}
	r.o.Service.Through = r.o.Launch(r.leading.Socket())
	return nil
}

func (r *run) close() (err error) {
	if r.leading != nil {
		err = r.leading.Close()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// Run starts the API, lets the client through, and returns its status and what was seen of external services.
func Run(ctx context.Context, o Options) (status int, rep Report, err error) {
	stubs, err := readStubs(o.Stubs)
	if err != nil {
		return 0, rep, err
	}
	r, err := open(o, stubs)
	if err != nil {
		return 0, rep, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	status, err = r.play(ctx, len(stubs))
	calls, more := r.server.Calls.List()
	r.mu.Lock()
	defer r.mu.Unlock()
	return status, report(r.connected, redacted(calls), more, r.leading.Refused()), err
}

// readStubs reads the stubs of folders.
func readStubs(dirs []string) (all []mock.Stub, err error) {
	for _, dir := range dirs {
		stubs, err := mock.ReadStubs(os.DirFS(dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		all = append(all, stubs...)
	}
	return all, nil
}

// play runs the API, and the client beside it.
func (r *run) play(ctx context.Context, stubs int) (status int, err error) {
	api, err := r.o.Service.Start(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, api.Stop()) }()
	if err := api.Reset(r.o.Reset).Run(ctx); err != nil {
		return 0, err
	}
	where := "the API"
	env := os.Environ()
	if target := api.Target(); target != nil {
		where = target.String()
		env = append(env, "FLAKETAP_URL="+where)
	}
	r.o.Console.Warn("flaketap: serving %s with %s for its external services", where, console.Count(stubs, "stub"))
	if len(r.o.Command) == 0 {
		select {
		case <-ctx.Done():
			return 0, nil
		case <-api.Ended():
			return 0, api.Died("while it was served")
		}
	}
	c := client.Command{Args: r.o.Command, Env: env, Stdout: r.o.Stdout, Console: r.o.Console}
	if r.o.Console != nil {
		c.Stderr = r.o.Console.Err
	}
	return c.Run(ctx)
}

// serve answers for a service that the API connects to for the first time.
func (r *run) serve(s intercept.Service, l net.Listener) {
	allowed := slices.ContainsFunc(r.o.Allow, func(host string) bool { return strings.EqualFold(host, s.Host) })
	r.mu.Lock()
	if !slices.ContainsFunc(r.connected, func(x Service) bool { return x.Service == s.String() }) {
		r.connected = append(r.connected, Service{Service: s.String(), Schemes: []string{}, Allowed: allowed})
	}
	r.mu.Unlock()
	if allowed {
		go tcp.Each(l, func(c net.Conn) { join(c, s.String()) })
		return
	}
	go func() {
		if err := r.server.Serve(s.Host, s.Port, l); err != nil && r.o.Log != nil {
			r.o.Log.Warn("a service is answered no more", "err", err)
		}
	}()
}

// join joins a connection with one to the real service.
func join(c net.Conn, addr string) {
	defer c.Close()
	up, err := net.Dial("tcp", addr)
	if err != nil {
		return // it ends for the API as one that the service ends
	}
	defer up.Close()
	go func() {
		_, _ = io.Copy(up, c) // how it ended the other side is told by its end
		_ = up.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, up)
}

// redacted are calls whose targets show no secrets.
func redacted(calls []mock.Counted) []mock.Counted {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it has no error
	out := make([]mock.Counted, len(calls))
	for i, c := range calls {
		c.Target = redact.Target(exchange.Redactor{Key: key}, c.Target)
		out[i] = c
	}
	return out
}

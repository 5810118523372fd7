package serve

import (
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
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/replay/service"
)

// Externals say what the external services of an API are.
type Externals struct {
	// Stubs are the folders with the stubs; those of later ones go before those of earlier ones.
	Stubs []string
	// Launch returns a program with its arguments that calls intercept.Launch with a socket, and with the command that is
	// given behind them.
	Launch func(socket string) []string
	// Local are ports of this machine that are external services too.
	Local []uint16
	// Allow are the hosts whose real services are connected to.
	Allow []string
	// Unknown is what becomes of a request that no stub is for.
	Unknown mock.Unknown
	Log     *slog.Logger // nil discards it
}

// Led is an API whose connections come here, however often it is started. [Externals.Lead] makes it.
type Led struct {
	of      *Externals
	server  *mock.Server
	stubs   int // how many there are
	taken   *intercept.Interceptor
	dir     string // of the certificates
	serving sync.WaitGroup

	mu        sync.Mutex
	connected []Service
}

// Lead has an API that is not started yet come to be led, and its calls recorded where there is a recorder. The caller
// closes what is returned, once the API has ended. What is wrong with stubs, or with this system, is an error.
func (x *Externals) Lead(api *service.Service, to *mock.Recorder) (l *Led, err error) {
	stubs, err := readStubs(x.Stubs)
	if err != nil {
		return nil, err
	}
	l = &Led{of: x, stubs: len(stubs)}
	if l.dir, err = os.MkdirTemp("", "flaketap-mock-"); err != nil {
		return nil, fmt.Errorf("make folder for certificates: %w", err)
	}
	if err = l.open(api, stubs, to); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Led) open(api *service.Service, stubs []mock.Stub, to *mock.Recorder) error {
	ca, err := certs.LoadOrCreate(filepath.Join(l.dir, "ca"))
	if err != nil {
		return err
	}
	l.server = &mock.Server{Book: mock.NewBook(stubs), Leaves: ca, Calls: &mock.Calls{}, Unknown: l.of.Unknown,
		Recorder: to, Log: l.of.Log}
	if l.taken, err = intercept.Open(intercept.Options{Serve: l.serve, Local: l.of.Local, Log: l.of.Log}); err != nil {
		return err
	}
	if api.Env, err = client.Trusting(os.Environ(), ca); err != nil {
		return err
	}
	api.Through = l.of.Launch(l.taken.Socket())
	return nil
}

// Close leads nothing any more, and ends what is left of the API. Once it returns, all calls are recorded.
func (l *Led) Close() (err error) {
	if l.taken != nil {
		err = l.taken.Close()
	}
	l.serving.Wait()
	return errors.Join(err, os.RemoveAll(l.dir))
}

// Report is what was seen so far.
func (l *Led) Report() Report {
	calls, more := l.server.Calls.List()
	l.mu.Lock()
	defer l.mu.Unlock()
	return report(l.connected, redacted(calls), more, l.taken.Refused())
}

// Folders are folders with stubs; those of later ones go before those of earlier ones.
type Folders []string

// Stubs reads the stubs.
func (f Folders) Stubs() ([]mock.Stub, error) { return readStubs(f) }

// Samples are the stubs as descriptions of their services are made of them.
func (f Folders) Samples() ([]export.Sample, error) {
	stubs, err := readStubs(f)
	return export.SamplesOf(stubs), err
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

// serve answers for a service that the API connects to for the first time.
func (l *Led) serve(s intercept.Service, ln net.Listener) {
	allowed := slices.ContainsFunc(l.of.Allow, func(host string) bool { return strings.EqualFold(host, s.Host) })
	l.mu.Lock()
	if !slices.ContainsFunc(l.connected, func(x Service) bool { return x.Service == s.String() }) {
		l.connected = append(l.connected, Service{Service: s.String(), Schemes: []string{}, Allowed: allowed})
	}
	l.mu.Unlock()
	if allowed {
		go tcp.Each(ln, func(c net.Conn) { join(c, s.String()) })
		return
	}
	l.serving.Go(func() {
		if err := l.server.Serve(s.Host, s.Port, ln); err != nil && l.of.Log != nil {
			l.of.Log.Warn("a service is answered no more", "err", err)
		}
	})
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

// anyRedactor has a key that nobody keeps: its tokens tell the secrets of one report apart, and of no other.
func anyRedactor() exchange.Redactor {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it has no error
	return exchange.Redactor{Key: key}
}

// redacted are calls whose targets show no secrets.
func redacted(calls []mock.Counted) []mock.Counted {
	r, out := anyRedactor(), make([]mock.Counted, len(calls))
	for i, c := range calls {
		c.Target = redact.Target(r, c.Target)
		out[i] = c
	}
	return out
}

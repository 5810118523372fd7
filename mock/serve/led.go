package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/grpc"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/mock/recorded"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// Externals say what the external services of an API are.
type Externals struct {
	// Stubs are the folders with the stubs; those of later ones go before those of earlier ones.
	Stubs []string
	// Recorded answers, anew for each start, where there are no Stubs, and where services are to be frozen; nil: nothing.
	Recorded *recorded.Recording
	// Intercept names the engine by which the API's connections come here; "" is intercept.AnyEngine.
	Intercept string
	// Self is a program with its arguments that calls intercept.Stage with the words that are given behind them.
	Self []string
	// Local are ports of this machine that are external services too.
	Local []uint16
	// Allow are the hosts whose real services are connected to.
	Allow []string
	// GRPC are the services whose calls of gRPC are answered, and read where they are recorded.
	GRPC grpc.Services
	// Unknown is what becomes of a request that no stub is for.
	Unknown mock.Unknown
	// MaxBody bounds, in bytes, what is recorded of a body; 0 means proxy.DefaultMaxBody.
	MaxBody int64
	Log     *slog.Logger // nil discards it

	beside *intercept.Networks // of APIs that are led at once; nil: by these alone
	slowBy time.Duration       // how much later slow services answer; 0: slowBy
}

// Together has the APIs that copies of these lead at once be in each other's way nowhere.
func (x *Externals) Together() { x.beside = &intercept.Networks{} }

// Led is an API whose connections come here, however often it is started. [Externals.Lead] makes it.
type Led struct {
	of      *Externals
	server  *mock.Server
	dir     string // of this run
	stubs   []mock.Stub
	engine  Engine
	taken   intercept.Interceptor
	close   func() error // ends what it stands on
	serving sync.WaitGroup

	mu        sync.Mutex
	connected []Service
	real      []before
	missed    []intercept.Refusal // connections to real services that could not be made, one for each of these
}

// before is a proxy that stands before a service that is allowed.
type before struct {
	service string
	proxy   *proxy.Proxy
}

// Lead has an API that is not started yet come to be led, and its calls recorded where there is a recorder. The caller
// closes what is returned, once the API has ended. What is wrong with stubs, or with this system, is an error.
func (x *Externals) Lead(ctx context.Context, api *service.Service, to *mock.Recorder) (l *Led, err error) {
	g, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	if l, err = g.lead(api, to); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	l.close = g.Close
	return l, nil
}

// lead is that, on ground that is there.
func (g *ground) lead(api *service.Service, to *mock.Recorder) (*Led, error) {
	of := *g.of
	l := &Led{of: &of, dir: g.folder.path, stubs: g.stubs, engine: g.led}
	l.server = &mock.Server{Book: mock.NewBook(g.stubs), Leaves: g.ca, Calls: &mock.Calls{}, Distrusts: &mock.Distrusts{},
		Foreigners: &mock.Foreigners{}, Unknown: of.Unknown, GRPC: of.GRPC, Recorder: to, Log: of.Log}
	if of.Recorded != nil && len(of.Stubs) == 0 {
		l.server.Answers = of.Recorded.Begin()
	}
	l.arrange(api.Environment.Externals())
	var err error
	o := intercept.Options{Self: of.Self, Dir: g.folder.path, Serve: l.serve, Local: of.Local,
		Direct: l.allows, Beside: g.beside, Log: of.Log}
	if l.taken, err = g.engine.Open(o); err != nil {
		return nil, err
	}
	if api.Env, err = g.environment(l); err != nil {
		return nil, errors.Join(err, l.taken.Close())
	}
	api.Through = l.taken.Through()
	return l, nil
}

// allows reports whether a host's real service is connected to.
func (l *Led) allows(host string) bool {
	return slices.ContainsFunc(l.of.Allow, func(allowed string) bool { return strings.EqualFold(allowed, host) })
}

// slowBy is how much later slow services answer: by more than many clients wait, by less than most do.
const slowBy = 3 * time.Second

// arrange has services be other than usual.
func (l *Led) arrange(how, changed string) {
	switch exchange.PerturbExternals + "=" + how {
	case exchange.ExternalsFrozen, exchange.ExternalsChanged:
		l.of.Allow, l.server.Book = nil, mock.NewBook(nil)
		l.server.Answers = l.of.Recorded.BeginChanged(changed)
	case exchange.ExternalsDown:
		l.of.Allow, l.server.Book, l.server.Answers, l.server.Unknown = nil, mock.NewBook(nil), nil, mock.Refuse
	case exchange.ExternalsSlow:
		l.server.Delay = cmp.Or(l.of.slowBy, slowBy)
	}
}

// dial connects to a real service, once that may answer.
func (l *Led) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := replay.Pause(ctx, l.server.Delay); err != nil {
		return nil, err
	}
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// Close leads nothing any more, and ends what is left of the API. Once it returns, all calls are recorded.
func (l *Led) Close() error {
	l.server.Distrusts.Ended()
	err := l.taken.Close()
	l.mu.Lock()
	real := l.real
	l.mu.Unlock()
	for _, b := range real {
		finish(b.proxy)
	}
	l.serving.Wait()
	if l.close != nil {
		err = errors.Join(err, l.close())
	}
	return err
}

// Report is what was seen so far.
func (l *Led) Report() Report {
	calls, more := l.server.Calls.List()
	l.mu.Lock()
	defer l.mu.Unlock()
	distrusted := l.server.Distrusts.List()
	for _, b := range l.real {
		if n := b.proxy.Stats().Untrusting; n > 0 {
			distrusted = append(distrusted, mock.Distrust{Service: b.service, Times: int(n)})
		}
	}
	return report(l.engine, l.connected, redacted(calls), more, distrusted, l.server.Foreigners.List(),
		append(l.taken.Refused(), l.missed...))
}

// Folders are folders with stubs; those of later ones go before those of earlier ones.
type Folders []string

// Stubs reads the stubs.
func (f Folders) Stubs() ([]mock.Stub, error) { return readStubs(f) }

// Behaviors reads the stubs of each behavior of the folder of a search, where that is the only one; nil where it is
// none. The error says too that nothing was found.
func (f Folders) Behaviors() ([]export.Set, error) {
	if len(f) != 1 {
		return nil, nil // behaviors are alternatives: they go with no other stubs
	}
	_, all, is, err := readFound(f[0])
	if is && err == nil && len(all) == 0 {
		err = fmt.Errorf("read behaviors: the search of %s found none", f[0])
	}
	return all, err
}

// Samples are the stubs as descriptions of their services are made of them; of the folder of a search, those of all its
// behaviors, with what it learnt of fields.
func (f Folders) Samples() (all []export.Sample, err error) {
	for _, dir := range f {
		samples, is, err := foundSamples(dir)
		if err == nil && !is {
			var stubs []mock.Stub
			stubs, err = readStubs([]string{dir})
			samples = export.SamplesOf(stubs)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
	}
	return all, nil
}

// readStubs reads the stubs of folders.
func readStubs(dirs []string) (all []mock.Stub, err error) {
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fmt.Errorf("read stubs: %w", err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("read stubs: %s is a file: name the folder that it lies in", dir)
		}
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
	allowed := l.allows(s.Host)
	l.mu.Lock()
	if !slices.ContainsFunc(l.connected, func(x Service) bool { return x.Service == s.String() }) {
		l.connected = append(l.connected, Service{Service: s.String(), Schemes: []string{}, Allowed: allowed})
	}
	l.mu.Unlock()
	if allowed && l.server.Recorder != nil {
		l.relay(s.String(), ln)
		return
	}
	if allowed {
		go tcp.Each(ln, func(c net.Conn) { l.join(c, s.String()) })
		return
	}
	l.serving.Go(func() { l.warn(l.server.Serve(s.Host, s.Port, ln)) })
}

func (l *Led) warn(err error) {
	if err != nil && l.of.Log != nil {
		l.of.Log.Warn("a service is answered no more", "err", err)
	}
}

// relay has the API speak with the real service through a recorder.
func (l *Led) relay(addr string, ln net.Listener) {
	to := l.server.Recorder
	p := &proxy.Proxy{
		Redirected: func(net.Conn) (string, bool) { return addr, true }, Leaves: l.server.Leaves, Dial: l.dial,
		Recorder: &relayed{calls: l.server.Calls, service: addr, grpc: l.of.GRPC, to: to}, MaxBody: to.MaxBody, Log: l.of.Log,
	}
	l.mu.Lock()
	l.real = append(l.real, before{addr, p})
	l.mu.Unlock()
	l.serving.Go(func() {
		if err := p.Serve(ln); !errors.Is(err, net.ErrClosed) {
			l.warn(err)
		}
	})
}

// finish waits for what is under way with a real service, and ends it where that takes long.
func finish(p *proxy.Proxy) {
	ctx, cancel := context.WithTimeout(context.Background(), mock.Lingers)
	defer cancel()
	if p.Shutdown(ctx) != nil {
		_ = p.Close() // it has no error
	}
}

// relayed takes what a real service was asked, and what it answered.
type relayed struct {
	calls   *mock.Calls
	service string
	grpc    grpc.Services
	to      *mock.Recorder
}

// Record implements proxy.Recorder.
func (r *relayed) Record(e *exchange.Exchange) error {
	x := &exchange.External{Exchange: *e, Real: true}
	x.Addr, x.Conn, x.Sequence, x.Target = r.service, 0, "", ""
	x.Exchange = r.grpc.Recorded(x.Exchange)
	call := mock.Call{Service: r.service, Scheme: e.Scheme, Method: e.Request.Method, Target: e.Request.Target}
	if x.Response != nil {
		call.Status = x.Response.Status
	}
	r.calls.Add(call)
	r.to.Record(x)
	return nil
}

// join joins a connection with one to the real service.
func (l *Led) join(c net.Conn, addr string) {
	defer c.Close()
	up, err := l.dial(context.Background(), "tcp", addr)
	if err != nil {
		l.miss(addr, err)
		return // it ends for the API as one that the service ends
	}
	defer up.Close()
	go func() {
		_, _ = io.Copy(up, c) // how it ended the other side is told by its end
		_ = up.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, up)
}

// maxMissed bounds the places of real services that are told which cannot be connected to.
const maxMissed = 1000

// miss notes that a real service cannot be connected to.
func (l *Led) miss(addr string, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.missed, func(r intercept.Refusal) bool { return r.To == addr })
	if at >= 0 {
		l.missed[at].Times++
		return
	}
	if len(l.missed) >= maxMissed {
		return
	}
	why := fmt.Sprintf("the real service, which is allowed, cannot be connected to: %v", cause)
	l.missed = append(l.missed, intercept.Refusal{Network: "tcp", To: addr, Why: why, Times: 1})
	if l.of.Log != nil {
		l.of.Log.Info("a real service cannot be connected to", "service", addr, "err", cause)
	}
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

package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// ground is what all starts of an API have in common: stubs, an authority, and what has the API trust it.
type ground struct {
	of     *Externals
	stubs  []mock.Stub
	folder *folder
	ca     *certs.Authority
	env    []string // that trusts them, and uses no proxy
	engine intercept.Engine
	led    Engine              // what is told of it
	beside *intercept.Networks // of all starts
}

func (x *Externals) open(ctx context.Context) (g *ground, err error) {
	g = &ground{of: x, beside: cmp.Or(x.beside, &intercept.Networks{})}
	if g.stubs, err = readStubs(x.Stubs); err != nil {
		return nil, err
	}
	var why string
	if g.folder, err = makeFolder(); err != nil {
		return nil, err
	}
	defer func(made *ground) {
		if err != nil {
			err = errors.Join(err, made.Close())
		}
	}(g)
	if g.engine, why, err = intercept.Choose(ctx, x.Intercept, x.Self, g.folder.path); err != nil {
		return nil, err
	}
	g.led = Engine{Name: g.engine.Name, Why: why, Blind: g.engine.Blind}
	if x.Log != nil && g.engine.Blind != "" {
		x.Log.Warn("not all connections are led", "engine", g.engine.Name, "why", cmp.Or(why, "it was asked for"))
	}
	if g.ca, err = certs.LoadOrCreate(filepath.Join(g.folder.path, "ca")); err != nil {
		return nil, err
	}
	g.env, err = client.Trusting(os.Environ(), g.ca)
	return g, err
}

// environment are the variables of an API that is led.
func (g *ground) environment(l *Led) ([]string, error) {
	redirected, proxy := l.taken.Variables(os.Environ())
	if proxy == nil {
		return g.env, nil
	}
	for _, kv := range redirected {
		name, _, _ := strings.Cut(kv, "=")
		l.engine.Redirected = append(l.engine.Redirected, name)
	}
	past := client.ThisMachine
	if len(l.of.Local) > 0 {
		past = ""
	}
	env, err := client.Proxied(os.Environ(), client.Recorder{Addr: proxy, CA: g.ca}, past)
	return append(env, redirected...), err
}

// Close removes the certificates.
func (g *ground) Close() error { return g.folder.remove() }

// Outside are the external services of an API that a command starts, each time and wherever it does. Its methods may be
// called from several goroutines.
type Outside struct {
	ground *ground

	mu    sync.Mutex
	seen  Report // of all starts that have ended, without calls
	first map[string]string
}

// Open reads the stubs, and makes what all starts have in common. The caller closes it.
func (x *Externals) Open(ctx context.Context) (*Outside, error) {
	g, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	return &Outside{ground: g, seen: Report{Engine: g.led}, first: map[string]string{}}, nil
}

// Lead is a service.Leader's: each start of it is led by itself, beside others, with scenarios and recorded answers
// from their beginning. Its Asked takes what is asked.
func (o *Outside) Lead(api *service.Service) (end func() error, err error) {
	var to *mock.Recorder
	if api.Asked != nil {
		to = &mock.Recorder{Record: api.Asked, MaxBody: cmp.Or(o.ground.of.MaxBody, proxy.DefaultMaxBody)}
	}
	led, err := o.ground.lead(api, to)
	if err != nil {
		return nil, err
	}
	return func() error {
		err := led.Close()
		o.add(led.Report())
		return err
	}, nil
}

// Recorded is a service.Leader's.
func (o *Outside) Recorded() []string {
	if o.ground.of.Recorded == nil {
		return nil
	}
	return o.ground.of.Recorded.Values()
}

// Answers reports whether any service has an answer: from stubs, from a recording, or its own.
func (o *Outside) Answers() bool {
	of, count := o.ground.of, 0
	if of.Recorded != nil && len(of.Stubs) == 0 {
		count, _ = of.Recorded.Len()
	}
	return len(o.ground.stubs) > 0 || len(of.Allow) > 0 || count > 0
}

// Close ends it, once no start is left.
func (o *Outside) Close() error { return o.ground.Close() }

// add adds what one start has seen.
func (o *Outside) add(r Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	real := map[string]bool{}
	for _, s := range r.Services {
		at := slices.IndexFunc(o.seen.Services, func(x Service) bool {
			return x.Service == s.Service && x.Allowed == s.Allowed
		})
		if s.Allowed {
			real[s.Service] = true
		}
		if at < 0 {
			o.seen.Services = append(o.seen.Services, s)
			continue
		}
		o.seen.Services[at].Calls += s.Calls
		o.seen.Services[at].Unmatched += s.Unmatched
		o.seen.Services[at].Failed += s.Failed
		o.seen.Services[at].Foreign = o.seen.Services[at].Foreign.Plus(s.Foreign)
		for _, d := range s.Distrusted {
			o.seen.Services[at].Distrusted = mock.AddDistrust(o.seen.Services[at].Distrusted, d)
		}
	}
	for _, c := range r.Calls {
		if c.Stub == "" && !real[c.Service] && o.first[c.Service] == "" {
			c.Times = 1
			o.first[c.Service] = said(c)
		}
	}
	for _, x := range r.Refused {
		at := slices.IndexFunc(o.seen.Refused, func(y Refused) bool { y.Times = x.Times; return x == y })
		if at < 0 {
			o.seen.Refused = append(o.seen.Refused, x)
			continue
		}
		o.seen.Refused[at].Times += x.Times
	}
	o.seen.More += r.More
	o.seen.Engine = r.Engine
}

// Text says for people what was asked of each service, on a line each, and what was refused.
func (o *Outside) Text(w io.Writer) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortStableFunc(o.seen.Services, func(a, b Service) int { return cmp.Compare(a.Service, b.Service) })
	p := &printer{w: w, before: "flaketap: "}
	for _, s := range o.seen.Services {
		first := ""
		if s.Unmatched > 0 {
			first = ": " + o.first[s.Service]
		}
		p.service(s, first)
	}
	p.ends(o.seen)
	return p.err
}

// String says what was asked of a service.
func (s Service) String() string {
	switch {
	case s.Allowed && s.Calls > 0:
		return fmt.Sprintf("%s: %s of the real service, allowed, %d without an answer", s.Service,
			console.Count(s.Calls, "call"), s.Failed)
	case s.Allowed:
		return s.Service + ": the real service, allowed"
	case s.Calls == 0:
		return s.Service + ": connected to, and asked nothing that is HTTP"
	}
	return fmt.Sprintf("%s: %s, %d without a stub", s.Service, console.Count(s.Calls, "call"), s.Unmatched)
}

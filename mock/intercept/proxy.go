package intercept

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/proxy"
)

// proxyBlind is what goes past proxied.
const proxyBlind = "the API is led by variables of its environment alone: what goes by no proxy and by no URL of a variable " +
	"(databases, queues, datagrams, clients that do not read such variables) is not seen here, and leaves this machine"

// proxied takes what processes send to a proxy, and to the URLs of variables, of any system. It is an engine that fails
// open: what does not heed the variables goes where it wants.
type proxied struct {
	options  Options
	log      *slog.Logger
	own      func(netip.Addr) bool
	listener net.Listener
	proxy    *proxy.Proxy
	served   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	services map[Service]net.Listener
}

// openProxy makes an interceptor that is a proxy.
func openProxy(o Options) (Interceptor, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open interceptor: %w", err)
	}
	p := &proxied{options: o, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), own: ownAddresses(), listener: l,
		services: map[Service]net.Listener{}}
	p.proxy = &proxy.Proxy{Dial: p.dial, MaxBody: proxy.NoBodies, Log: p.log}
	p.served.Go(func() {
		if err := p.proxy.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			p.log.Warn("connections are led no more", "err", err)
		}
	})
	return p, nil
}

// Through is nil.
func (*proxied) Through() []string { return nil }

// Refused is empty: what does not come here is not seen.
func (*proxied) Refused() []Refusal { return nil }

// Variables leads the URLs of other machines that variables have, and names the proxy for all else.
func (p *proxied) Variables(env []string) (redirected []string, addr net.Addr) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") {
			continue
		}
		if at := p.redirect(value); at != "" {
			redirected = append(redirected, name+"="+at)
		}
	}
	slices.Sort(redirected)
	return redirected, p.listener.Addr()
}

// redirect is a URL of a service with the address of its listener here; "" for all other texts. No client has a
// certificate for that address, so it is spoken to in the clear.
func (p *proxied) redirect(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	s, ok := p.serviceAt(net.JoinHostPort(u.Hostname(), port))
	if !ok || p.options.Direct != nil && p.options.Direct(s.Host) {
		return "" // the real one may want to be spoken to in TLS: that goes by the proxy
	}
	at, err := p.listen(s)
	if err != nil {
		p.log.Warn("a variable is left as it is", "service", s.String(), "err", err)
		return ""
	}
	u.Scheme, u.Host = "http", at
	return u.String()
}

// serviceAt is the service at an address that a process named; ok is false where that is this machine's own.
func (p *proxied) serviceAt(addr string) (s Service, ok bool) {
	host, port, err := net.SplitHostPort(addr)
	n, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil {
		return s, false
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	here := isLocalhost(host) || err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified() || p.own(ip.Unmap()))
	if !here {
		return Service{host, uint16(n)}, true
	}
	return Service{"localhost", uint16(n)}, slices.Contains(p.options.Local, uint16(n))
}

// dial connects to the listener of a service, or to this machine.
func (p *proxied) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: 30 * time.Second}
	if s, ok := p.serviceAt(addr); ok {
		at, err := p.listen(s)
		if err != nil {
			return nil, err
		}
		addr = at
	}
	return d.DialContext(ctx, network, addr)
}

// listen returns the address of the listener of a service, and opens one where there is none.
func (p *proxied) listen(s Service) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", net.ErrClosed
	}
	l, ok := p.services[s]
	if !ok {
		if len(p.services) >= maxNames {
			return "", errors.New("there are too many services")
		}
		var err error
		if l, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			return "", fmt.Errorf("listen for service: %w", err)
		}
		p.services[s] = l
		p.options.Serve(s, l)
	}
	return l.Addr().String(), nil
}

// Close takes no more connections, and ends those that there are.
func (p *proxied) Close() error {
	p.mu.Lock()
	p.closed = true
	var err error
	for _, l := range p.services {
		err = errors.Join(err, ended(l.Close()))
	}
	p.mu.Unlock()
	err = errors.Join(err, p.proxy.Close(), ended(p.listener.Close()))
	p.served.Wait()
	return err
}

// ended is an error of closing, unless it is that something was closed before.
func ended(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

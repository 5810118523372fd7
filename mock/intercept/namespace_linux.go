package intercept

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/flaketap/flaketap/internal/tcp"
)

// namespaced takes the connections of processes that live in a network of their own, from which no way leads out.
type namespaced struct {
	options Options
	log     *slog.Logger
	policy  policy
	refused refusals
	beside  *Networks

	dir    string
	socket *net.UnixListener
	group  sync.WaitGroup // those who greet, and all that is done for their processes

	mu       sync.Mutex
	closed   bool
	services map[Service]*tcp.Handed
	homes    map[*net.UnixConn]struct{} // of processes that run
}

// openNamespace makes an interceptor whose processes live in a network of their own.
func openNamespace(o Options) (i Interceptor, err error) {
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	n := &namespaced{options: o, log: log, refused: refusals{log: log},
		policy:   policy{names: newNames(nil), local: o.Local, own: ownAddresses()},
		services: map[Service]*tcp.Handed{}, homes: map[*net.UnixConn]struct{}{}, beside: cmp.Or(o.Beside, &Networks{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if n.dir, err = os.MkdirTemp(o.Dir, "flaketap-intercept-"); err != nil {
		return nil, fmt.Errorf("open interceptor: %w", err)
	}
	if err = writeResolvConf(n.dir, nameServerHost, ""); err != nil { // without domains to append
		return nil, fmt.Errorf("open interceptor: %w", err)
	}
	if n.socket, err = listen(n.path()); err != nil {
		return nil, err
	}
	n.group.Go(func() { tcp.Each(n.socket, func(c net.Conn) { n.greet(c.(*net.UnixConn)) }) })
	return n, nil
}

func (n *namespaced) path() string { return filepath.Join(n.dir, "socket") }

// Through has a stage make the network, and another one start a command in it.
func (n *namespaced) Through() []string {
	return append(slices.Clone(n.options.Self), stageEnter, n.path(), "--")
}

// Variables are none: processes are led without their knowledge.
func (*namespaced) Variables([]string) (redirected []string, proxy net.Addr) { return nil, nil }

// Refused lists what was refused. Datagrams to other machines end within the network, and are not seen.
func (n *namespaced) Refused() []Refusal { return n.refused.list() }

// Close ends all that Through started, and all that was done for it.
func (n *namespaced) Close() error {
	n.mu.Lock()
	n.closed = true
	for _, s := range n.services {
		s.Close() // it has no error
	}
	for c := range n.homes {
		c.Close() // its stage ends what it started; that it has gone already is well
	}
	n.mu.Unlock()
	var err error
	if n.socket != nil {
		err = ended(n.socket.Close())
	}
	n.group.Wait()
	if n.dir != "" {
		err = errors.Join(err, os.RemoveAll(n.dir))
	}
	return err
}

// greet takes a network that a stage has made, and serves it as long as that lives.
func (n *namespaced) greet(c *net.UnixConn) {
	defer c.Close()
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return
	}
	n.homes[c] = struct{}{}
	n.group.Add(1)
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.homes, c)
		n.group.Done()
	}()
	if err := n.inhabited(c); err != nil {
		n.log.Warn("a process was not taken", "err", err)
	}
}

// inhabited serves a network until the stage at the other end has gone.
func (n *namespaced) inhabited(c *net.UnixConn) error {
	h, err := newHome(n, c)
	if err != nil {
		return err
	}
	defer h.close()
	if _, err := c.Write([]byte{stageReady}); err != nil {
		return err
	}
	h.mirror()
	return nil
}

// service returns the listener of a service, and opens one where there is none; nil where there are too many, or the
// interceptor is closed.
func (n *namespaced) service(s Service, at net.Addr) *tcp.Handed {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, ok := n.services[s]
	if !ok && !n.closed && len(n.services) < maxNames {
		f = tcp.NewHanded(at)
		n.services[s] = f
		n.options.Serve(s, f)
	}
	return f
}

// lead decides about a connection to an address, which was accepted within a home.
func (n *namespaced) lead(h *home, c *net.TCPConn) {
	to, ok := tcp.Redirected(c)
	if !ok {
		c.Close()
		return
	}
	if to.Port() == dnsPort {
		(&nameServer{names: n.policy.names}).converse(c)
		return
	}
	v := n.policy.judge(endpoint{family: familyOf(to.Addr()), ip: to}, stream)
	switch v.action {
	case pass:
		h.carry(c, to)
	case lead:
		if f := n.service(v.service, c.LocalAddr()); f != nil {
			f.Give(c)
			return
		}
		v.why = "there are too many services"
		fallthrough
	default:
		n.refused.add(stream, to.String(), v.why)
		reset(c)
	}
}

func familyOf(a netip.Addr) family {
	if a.Unmap().Is4() {
		return familyIPv4
	}
	return familyIPv6
}

// reset ends a connection so that the other side is told so at once.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0) // it is open
	_ = c.Close()
}

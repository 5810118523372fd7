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
	"golang.org/x/sys/unix"
)

// notified takes the connections of the processes that Through starts, by seccomp's notifications.
type notified struct {
	self    []string
	serve   func(Service, net.Listener)
	way     Way
	log     *slog.Logger
	policy  policy
	server  *nameServer
	refused refusals
	asked   asked

	dir    string
	socket *net.UnixListener
	wakeup int
	group  sync.WaitGroup // supervisors, servers, and those who greet

	mu        sync.Mutex
	closed    bool
	listeners map[listening]net.Listener
	at        map[netip.AddrPort]bool    // of the listeners, without mapping
	launched  map[*net.UnixConn]struct{} // stages that run
}

// listening is what one listener is for.
type listening struct {
	service Service
	network string
}

// openSeccomp makes an interceptor that is asked by the kernel.
func openSeccomp(o Options) (Interceptor, error) {
	i, err := openNotified(o)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// openNotified makes it, with a folder of its own for its socket.
func openNotified(o Options) (i *notified, err error) {
	if architecture() == 0 {
		return nil, errors.New("open interceptor: this machine's architecture is not known: want amd64 or arm64")
	}
	conf, _ := os.ReadFile("/etc/resolv.conf") // without it no domains are appended
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	i = &notified{self: o.Self, serve: o.Serve, way: o.Way, log: log, refused: refusals{log: log},
		listeners: map[listening]net.Listener{}, at: map[netip.AddrPort]bool{}, launched: map[*net.UnixConn]struct{}{},
		wakeup: -1}
	i.policy = policy{names: newNames(searchDomains(string(conf))), local: o.Local, own: ownAddresses()}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.Close())
		}
	}()
	if i.dir, err = os.MkdirTemp(o.Dir, "flaketap-intercept-"); err != nil {
		return i, fmt.Errorf("open interceptor: %w", err)
	}
	if i.wakeup, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		return i, fmt.Errorf("open interceptor: %w", err)
	}
	if i.server, err = openNameServer(i.policy.names); err != nil {
		return i, err
	}
	if i.socket, err = listen(i.path()); err != nil {
		return i, err
	}
	if i.server.addr.Port() == dnsPort { // which is all that such a file can name
		if err = writeResolvConf(i.dir, i.server.addr.Addr().String(), string(conf)); err != nil {
			return i, fmt.Errorf("open interceptor: %w", err)
		}
	}
	i.group.Go(i.server.serveDatagrams)
	i.group.Go(i.server.serveConnections)
	i.group.Go(func() { tcp.Each(i.socket, func(c net.Conn) { i.greet(c.(*net.UnixConn)) }) })
	return i, nil
}

// path is that of the socket that the stages are told.
func (i *notified) path() string { return filepath.Join(i.dir, "socket") }

// Through has a stage start a command.
func (i *notified) Through() []string {
	return append(slices.Clone(i.self), stageLaunch, i.path(), "--")
}

// Variables are none: processes are led without their knowledge.
func (*notified) Variables([]string) (redirected []string, proxy net.Addr) { return nil, nil }

// Refused lists what was refused, in the order in which it first was; then who may have had no answer of our name
// server, where nobody connected to a host that was looked up.
func (i *notified) Refused() []Refusal {
	all := i.refused.list()
	if i.policy.names.idle() {
		all = append(all, i.asked.elsewhere()...)
	}
	return all
}

// Close ends the stages that run, and with them all that they started, and closes all listeners. Connections of
// processes that are left are refused from then on.
func (i *notified) Close() error {
	i.mu.Lock()
	if i.closed {
		i.mu.Unlock()
		return nil
	}
	i.closed = true
	var err error
	for _, l := range i.listeners {
		err = errors.Join(err, l.Close())
	}
	for c := range i.launched {
		c.Close() // its stage ends what it started; that it has gone already is well
	}
	i.mu.Unlock()
	if i.socket != nil {
		err = errors.Join(err, i.socket.Close())
	}
	if i.server != nil {
		err = errors.Join(err, i.server.close())
	}
	if i.wakeup >= 0 {
		_, failed := unix.Write(i.wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		err = errors.Join(err, failed)
	}
	i.group.Wait()
	if i.wakeup >= 0 {
		err = errors.Join(err, unix.Close(i.wakeup))
	}
	if i.dir != "" {
		err = errors.Join(err, os.RemoveAll(i.dir))
	}
	return err
}

// greet takes a filter's listener from a stage, and stays as long as what that started.
func (i *notified) greet(c *net.UnixConn) {
	defer c.Close()
	if !i.remember(c) {
		return
	}
	defer i.forget(c)
	s := &supervisor{i: i, rewrite: i.rewrites(c)}
	if _, err := c.Write([]byte{s.asks()}); err != nil {
		i.log.Warn("a process was not taken", "err", err)
		return
	}
	word, fds, err := receiveWord(c)
	if err != nil {
		i.log.Warn("a process was not taken", "err", err)
		return
	}
	if word != stageFilter || len(fds) != 1 {
		closeAll(fds)
		return
	}
	s.listener = listener(fds[0])
	i.group.Go(s.run)
	if _, err := c.Write([]byte{stageFilter}); err != nil {
		i.log.Warn("a process was not taken", "err", err)
		return
	}
	_, _ = c.Read(make([]byte, 1)) // until one of us has gone
}

// remember notes a connection, which is closed with the interceptor and waited for; ok is false where that is closed
// already.
func (i *notified) remember(c *net.UnixConn) (ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return false
	}
	i.launched[c] = struct{}{}
	i.group.Add(1)
	return true
}

func (i *notified) forget(c *net.UnixConn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.launched, c)
	i.group.Done()
}

// rewrites finds out by which way the connections of a process are led: whether its sockets can be duplicated.
func (i *notified) rewrites(c *net.UnixConn) bool {
	if i.way != Auto {
		return i.way == Rewrite
	}
	pid, err := peer(c)
	if err != nil {
		return true
	}
	fd, err := duplicate(uint32(pid), 0)
	if err == nil {
		unix.Close(fd)
	}
	return err != nil && !errors.Is(err, unix.EBADF) // that it has none is no refusal
}

// peer is the process at the other end.
func peer(c *net.UnixConn) (pid int32, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	return cred.Pid, nil
}

// The networks of listeners.
const (
	overIPv4 = "tcp4"
	overIPv6 = "tcp6" // for sockets that know of no other
)

// listen returns the address of the listener of a service, and opens one where there is none.
func (i *notified) listen(s Service, network string) (netip.AddrPort, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return netip.AddrPort{}, net.ErrClosed
	}
	l, ok := i.listeners[listening{s, network}]
	if !ok {
		host := "::1"
		if network == overIPv4 {
			addr, named := i.policy.names.address(s.Host)
			if !named {
				return netip.AddrPort{}, errors.New("there are too many services")
			}
			host = addr.String()
		}
		var err error
		if l, err = net.Listen(network, net.JoinHostPort(host, "0")); err != nil {
			return netip.AddrPort{}, fmt.Errorf("listen for service: %w", err)
		}
		i.listeners[listening{s, network}] = l
		i.at[unmapped(l.Addr().(*net.TCPAddr).AddrPort())] = true
		i.serve(s, l)
	}
	return l.Addr().(*net.TCPAddr).AddrPort(), nil
}

// listensAt reports whether the listener of a service is at an address.
func (i *notified) listensAt(addr netip.AddrPort) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.at[unmapped(addr)]
}

// unmapped is an address, one of IPv4 as such.
func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

package intercept

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
	"golang.org/x/sys/unix"
)

// home is a network in which processes live. Sockets of it are made there, by the stage at the other end of the
// connection, and used here.
type home struct {
	of      *namespaced
	stage   *net.UnixConn
	pid     int32 // of the stage
	gone    chan struct{}
	streams []net.Listener // of all TCP connections
	queries []*net.UDPConn // of names
	group   sync.WaitGroup

	mu      sync.Mutex // of what is asked of the stage
	replies chan int   // sockets that it made; -1 for none

	mirrors map[netip.AddrPort]net.Listener // of this machine, by where processes listen; nil for one that cannot be had

	// What relays datagrams: of the network, for who takes them outside, and of this machine, for who takes them inside.
	outside, inside relays // by the relaying of Networks
}

// carryPatience is how long a connection to this machine may take to be made.
const carryPatience = 30 * time.Second

// newHome takes what a stage hands over.
func newHome(of *namespaced, stage *net.UnixConn) (h *home, err error) {
	h = &home{of: of, stage: stage, gone: make(chan struct{}), replies: make(chan int),
		mirrors: map[netip.AddrPort]net.Listener{}, outside: relays{}, inside: relays{}}
	defer func() {
		if err != nil {
			h.closeSockets()
		}
	}()
	word, fds, err := receiveWord(stage)
	if err != nil || word != stageNetwork {
		closeAll(fds)
		return h, errors.Join(errors.New("a stage handed over no network"), err)
	}
	for _, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		if l, failed := net.FileListener(f); failed == nil {
			h.streams = append(h.streams, l)
		} else if c, failed := net.FilePacketConn(f); failed == nil {
			h.queries = append(h.queries, c.(*net.UDPConn))
		} else {
			err = errors.Join(err, failed)
		}
		f.Close()
	}
	if err != nil {
		return h, fmt.Errorf("take a network: %w", err)
	}
	if h.pid, err = peer(stage); err != nil {
		return h, fmt.Errorf("take a network: %w", err)
	}
	for _, l := range h.streams {
		h.group.Go(func() { tcp.Each(l, func(c net.Conn) { of.lead(h, c.(*net.TCPConn)) }) })
	}
	for _, c := range h.queries {
		h.group.Go((&nameServer{names: of.policy.names, udp: c}).serveDatagrams)
	}
	h.group.Go(h.hear)
	return h, nil
}

// hear takes the sockets that the stage makes, until it has gone.
func (h *home) hear() {
	defer close(h.gone)
	for {
		_, fds, err := receiveWord(h.stage)
		if err != nil {
			closeAll(fds)
			return
		}
		made := -1
		if len(fds) > 0 {
			made = fds[0]
			closeAll(fds[1:])
		}
		h.replies <- made
	}
}

// close ends what is served; connections that were made go on until one of their ends has gone.
func (h *home) close() {
	h.closeSockets()
	h.stage.Close()
	h.group.Wait()
}

func (h *home) closeSockets() {
	for _, l := range h.streams {
		l.Close() // who waits for a connection gets none any more; so below
	}
	for _, c := range h.queries {
		c.Close()
	}
	for _, l := range h.mirrors {
		if l != nil {
			l.Close()
		}
	}
}

// dial connects within the network, past what leads connections here, a socket of a kind: SOCK_STREAM or SOCK_DGRAM.
func (h *home) dial(kind byte, to netip.AddrPort) (net.Conn, error) {
	fd, err := h.socket(wantedSocket{familyOf(to.Addr()), kind, netip.AddrPort{}})
	if err != nil {
		return nil, err
	}
	if err := connectTo(fd, to); err != nil {
		unix.Close(fd)
		return nil, err
	}
	_ = unix.SetNonblock(fd, true) // net sees to it otherwise
	f := os.NewFile(uintptr(fd), "connection")
	defer f.Close()
	return net.FileConn(f)
}

// socket has the stage make a socket.
func (h *home) socket(want wantedSocket) (fd int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.stage.Write(want.encode()); err != nil {
		return -1, err
	}
	select {
	case fd = <-h.replies:
		if fd < 0 {
			return fd, errors.New("a socket could not be made")
		}
		return fd, nil
	case <-h.gone:
		return -1, net.ErrClosed
	}
}

// carry joins a connection to this machine with who listens there: a process of the network, or else one outside.
func (h *home) carry(c *net.TCPConn, to netip.AddrPort) {
	in, err := h.dial(unix.SOCK_STREAM, to)
	if err == nil {
		join(c, in.(*net.TCPConn))
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), carryPatience)
	defer cancel()
	out, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
	if err != nil {
		reset(c)
		return
	}
	join(c, out.(*net.TCPConn))
}

// join copies between two connections, each way until its end, which is passed on as it was.
func join(a, b *net.TCPConn) {
	var both sync.WaitGroup
	both.Go(func() { copyTo(a, b) })
	both.Go(func() { copyTo(b, a) })
	both.Wait()
	a.Close()
	b.Close()
}

func copyTo(to, from *net.TCPConn) {
	_, err := io.Copy(to, from)
	if errors.Is(err, syscall.ECONNRESET) {
		reset(to)
		reset(from)
		return
	}
	_ = to.CloseWrite() // that it has gone is what is wanted
}

// mirrorPoll is how often it is looked where processes listen, and take datagrams.
const mirrorPoll = 20 * time.Millisecond

// mirror has this machine listen where processes of the network do, and datagrams relayed, until the stage has gone.
// Who finds that a process listens finds that it is sent datagrams, too: those come first.
func (h *home) mirror() {
	defer h.endDatagrams()
	tick := time.NewTicker(mirrorPoll)
	defer tick.Stop()
	for {
		listening := listening4And6(h.pid)
		h.relayDatagrams()
		h.adjust(listening)
		select {
		case <-h.gone:
			return
		case <-tick.C:
		}
	}
}

// adjust opens and closes listeners so that they are at these addresses.
func (h *home) adjust(now []netip.AddrPort) {
	for at, l := range h.mirrors {
		if !slices.Contains(now, at) {
			delete(h.mirrors, at)
			if l != nil {
				l.Close()
			}
		}
	}
	for _, at := range now {
		if _, known := h.mirrors[at]; known {
			continue
		}
		l, err := net.Listen(mirrorNetwork(at, now), at.String())
		if err != nil {
			h.unreached(stream, at, err)
			h.mirrors[at] = nil
			continue
		}
		h.mirrors[at] = l
		h.group.Go(func() { tcp.Each(l, func(c net.Conn) { h.bring(c.(*net.TCPConn), at) }) })
	}
}

// unreached notes that nobody outside reaches who listens at an address.
func (h *home) unreached(k kind, at netip.AddrPort, err error) {
	why := fmt.Sprintf("what listens there is not reached from outside of its network: %v", err)
	h.of.refused.add(k, at.String(), why)
}

// mirrorNetwork is the network of a listener: one at all addresses of IPv6 is at those of IPv4, too, where it is alone.
func mirrorNetwork(at netip.AddrPort, all []netip.AddrPort) string {
	switch {
	case at.Addr().Is4():
		return overIPv4
	case at.Addr().IsUnspecified() && !slices.Contains(all, netip.AddrPortFrom(netip.IPv4Unspecified(), at.Port())):
		return "tcp"
	}
	return overIPv6
}

// bring joins a connection from outside with who listens within.
func (h *home) bring(c *net.TCPConn, at netip.AddrPort) {
	if at.Addr().IsUnspecified() {
		own := netip.IPv6Loopback()
		if at.Addr().Is4() {
			own = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		}
		at = netip.AddrPortFrom(own, at.Port())
	}
	in, err := h.dial(unix.SOCK_STREAM, at)
	if err != nil {
		reset(c)
		return
	}
	join(c, in.(*net.TCPConn))
}

// closeAll closes descriptors.
func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

package intercept

import (
	"errors"
	"maps"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a relay.
const (
	maxSenders = 256              // that are told apart at once; of more, one is forgotten
	relayIdle  = 30 * time.Second // after which a sender that got no answer is forgotten
)

// relays are sockets of one side, a network or this machine outside of it, that stand where processes of the other side
// take datagrams, by the address of both; nil for one that cannot be had, as somebody of its own side takes them.
type relays map[netip.AddrPort]*relay

// relay sends on what comes for somebody of the other side, and back what that one answers.
type relay struct {
	in   *net.UDPConn
	dial func() (net.Conn, error) // to who takes what comes

	mu      sync.Mutex
	senders map[netip.AddrPort]net.Conn // to who takes it, by who sends
}

// relayDatagrams has processes of the network reach those of this machine that take datagrams at its own addresses, and
// be reached by them where they take them at loopback themselves. What stands for somebody of the other side is no
// process: so that it is not taken for one, nothing of another network is opened or closed meanwhile.
func (h *home) relayDatagrams() {
	n := h.of.beside
	n.relaying.Lock()
	defer n.relaying.Unlock()
	if n.all == nil {
		n.all = map[*home]bool{}
	}
	n.all[h] = true
	outside, inside := h.takers("self"), h.takers(strconv.Itoa(int(h.pid)))
	for other := range n.all {
		maps.DeleteFunc(outside, func(at netip.AddrPort, _ bool) bool { return other.inside[at] != nil })
	}
	maps.DeleteFunc(inside, func(at netip.AddrPort, _ bool) bool {
		return h.outside[at] != nil || !at.Addr().IsLoopback()
	})
	h.outside.follow(outside, h.relayOut)
	h.inside.follow(inside, h.relayIn)
}

// endDatagrams closes what relays them.
func (h *home) endDatagrams() {
	h.of.beside.relaying.Lock()
	defer h.of.beside.relaying.Unlock()
	h.outside.follow(nil, nil)
	h.inside.follow(nil, nil)
	delete(h.of.beside.all, h)
}

// follow opens and closes relays so that they are at these addresses.
func (r relays) follow(now map[netip.AddrPort]bool, open func(at netip.AddrPort) *relay) {
	for at, one := range r {
		if now[at] {
			continue
		}
		delete(r, at)
		if one != nil {
			one.in.Close()
		}
	}
	for at := range now {
		if _, known := r[at]; !known {
			r[at] = open(at)
		}
	}
}

// takers are the addresses of this machine at which somebody takes datagrams, in the network of a process. Who takes
// them at all addresses is reached by loopback: at every address of a network of our own, which all are of it, it would
// take those for other machines.
func (h *home) takers(process string) map[netip.AddrPort]bool {
	out := map[netip.AddrPort]bool{}
	for _, name := range []string{"udp", "udp6"} {
		text, _ := os.ReadFile("/proc/" + process + "/net/" + name) // without IPv6, or the process, there is none
		for _, at := range parseTable(text, unconnected) {
			addr := at.Addr()
			switch {
			case at.Port() == dnsPort || at.Port() == homePort || at.Port() == 0:
			case addr.IsUnspecified():
				out[netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())] = true
				if addr.Is6() {
					out[netip.AddrPortFrom(netip.IPv6Loopback(), at.Port())] = true
				}
			case addr.IsLoopback() || h.of.policy.own(addr):
				out[at] = true
			}
		}
	}
	return out
}

// relayOut stands within the network for who takes datagrams outside at an address; nil where it cannot.
func (h *home) relayOut(at netip.AddrPort) *relay {
	fd, err := h.socket(wantedSocket{familyOf(at.Addr()), unix.SOCK_DGRAM, at})
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "datagrams")
	defer f.Close()
	c, err := net.FilePacketConn(f)
	if err != nil {
		return nil
	}
	return h.relay(c.(*net.UDPConn), func() (net.Conn, error) { return dialOwn(at) })
}

// dialOwn connects to an address of this machine from that very address: once it is another machine's, nothing is sent
// to whoever has it then.
func dialOwn(at netip.AddrPort) (net.Conn, error) {
	return net.DialUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at.Addr(), 0)), net.UDPAddrFromAddrPort(at))
}

// relayIn stands outside for who takes datagrams at loopback within the network; nil where it cannot, which is told.
func (h *home) relayIn(at netip.AddrPort) *relay {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		h.unreached(datagram, at, err)
		return nil
	}
	return h.relay(c, func() (net.Conn, error) { return h.dial(unix.SOCK_DGRAM, at) })
}

// relay serves one of a socket.
func (h *home) relay(in *net.UDPConn, dial func() (net.Conn, error)) *relay {
	r := &relay{in: in, dial: dial, senders: map[netip.AddrPort]net.Conn{}}
	h.group.Go(r.serve)
	return r
}

// serve sends on what comes, until the socket is closed.
func (r *relay) serve() {
	var answering sync.WaitGroup
	defer answering.Wait()
	defer r.forgetAll()
	buf := make([]byte, maxDatagram)
	for {
		n, from, err := r.in.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an earlier answer was refused
		}
		if out := r.sender(from, &answering); out != nil {
			_, _ = out.Write(buf[:n]) // a datagram may get lost; so below
		}
	}
}

// sender is the connection to who takes datagrams that stands for who sent one; nil where none can be had.
func (r *relay) sender(from netip.AddrPort, answering *sync.WaitGroup) net.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if out := r.senders[from]; out != nil {
		return out
	}
	for one, out := range r.senders {
		if len(r.senders) < maxSenders {
			break
		}
		delete(r.senders, one)
		out.Close()
	}
	out, err := r.dial()
	if err != nil {
		return nil
	}
	r.senders[from] = out
	answering.Go(func() { r.answer(out, from) })
	return out
}

// answer sends back what a connection answers, until it has been silent for long, or is closed.
func (r *relay) answer(out net.Conn, to netip.AddrPort) {
	buf := make([]byte, maxDatagram)
	for {
		_ = out.SetReadDeadline(time.Now().Add(relayIdle)) // it is open, or reading tells
		n, err := out.Read(buf)
		switch {
		case err == nil:
			_, _ = r.in.WriteToUDPAddrPort(buf[:n], to)
		case errors.Is(err, unix.ECONNREFUSED): // by one that has gone, and may come back
		default:
			r.mu.Lock()
			if r.senders[to] == out {
				delete(r.senders, to)
			}
			r.mu.Unlock()
			out.Close()
			return
		}
	}
}

func (r *relay) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, out := range r.senders {
		out.Close()
	}
}

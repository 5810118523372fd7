package intercept

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// relayPoll is how often it is looked where processes outside take datagrams.
const relayPoll = 100 * time.Millisecond

// Bounds of a relay.
const (
	maxSenders = 256              // that are told apart at once; of more, one is forgotten
	relayIdle  = 30 * time.Second // after which a sender that got no answer is forgotten
)

// relays are the sockets of a network that stand where processes outside take datagrams, by the address of both; nil
// for one that cannot be had, as somebody within takes them.
type relays map[netip.AddrPort]*relay

// relay sends on what comes for somebody outside, and back what that one answers.
type relay struct {
	in *net.UDPConn   // of the network
	to netip.AddrPort // outside

	mu      sync.Mutex
	senders map[netip.AddrPort]*net.UDPConn // to the one outside, by who sends
}

// relayDatagrams has processes of the network reach those of this machine that take datagrams at its own addresses,
// until the stage has gone.
func (h *home) relayDatagrams() {
	all := relays{}
	defer func() { all.keep(nil) }()
	tick := time.NewTicker(relayPoll)
	defer tick.Stop()
	for {
		now := h.takers()
		all.keep(now)
		for at := range now {
			if _, known := all[at]; !known {
				all[at] = h.relay(at)
			}
		}
		select {
		case <-h.gone:
			return
		case <-tick.C:
		}
	}
}

// keep closes those that are not among these addresses.
func (r relays) keep(now map[netip.AddrPort]bool) {
	for at, one := range r {
		if now[at] {
			continue
		}
		delete(r, at)
		if one != nil {
			one.in.Close()
		}
	}
}

// takers are the addresses of this machine at which somebody takes datagrams. Who takes them at all addresses is
// reached by loopback: at every address within, which all are of that network, it would take those for other machines.
func (h *home) takers() map[netip.AddrPort]bool {
	out := map[netip.AddrPort]bool{}
	for _, name := range []string{"udp", "udp6"} {
		text, _ := os.ReadFile("/proc/self/net/" + name) // without IPv6 there is none
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

// relay opens the socket for an address, and serves it; nil where it cannot be had.
func (h *home) relay(at netip.AddrPort) *relay {
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
	r := &relay{in: c.(*net.UDPConn), to: at, senders: map[netip.AddrPort]*net.UDPConn{}}
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

// sender is the connection to the one outside that stands for who sent something; nil where none can be had. It is from
// the very address that it leads to: once that is not this machine's any more, nothing is sent to whoever has it then.
func (r *relay) sender(from netip.AddrPort, answering *sync.WaitGroup) *net.UDPConn {
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
	own := net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.to.Addr(), 0))
	out, err := net.DialUDP("udp", own, net.UDPAddrFromAddrPort(r.to))
	if err != nil {
		return nil
	}
	r.senders[from] = out
	answering.Go(func() { r.answer(out, from) })
	return out
}

// answer sends back what the one outside answers, until it has been silent for long, or the connection is closed.
func (r *relay) answer(out *net.UDPConn, to netip.AddrPort) {
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

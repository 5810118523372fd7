package intercept

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// maxAsked bounds how many sockets are remembered that were led to the name server; resolvers close theirs soon.
const maxAsked = 4096

// asked are the sockets that were led to the name server. A socket is known by its cookie, which no other gets.
type asked struct {
	mu    sync.Mutex
	all   map[uint64]*question
	order []uint64
}

// question is what a socket asked last.
type question struct {
	to                   netip.AddrPort // where it wanted to go
	connected, receiving bool           // whether the socket is, and whether recvfrom(2) was called
}

func cookieOf(fd int) (uint64, error) {
	return unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
}

func (a *asked) add(fd int, to netip.AddrPort) {
	cookie, err := cookieOf(fd)
	if err != nil {
		return // who asks will see our address, and may mind
	}
	_, unconnected := unix.Getpeername(fd)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[uint64]*question{}
	}
	if a.all[cookie] == nil {
		a.order = append(a.order, cookie)
	}
	a.all[cookie] = &question{to: to, connected: unconnected == nil}
	if len(a.order) > maxAsked {
		delete(a.all, a.order[0])
		a.order = a.order[1:]
	}
}

// received returns where a socket wanted to go that calls recvfrom(2).
func (a *asked) received(fd int) (from netip.AddrPort, ok bool) {
	cookie, err := cookieOf(fd)
	if err != nil {
		return from, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.all[cookie]
	if q == nil {
		return from, false
	}
	q.receiving = true
	return q.to, true
}

// askOtherwise is what helps who asks for names and looks at who answers, which is our name server.
const askOtherwise = "with Netty, -Dio.netty.transport.noNative=true asks otherwise"

// elsewhere lists the questions whose answer was received in a way that nobody is asked about, if it was: it came from
// our address then, and not from where it was asked for.
func (a *asked) elsewhere() (out []Refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, cookie := range a.order {
		q := a.all[cookie]
		if q.connected || q.receiving {
			continue
		}
		at := slices.IndexFunc(out, func(r Refusal) bool { return r.To == q.to.String() })
		if at < 0 {
			at = len(out)
			out = append(out, Refusal{Network: datagram.String(), To: q.to.String(),
				Why: "a name was looked up by sendto and recvmsg, and its answer may have been dropped, as it comes from another address than was asked; " + askOtherwise})
		}
		out[at].Times++
	}
	return out
}

// Arguments of recvfrom(2).
const (
	argBuffer = iota + 1
	argSize
	argFlags
	argAddress
	argAddressSize
)

// maxDatagram is the largest there is.
const maxDatagram = 64 << 10

// receive decides about recvfrom(2) that asks who sent what it gets. The answer of our name server comes from where the
// socket wanted to go, all else from where it does.
func (s *supervisor) receive(n notification) (r response, now bool) {
	if s.rewrite {
		return goOn(n), true
	}
	fd, err := duplicate(n.Thread, int(int32(n.Args[0])))
	if err != nil {
		return goOn(n), true
	}
	from, ok := s.i.asked.received(fd)
	if !ok || !s.listener.waits(n.ID) {
		unix.Close(fd)
		return goOn(n), true
	}
	w := waiting{s: s, n: n, fd: fd, from: from}
	if r, done := w.take(); done {
		unix.Close(fd)
		return r, true
	}
	s.i.group.Go(func() {
		defer unix.Close(fd)
		s.reply(w.wait())
	})
	return r, false
}

// waiting is a call that receives from the name server.
type waiting struct {
	s    *supervisor
	n    notification
	fd   int // of this process
	from netip.AddrPort
}

// take receives what is there; done is false where nothing is, and the call is to wait.
func (w waiting) take() (r response, done bool) {
	flags := int(w.n.Args[argFlags])
	b := make([]byte, min(w.n.Args[argSize], maxDatagram))
	size, sender, err := unix.Recvfrom(w.fd, b, flags|unix.MSG_DONTWAIT)
	var errno unix.Errno
	errors.As(err, &errno)
	switch {
	case errno == unix.EAGAIN && flags&unix.MSG_DONTWAIT == 0 && w.blocks():
		return r, false
	case errno != 0:
		return failed(w.n, errno), true
	}
	from := addrOf(sender)
	if from == w.s.i.server.addr || !from.IsValid() {
		from = w.from
	}
	if err := w.give(b[:min(size, len(b))], from); err != nil {
		return failed(w.n, unix.EFAULT), true
	}
	return response{ID: w.n.ID, Value: int64(size)}, true
}

// addrOf is an address as Go has it, one of IPv4 unmapped; the zero value for one that is no address of IP.
func addrOf(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// blocks reports whether the socket waits for what it receives.
func (w waiting) blocks() bool {
	flags, err := unix.FcntlInt(uintptr(w.fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK == 0
}

// give writes what was received, and from whom, into the process's memory.
func (w waiting) give(data []byte, from netip.AddrPort) error {
	size := make([]byte, 4) // socklen_t
	if err := readMemory(w.n.Thread, w.n.Args[argAddressSize], size); err != nil {
		return err
	}
	of, err := unix.GetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	address := appendSockaddr(nil, family(of), from)
	room := min(int(binary.NativeEndian.Uint32(size)), len(address))
	binary.NativeEndian.PutUint32(size, uint32(len(address)))
	for _, part := range []struct {
		at uint64
		b  []byte
	}{{w.n.Args[argBuffer], data}, {w.n.Args[argAddress], address[:room]}, {w.n.Args[argAddressSize], size}} {
		if err := writeMemory(w.n.Thread, part.at, part.b); err != nil {
			return err
		}
	}
	return nil
}

// wait receives what comes, until the socket's own timeout or the end of the interceptor.
func (w waiting) wait() response {
	patience := -1
	if t, err := unix.GetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO); err == nil && t.Nano() > 0 {
		patience = int(t.Nano() / 1e6)
	}
	fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.s.i.wakeup), Events: unix.POLLIN}}
	for {
		switch ready, err := unix.Poll(fds, patience); {
		case err == unix.EINTR:
			continue
		case err != nil || fds[1].Revents != 0:
			return failed(w.n, unix.ECONNREFUSED)
		case ready == 0:
			return failed(w.n, unix.EAGAIN)
		}
		if r, done := w.take(); done {
			return r
		}
	}
}

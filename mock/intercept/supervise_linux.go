package intercept

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// supervisor answers the calls of one filter.
type supervisor struct {
	i        *notified
	listener listener
	// rewrite leads by writing addresses anew in the process's memory, where sockets cannot be duplicated.
	rewrite bool
}

// run answers until no process is left under the filter, or until the interceptor is closed.
func (s *supervisor) run() {
	defer unix.Close(int(s.listener))
	s.listener.wakeHere()
	for s.listener.ready(s.i.wakeup) {
		n, err := s.listener.receive()
		if errors.Is(err, unix.ENOENT) {
			continue // its thread was killed meanwhile
		}
		if err != nil {
			s.i.log.Warn("connections are refused from here on", "err", err)
			return // closing the listener fails all that follow
		}
		if answer, now := s.answer(n); now {
			s.reply(answer)
		}
	}
}

func (s *supervisor) reply(r response) {
	if err := s.listener.send(r); err != nil {
		s.i.log.Warn("a call was not answered", "err", err)
	}
}

// answer works out the answer to a call; now is false where another goroutine gives it later.
func (s *supervisor) answer(n notification) (r response, now bool) {
	switch uint64(n.Number) {
	case unix.SYS_CONNECT:
		return s.connect(n), true
	case unix.SYS_SENDTO:
		return s.send(n, []destination{{n.Args[4], uint32(n.Args[5])}}), true
	case unix.SYS_SENDMSG:
		return s.sendMessages(n, 1, msghdrSize), true
	case unix.SYS_SENDMMSG:
		return s.sendMessages(n, min(n.Args[2], maxMessages), mmsghdrSize), true
	case unix.SYS_RECVFROM:
		return s.receive(n)
	case unix.SYS_SOCKET:
		return s.socket(n), true
	case unix.SYS_SETSOCKOPT:
		return s.set(n), true
	case unix.SYS_OPENAT:
		return s.open(n, n.Args[1], n.Args[2]), true
	case sysOpen:
		return s.open(n, n.Args[0], n.Args[1]), true
	}
	return failed(n, unix.ENOSYS), true
}

// goOn lets the kernel carry the call out as it stands.
func goOn(n notification) response {
	return response{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
}

// failed ends the call with an error.
func failed(n notification, errno unix.Errno) response {
	return response{ID: n.ID, Errno: -int32(errno)}
}

// connect decides about connect(2).
func (s *supervisor) connect(n notification) response {
	to, err := readSockaddr(n.Thread, n.Args[1], uint32(n.Args[2]))
	if err != nil {
		return s.refuse(n, unknownKind, to, err.Error())
	}
	if to.family != familyIPv4 && to.family != familyIPv6 {
		return s.carryOut(n, to, unknownKind, "", nil)
	}
	if s.rewrite {
		if s.i.listensAt(to.ip) {
			return goOn(n) // it was led before: a signal came meanwhile, and the kernel begins it anew
		}
		return s.carryOut(n, to, unknownKind, overIPv4, func(ours netip.AddrPort) error {
			return s.overwrite(n, destination{n.Args[1], uint32(n.Args[2])}, to, ours)
		})
	}
	fd, err := duplicate(n.Thread, int(int32(n.Args[0])))
	if err != nil {
		return s.refuse(n, unknownKind, to, fmt.Sprintf("the socket cannot be duplicated: %v", err))
	}
	defer unix.Close(fd)
	if !s.listener.waits(n.ID) {
		return failed(n, unix.ECONNREFUSED) // nobody waits for it
	}
	var connected error
	answer := s.carryOut(n, to, kindOf(fd), networkOf(fd), func(ours netip.AddrPort) error {
		connected = connectTo(fd, ours)
		if ours == s.i.server.addr && connected == nil {
			s.i.asked.add(fd, to.ip)
		}
		return nil
	})
	var errno unix.Errno
	if errors.As(connected, &errno) {
		return failed(n, errno)
	}
	return answer
}

// carryOut does what is decided about an address. Leading is done by a function that is given our address in the place
// of the one that was named; network is that of a listener which the socket can reach.
func (s *supervisor) carryOut(n notification, to endpoint, k kind, network string,
	by func(ours netip.AddrPort) error) response {
	v := s.i.policy.judge(to, k)
	var ours netip.AddrPort
	switch v.action {
	case pass:
		return goOn(n)
	case hide:
		return failed(n, unix.ENOENT)
	case ask:
		ours = s.i.server.addr
	case lead:
		addr, err := s.i.listen(v.service, network)
		if err != nil {
			return s.refuse(n, k, to, err.Error())
		}
		ours = addr
	default:
		return s.refuse(n, k, to, v.why)
	}
	if by == nil {
		return s.refuse(n, k, to, "the socket is of another family than its address")
	}
	if err := by(ours); err != nil {
		return s.refuse(n, k, to, err.Error())
	}
	if s.rewrite || n.Number != unix.SYS_CONNECT {
		return goOn(n)
	}
	return response{ID: n.ID}
}

// refuse ends a call as if nobody listened there, and notes it.
func (s *supervisor) refuse(n notification, k kind, to endpoint, why string) response {
	return s.refuseWith(n, unix.ECONNREFUSED, k, to.String(), why)
}

// refuseWith ends a call with an error, and notes it, unless its process was ended while it was looked at: then there
// is no call.
func (s *supervisor) refuseWith(n notification, errno unix.Errno, k kind, to, why string) response {
	if s.listener.waits(n.ID) {
		s.i.refused.add(k, to, why)
	}
	return failed(n, errno)
}

// overwrite writes our address over the one that a call names.
func (s *supervisor) overwrite(n notification, at destination, to endpoint, ours netip.AddrPort) error {
	b := appendSockaddr(nil, to.family, ours)
	if len(b) > int(at.size) {
		b = b[:shortestIPv6] // the scope was not given
	}
	if !s.listener.waits(n.ID) {
		return errors.New("the call waits no longer")
	}
	if err := writeMemory(n.Thread, at.at, b); err != nil {
		return fmt.Errorf("the address cannot be written: %w", err)
	}
	return nil
}

// sendMessages decides about sendmsg(2) and sendmmsg(2).
func (s *supervisor) sendMessages(n notification, count uint64, step int) response {
	b := make([]byte, count*uint64(step))
	if err := readMemory(n.Thread, n.Args[1], b); err != nil {
		return s.refuse(n, datagram, endpoint{}, fmt.Sprintf("the message cannot be read: %v", err))
	}
	to, control := parseMessages(b, step)
	for _, c := range control {
		if c.size > maxControl {
			return s.refuse(n, datagram, endpoint{}, fmt.Sprintf("its control data have %d bytes, more than %d", c.size, maxControl))
		}
		said := make([]byte, c.size)
		if err := readMemory(n.Thread, c.at, said); err != nil {
			return s.refuse(n, datagram, endpoint{}, fmt.Sprintf("the control data cannot be read: %v", err))
		}
		if leaves(said) {
			return s.refuseWay(n)
		}
	}
	return s.send(n, to)
}

// send decides about messages that name where they go. A socket that sends so sends datagrams, or is refused: what it
// sends to name servers goes to ours.
func (s *supervisor) send(n notification, all []destination) response {
	for _, at := range all {
		if at.size == 0 {
			continue
		}
		to, err := readSockaddr(n.Thread, at.at, at.size)
		if err != nil {
			return s.refuse(n, datagram, to, err.Error())
		}
		r := s.carryOut(n, to, datagram, "", func(ours netip.AddrPort) error { return s.askOurs(n, at, to, ours) })
		if r.Flags&unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE == 0 {
			return r
		}
	}
	return goOn(n)
}

// askOurs has a datagram for a name server go to ours, whose answer is to come from where it was sent.
func (s *supervisor) askOurs(n notification, at destination, to endpoint, ours netip.AddrPort) error {
	if n.Number == unix.SYS_SENDMMSG {
		// Who sends so receives by recvmsg(2), which nobody is asked about, and takes no answer from our address.
		return errors.New("a name that is asked for by sendmmsg gets no answer; " + askOtherwise)
	}
	if err := s.overwrite(n, at, to, ours); err != nil || s.rewrite {
		return err
	}
	fd, err := duplicate(n.Thread, int(int32(n.Args[0])))
	if err != nil {
		return fmt.Errorf("the socket cannot be duplicated: %w", err)
	}
	defer unix.Close(fd)
	s.i.asked.add(fd, to.ip)
	return nil
}

// kindOf asks a socket what it sends.
func kindOf(fd int) kind {
	t, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return otherKind
	}
	protocol, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	switch {
	case err != nil:
		return otherKind
	case t == unix.SOCK_STREAM && (protocol == unix.IPPROTO_TCP || protocol == unix.IPPROTO_MPTCP):
		return stream
	case t == unix.SOCK_DGRAM && protocol == unix.IPPROTO_UDP:
		return datagram
	}
	return otherKind
}

// connectTo connects a socket to an address of ours, as its family has it.
func connectTo(fd int, to netip.AddrPort) error {
	of, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	if of == unix.AF_INET {
		return unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
	}
	return unix.Connect(fd, &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()})
}

// networkOf is the network over which a socket can be led.
func networkOf(fd int) string {
	if only, err := unix.GetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY); err == nil && only != 0 {
		return overIPv6
	}
	return overIPv4
}

package capture

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
)

// Listen opens the address that clients come to. Loopback is open to this machine alone. Any other must be named; there
// a forward proxy asks for a password, and a reverse proxy takes other machines to its target and nowhere else.
func Listen(addr string, p *proxy.Proxy) (net.Listener, error) {
	if err := checkAddress(addr); err != nil {
		return nil, console.Usage(err)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if tcp.Loopback(ln.Addr()) || p.Auth != "" {
		return ln, nil
	}
	if targetsText(p) == "" && p.Redirected == nil {
		ln.Close() // nothing was served on it
		return nil, console.Usage(fmt.Errorf(
			"--listen %s can be reached from other machines: a forward proxy there needs --proxy-auth USER:PASSWORD", addr))
	}
	p.ForwardLocal = true
	return ln, nil
}

// listen opens the addresses of the session.
func (s *Session) listen() error {
	first := s.o.address()
	err := s.listenAt(first)
	if errors.Is(err, syscall.EADDRINUSE) && s.o.Listen == "" {
		s.console.Say("flaketap: %s, the recorded address, is in use; listening on another port, which a client with a hard-coded address does not find", first)
		err = s.listenAt(anyPort)
	}
	return err
}

// listenAt opens an address, and its twin where there is one. A port that is free for the first and not for the second
// is another's: where any will do, another one is tried.
func (s *Session) listenAt(addr string) error {
	_, port, _ := net.SplitHostPort(addr)
	for try := 1; ; try++ {
		first, err := Listen(addr, s.Proxy)
		if err != nil {
			return err
		}
		second, err := s.twin(first)
		if err == nil {
			s.ln, s.second = first, second
			return nil
		}
		first.Close()
		if port != "0" || try == 10 {
			return err
		}
	}
}

// twin opens the second address of a transparent recorder: the kernel redirects what this machine sends in IPv6 to ::1,
// as it does with IPv4 to 127.0.0.1. It is nil where one address takes both, or the machine has no IPv6.
func (s *Session) twin(ln net.Listener) (net.Listener, error) {
	first, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !s.o.Transparent || !first.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		return nil, nil
	}
	second, err := net.ListenTCP("tcp6", &net.TCPAddr{IP: net.IPv6loopback, Port: first.Port})
	if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listen for redirected IPv6 connections: %w", err)
	}
	return second, nil
}

// WarnOpen says what an address that other machines can reach opens, and to whom.
func (s *Session) WarnOpen() {
	if text := s.opens(); text != "" {
		s.console.Warn("flaketap: %s", text)
	}
}

// opens is what an address opens that other machines can reach; "" for any other.
func (s *Session) opens() string {
	at := s.ln.Addr()
	switch {
	case tcp.Loopback(at):
		return ""
	case s.Proxy.Redirected != nil && s.Proxy.Auth == "":
		return fmt.Sprintf("connections redirected to %s are recorded; "+
			"other connections are accepted from this machine only", at)
	case s.Targets() == "":
		return fmt.Sprintf("anyone who can connect to %s and has the password can reach whatever this machine can reach", at)
	}
	return fmt.Sprintf("anyone who can connect to %s can use %s from this machine, and is recorded", at, s.Targets())
}

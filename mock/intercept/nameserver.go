package intercept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
)

// nameServer answers queries of DNS at one address, by datagrams and by TCP.
type nameServer struct {
	names *names
	addr  netip.AddrPort
	udp   *net.UDPConn
	tcp   net.Listener
}

// nameServerHost is where it listens, or at an address behind that: [ofNameServers], none of those that names get.
const nameServerHost = "127.77.255.53"

// maxNameServers bounds how many addresses are tried for one that no other interceptor has.
const maxNameServers = 200

// ofNameServers reports whether an address is one at which name servers of ours listen.
func ofNameServers(a netip.Addr) bool {
	four := a.As16() // of which the last four bytes are one of IPv4
	return a.Is4() && [3]byte(four[12:15]) == [3]byte{127, 77, 255}
}

// maxQuery is the largest query that is read; queries are far smaller.
const maxQuery = 4 << 10

// dnsPatience is how long a connection may be silent.
const dnsPatience = 30 * time.Second

// openNameServer listens at the port of name servers, where this process may have it, and else at one that is free.
func openNameServer(n *names) (s *nameServer, err error) {
	first := netip.MustParseAddr(nameServerHost)
	for at, left := first, maxNameServers; left > 0; at, left = at.Next(), left-1 {
		if s, err = listenForNames(n, netip.AddrPortFrom(at, dnsPort)); err == nil {
			return s, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break // as an ordinary user may not; who has it at one address may have it at all, too
		}
	}
	for range 10 { // the port of the one may be taken by another program for the other
		if s, err = listenForNames(n, netip.AddrPortFrom(first, 0)); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("listen for names: %w", err)
}

// listenForNames listens at an address for both; port 0 is one that is free for datagrams.
func listenForNames(n *names, at netip.AddrPort) (*nameServer, error) {
	udp, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	at = udp.LocalAddr().(*net.UDPAddr).AddrPort()
	tcp, err := net.Listen("tcp4", at.String())
	if err != nil {
		return nil, errors.Join(err, udp.Close())
	}
	return &nameServer{names: n, addr: at, udp: udp, tcp: tcp}, nil
}

// resolvConf is the name of the file that is to be /etc/resolv.conf for processes, beside the interceptor's socket.
const resolvConf = "resolv.conf"

// writeResolvConf writes that file (resolv.conf(5)): it names our name server in the place of those that another such
// text names, and has what else that says.
func writeResolvConf(dir, nameServer, real string) error {
	text := "nameserver " + nameServer + "\n"
	for line := range strings.Lines(real) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "nameserver" {
			text += strings.TrimRight(line, "\n") + "\n"
		}
	}
	path := filepath.Join(dir, resolvConf)
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // processes of all users read it
}

// close ends serve.
func (s *nameServer) close() error { return errors.Join(s.udp.Close(), s.tcp.Close()) }

// serveDatagrams answers until close.
func (s *nameServer) serveDatagrams() {
	buf := make([]byte, maxQuery)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an earlier answer was refused
		}
		if answer := s.names.reply(buf[:n]); answer != nil {
			_, _ = s.udp.WriteToUDPAddrPort(answer, from) // who no longer waits for it needs none
		}
	}
}

// serveConnections answers until close.
func (s *nameServer) serveConnections() { tcp.Each(s.tcp, s.converse) }

// converse answers what comes by one connection: each query has its length before it (RFC 1035 §4.2.2).
func (s *nameServer) converse(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		_ = c.SetDeadline(time.Now().Add(dnsPatience))
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		answer := s.names.reply(query)
		if answer == nil {
			return
		}
		out := append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

package intercept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
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

// nameServerHost is where it listens: none of the addresses that names get.
const nameServerHost = "127.77.255.53"

// maxQuery is the largest query that is read; queries are far smaller.
const maxQuery = 4 << 10

// dnsPatience is how long a connection may be silent.
const dnsPatience = 30 * time.Second

// openNameServer listens at a port that is free for both.
func openNameServer(n *names) (*nameServer, error) {
	var failed error
	for range 10 { // the port of the one may be taken by another program for the other
		udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(nameServerHost)})
		if err != nil {
			return nil, fmt.Errorf("listen for names: %w", err)
		}
		addr := udp.LocalAddr().(*net.UDPAddr).AddrPort()
		tcp, err := net.Listen("tcp4", addr.String())
		if err == nil {
			return &nameServer{names: n, addr: addr, udp: udp, tcp: tcp}, nil
		}
		failed = errors.Join(err, udp.Close())
	}
	return nil, fmt.Errorf("listen for names: %w", failed)
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

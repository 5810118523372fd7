package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// SOCKS 5 (RFC 1928) is the other way in which a client can name a host to its proxy, and leads to the same as CONNECT.
// Libraries that know of no HTTP proxy take it without noticing: a JVM that is told of one sends all its sockets there,
// those to databases too. So what is no HTTP is recognised, and passes as through a closed tunnel.

// The octets of SOCKS 5 and of its password scheme (RFC 1929).
const (
	socksVersion  = 5
	socksConnect  = 1    // the command
	socksOpen     = 0    // the method without authentication
	socksPassword = 2    // the method of RFC 1929
	socksNoMethod = 0xff // the answer where no method will do
	passwordAuth  = 1    // the version of RFC 1929

	addrIPv4, addrName, addrIPv6 = 1, 3, 4
)

// socksReply says how a request ended (RFC 1928 §6).
type socksReply byte

const (
	socksSucceeded socksReply = iota
	socksFailed
	socksForbidden
	socksNetUnreachable
	socksHostUnreachable
	socksRefused
	_ // TTL expired, which nobody tells us
	socksBadCommand
	socksBadAddress
)

// bytes returns the reply as it is sent. The address that the connection was made from is told as unknown.
func (r socksReply) bytes() []byte {
	return []byte{socksVersion, byte(r), 0, addrIPv4, 0, 0, 0, 0, 0, 0}
}

// Error says what is wrong with a request that is answered so.
func (r socksReply) Error() string {
	switch r {
	case socksBadCommand:
		return "the SOCKS request is no CONNECT"
	case socksBadAddress:
		return "the SOCKS request has an address of no known type"
	}
	return "the SOCKS request is malformed"
}

// errMore is what the readers of SOCKS messages return for the beginning of one.
var errMore = errors.New("the message is not whole")

// maxMethods is how many methods a greeting is taken to offer at most. Clients offer up to three; more are a sign that
// the bytes mean something else.
const maxMethods = 8

// readGreeting reads a client's first message, and returns the methods that it offers and the message's length.
func readGreeting(b []byte) (methods []byte, n int, _ error) {
	if len(b) > 0 && b[0] != socksVersion || len(b) > 1 && (b[1] == 0 || b[1] > maxMethods) {
		return nil, 0, socksFailed
	}
	if len(b) < 2 {
		return nil, 0, errMore
	}
	n = 2 + int(b[1])
	methods = b[2:min(n, len(b))]
	for _, m := range methods { // RFC 1928 §3; what lies between was never assigned
		if m > 0x09 && m < 0x80 || m == socksNoMethod {
			return nil, 0, socksFailed
		}
	}
	if len(b) < n {
		return nil, 0, errMore
	}
	return methods, n, nil
}

// readCredentials reads a message of RFC 1929, and returns user:password and the message's length.
func readCredentials(b []byte) (credentials string, n int, _ error) {
	if len(b) > 0 && b[0] != passwordAuth {
		return "", 0, socksFailed
	}
	if len(b) < 2 || len(b) < 3+int(b[1]) {
		return "", 0, errMore
	}
	user := b[2 : 2+int(b[1])]
	n = 3 + len(user) + int(b[2+len(user)])
	if len(b) < n {
		return "", 0, errMore
	}
	return string(user) + ":" + string(b[3+len(user):n]), n, nil
}

// readRequest reads a request to connect, and returns the host:port that it names and its length. An error other than
// errMore is the socksReply to give.
func readRequest(b []byte) (addr string, n int, _ error) {
	if len(b) > 0 && b[0] != socksVersion || len(b) > 2 && b[2] != 0 {
		return "", 0, socksFailed
	}
	if len(b) > 1 && b[1] != socksConnect {
		return "", 0, socksBadCommand
	}
	if len(b) < 5 {
		return "", 0, errMore
	}
	from := 4
	switch b[3] {
	case addrIPv4:
		n = from + 4
	case addrIPv6:
		n = from + 16
	case addrName:
		from++
		n = from + int(b[4])
	default:
		return "", 0, socksBadAddress
	}
	if len(b) < n+2 {
		return "", 0, errMore
	}
	host := string(b[from:n])
	if b[3] != addrName {
		ip, _ := netip.AddrFromSlice(b[from:n])
		host = ip.String()
	} else if !isHost(host) {
		return "", 0, socksFailed
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(b[n:])))), n + 2, nil
}

// isHost reports whether a text can name a host: an address, or a name without what would end one in an authority.
func isHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f ||
			strings.ContainsRune(`:/?#[]@\%`, r)
	}) < 0
}

// socks4 is how a request of SOCKS 4 begins: its version, and the command to connect. No request of HTTP does.
const socks4 = "\x04\x01"

// refuseSocks4 answers a request of SOCKS 4 with its code 91, refused: clients say so, and what version to take.
func (s *session) refuseSocks4() {
	s.p.log.Info("a SOCKS 4 request was refused; SOCKS 5 is spoken here", "client", s.raw.RemoteAddr().String())
	s.answer(exchange.Message{Head: []byte("\x00\x5b\x00\x00\x00\x00\x00\x00")})
}

// socks reads a client's SOCKS messages and answers them. What comes through the tunnel ends the connection, unless it
// leads to this proxy itself: a JVM comes so that sends all its sockets by SOCKS, and knows of the HTTP proxy as well.
// Nothing is dialed then, the client goes on as one that has just connected, and again is true.
func (s *session) socks() (again bool) {
	c := &connecting{s: s, start: time.Now(), socks: true}
	methods, n, err := readGreeting(s.client.ahead) // it is whole; session.listen saw to that
	if err != nil || !s.admitsSocks(methods, n) {
		return false
	}
	addr, n, err := read(s, readRequest)
	s.client.ahead = s.client.ahead[n:]
	var reply socksReply
	switch {
	case errors.As(err, &reply):
		s.p.log.Info("a SOCKS request was refused", "client", s.raw.RemoteAddr().String(), "err", err)
		s.answer(exchange.Message{Head: reply.bytes()})
		return false
	case err != nil:
		return false
	case s.p.itself(addr):
		s.waits()
		return c.established() == nil
	}
	// It is recorded, where it leads nowhere, as the CONNECT request that means the same.
	c.request = exchange.ParseRequest(exchange.Message{Head: []byte("CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr +
		"\r\n\r\n")})
	switch c.judge(addr) {
	case interception:
		c.intercept()
	case closedTunnel:
		up, fault := s.p.dialPlain(c.to)
		if fault != nil {
			c.refuse(*fault)
			return false
		}
		defer up.Close()
		if c.established() == nil {
			s.tunnel(up, c.to)
		}
	}
	return false
}

// admitsSocks answers a greeting of n bytes, asks for credentials where there are some, and reports whether the client
// may go on.
func (s *session) admitsSocks(methods []byte, n int) bool {
	method := byte(socksNoMethod)
	switch {
	case s.p.Auth == "" && bytes.IndexByte(methods, socksOpen) >= 0:
		method = socksOpen
	case bytes.IndexByte(methods, socksPassword) >= 0:
		method = socksPassword
	}
	s.client.ahead = s.client.ahead[n:]
	if method == socksNoMethod {
		s.denySocks([]byte{socksVersion, method})
		return false
	}
	if _, err := s.client.Write([]byte{socksVersion, method}); err != nil {
		return false
	}
	if method == socksOpen {
		return true
	}
	credentials, n, err := read(s, readCredentials)
	s.client.ahead = s.client.ahead[n:]
	if err != nil || s.p.Auth != "" && !sameSecret(credentials, s.p.Auth) {
		s.denySocks([]byte{passwordAuth, byte(socksFailed)})
		return false
	}
	_, err = s.client.Write([]byte{passwordAuth, byte(socksSucceeded)})
	return err == nil
}

// saysOther reports whether a client that came by SOCKS begins with anything but a request. Whoever sends all that way,
// sends databases their commands too, and a recording must not hold them: they would be replayed. What may yet become a
// request is waited for, a moment: nobody knows that it will.
func (c *connecting) saysOther() bool {
	client := c.s.client
	_ = client.SetReadDeadline(time.Now().Add(requestLineTime))
	defer func() { _ = client.SetReadDeadline(time.Time{}) }()
	for len(client.ahead) > 0 && client.ahead[0] != tlsHandshake {
		request, yet := beginsRequest(client.ahead)
		if request {
			return false
		}
		if !yet || client.more() != nil {
			return true
		}
	}
	return false
}

// requestLineTime is how long a request that comes by SOCKS may take from its first byte to its target's.
const requestLineTime = 250 * time.Millisecond

// beginsRequest reports whether bytes are the beginning of a request of HTTP: a method, and a target in one of its
// forms (RFC 9112 §3.2) or of any form on a line that names HTTP. yet says that they may become one.
func beginsRequest(b []byte) (request, yet bool) {
	b = bytes.TrimLeft(b, "\r\n")
	method, rest, found := bytes.Cut(b, []byte{' '})
	switch {
	case bytes.IndexFunc(method, notInMethod) >= 0 || len(method) > maxMethod:
		return false, false
	case !found || len(rest) == 0:
		return false, true
	case rest[0] == '/' || rest[0] == '*':
		return true, false
	}
	line, _, whole := bytes.Cut(rest, []byte{'\n'})
	if bytes.Contains(line, []byte(" HTTP/")) || bytes.HasPrefix(line, []byte("http://")) ||
		bytes.HasPrefix(line, []byte("https://")) {
		return true, false
	}
	return false, !whole && len(line) < maxConnect
}

// denySocks is deny for a client that speaks SOCKS.
func (s *session) denySocks(answer []byte) {
	s.p.count.denied.Add(1)
	s.p.log.Info("a SOCKS client without the proxy's credentials was refused", "client", s.raw.RemoteAddr().String())
	s.answer(exchange.Message{Head: answer})
}

// read waits until a message of the client's is whole. Each kind has a length that bounds what is waited for.
func read(s *session, parse func([]byte) (string, int, error)) (what string, n int, err error) {
	for {
		if what, n, err = parse(s.client.ahead); !errors.Is(err, errMore) {
			return what, n, err
		}
		if err := s.client.more(); err != nil {
			return "", 0, err
		}
	}
}

// replyTo returns what a SOCKS client is told of a fault that keeps it from its host.
func replyTo(fault exchange.Fault) socksReply {
	for reply, texts := range map[socksReply][]string{
		socksForbidden:       {errItself.Error()},
		socksNetUnreachable:  {syscall.ENETUNREACH.Error()},
		socksHostUnreachable: {syscall.EHOSTUNREACH.Error(), "no such host"},
		socksRefused:         {syscall.ECONNREFUSED.Error()},
	} {
		for _, text := range texts {
			if strings.HasSuffix(fault.Text, text) {
				return reply
			}
		}
	}
	return socksFailed
}

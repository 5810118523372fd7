package proxy_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/proxy"
)

const noAuth, withPassword = "\x05\x01\x00", "\x05\x02\x00\x02"

// socksConnect is a request of SOCKS 5 for a host:port.
func socksConnect(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	b := []byte{5, 1, 0}
	if ip, err := netip.ParseAddr(host); err != nil {
		b = append(append(b, 3, byte(len(host))), host...)
	} else if ip.Is4() {
		b = append(append(b, 1), ip.AsSlice()...)
	} else {
		b = append(append(b, 4), ip.AsSlice()...)
	}
	return string(binary.BigEndian.AppendUint16(b, uint16(n)))
}

// say sends bytes and reads as many as are wanted, which must be those.
func say(t testing.TB, c net.Conn, sent, want string) {
	t.Helper()
	if _, err := io.WriteString(c, sent); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("%q is answered %q, %v; want %q", sent, got[:n], err, want)
	}
}

// socksAnswer is a reply with a code.
func socksAnswer(code byte) string {
	return "\x05" + string(rune(code)) + "\x00\x01\x00\x00\x00\x00\x00\x00"
}

// openSocks has a connection to addr made by SOCKS.
func openSocks(t testing.TB, proxyAddr, addr string) net.Conn {
	t.Helper()
	c := dial(t, proxyAddr)
	say(t, c, noAuth, "\x05\x00")
	say(t, c, socksConnect(addr), socksAnswer(0))
	return c
}

// What comes by SOCKS is recorded as what comes by CONNECT, whichever way the host is named.
func TestSocks(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	plain, _ := teller(t, nil, "a")
	secure, _ := teller(t, ca.server(t), "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}})
	name := func(a *api) string { return strings.Replace(a.addr(), "127.0.0.1", "localhost", 1) }
	mapped := func(a *api) string { return strings.Replace(a.addr(), "127.0.0.1", "[::ffff:127.0.0.1]", 1) }
	for _, to := range []string{plain.addr(), name(plain), mapped(plain)} {
		for range 2 { // a pool's connections each ask anew
			c := openSocks(t, addr, to)
			if got := ask(t, c, bufio.NewReader(c), get); got != "a" {
				t.Errorf("%s: answered by %q", to, got)
			}
			by, tunnel := rec.next(t), openTunnel(t, addr, to)
			ask(t, tunnel, bufio.NewReader(tunnel), get)
			if want := rec.next(t); by.URL() != want.URL() || by.Target != want.Target || string(by.Request.Head) != string(want.Request.Head) {
				t.Errorf("%s: recorded %s of %q, by CONNECT %s of %q", to, by.URL(), by.Target, want.URL(), want.Target)
			}
		}
	}
	s := tls.Client(openSocks(t, addr, secure.addr()), own.client())
	if got := ask(t, s, bufio.NewReader(s), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	if e := rec.next(t); e.URL() != "https://"+secure.addr()+"/a" {
		t.Errorf("recorded %s", e.URL())
	}
	rec.empty(t)
}

// A client that resolves localhost itself and does not say the name in its handshake, as Java, finds it in the certificate.
func TestSocksLocalhostWithoutName(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	a, _ := teller(t, ca.server(t), "a")
	addr := serve(t, &proxy.Proxy{Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}})
	s := tls.Client(openSocks(t, addr, a.addr()), own.client()) // its ServerName is an address, which is not sent
	if err := s.Handshake(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if err := s.ConnectionState().PeerCertificates[0].VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
}

// The messages may come in any pieces, and ahead of the answers to them.
func TestSocksInPieces(t *testing.T) {
	a, _ := teller(t, nil, "a")
	addr := serve(t, &proxy.Proxy{Leaves: newTrust(t)})
	all := noAuth + socksConnect(a.addr()) + get
	want := "\x05\x00" + socksAnswer(0) + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
	say(t, dial(t, addr), all, want)
	c := dial(t, addr)
	for i := range all {
		if _, err := io.WriteString(c, all[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	say(t, c, "", want)
}

// With credentials set a SOCKS client must give them; what it then is refused with are the answers of RFC 1928.
// A client of SOCKS 4 is told so at once, and leaves nothing in the recording.
func TestSocks4(t *testing.T) {
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec})
	c := dial(t, addr)
	say(t, c, "\x04\x01\x00\x50\x7f\x00\x00\x01\x00", "\x00\x5b\x00\x00\x00\x00\x00\x00")
	if rest := readAll(t, c); len(rest) > 0 {
		t.Errorf("and then %q", rest)
	}
	rec.empty(t)
}

func TestSocksRefusals(t *testing.T) {
	dead := listen(t, nil, func(net.Conn) {})
	dead.close()
	a, _ := teller(t, nil, "a")
	open, locked := &proxy.Proxy{Recorder: newTape(), Leaves: newTrust(t)}, &proxy.Proxy{Recorder: newTape(), Auth: "ada:pass:word", Leaves: newTrust(t)}
	openAddr, lockedAddr := serve(t, open), serve(t, locked)
	for _, tt := range []struct {
		name, addr string
		talk       []string // what is said and what comes back, in turns
	}{
		{"no method that is spoken", openAddr, []string{"\x05\x02\x01\x03", "\x05\xff"}},
		{"a password that nobody asked for", openAddr, []string{"\x05\x01\x02", "\x05\x02", "\x01\x01a\x01b", "\x01\x00", socksConnect(a.addr()), socksAnswer(0)}},
		{"no password", lockedAddr, []string{noAuth, "\x05\xff"}},
		{"a wrong password", lockedAddr, []string{withPassword, "\x05\x02", "\x01\x03ada\x04pass", "\x01\x01"}},
		{"an empty password", lockedAddr, []string{withPassword, "\x05\x02", "\x01\x00\x00", "\x01\x01"}},
		{"another version of passwords", lockedAddr, []string{withPassword, "\x05\x02", "\x02\x03ada\x09pass:word", "\x01\x01"}},
		{"the right password", lockedAddr, []string{withPassword, "\x05\x02", "\x01\x03ada\x09pass:word", "\x01\x00", socksConnect(a.addr()), socksAnswer(0)}},
		{"BIND", openAddr, []string{noAuth, "\x05\x00", "\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", socksAnswer(7)}},
		{"an address of no type", openAddr, []string{noAuth, "\x05\x00", "\x05\x01\x00\x02\x7f\x00\x00\x01\x00\x50", socksAnswer(8)}},
		{"another version", openAddr, []string{noAuth, "\x05\x00", "\x04\x01\x00\x01\x7f\x00\x00\x01\x00\x50", socksAnswer(1)}},
		{"a name that is none", openAddr, []string{noAuth, "\x05\x00", socksConnect("a@b/c:80"), socksAnswer(1)}},
		{"an empty name", openAddr, []string{noAuth, "\x05\x00", socksConnect(":80"), socksAnswer(1)}},
		{"nobody listens", openAddr, []string{noAuth, "\x05\x00", socksConnect(dead.addr()), socksAnswer(5)}},
		{"no such host", openAddr, []string{noAuth, "\x05\x00", socksConnect("no-such-host.invalid:80"), socksAnswer(4)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, tt.addr)
			for i := 0; i < len(tt.talk); i += 2 {
				say(t, c, tt.talk[i], tt.talk[i+1])
			}
			if last := tt.talk[len(tt.talk)-1]; last == socksAnswer(0) {
				return
			}
			if rest := readAll(t, c); len(rest) > 0 {
				t.Errorf("then comes %q", rest)
			}
		})
	}
	if s := locked.Stats(); s.Denied != 4 {
		t.Errorf("%d were denied", s.Denied)
	}
	locked.Recorder.(*tape).empty(t)
	for range 2 { // the last two lead to no host, and are recorded as CONNECT requests are
		e := open.Recorder.(*tape).next(t)
		wantFault(t, e, exchange.FaultDial, "")
		if e.Request.Method != "CONNECT" || !strings.HasPrefix(string(e.Fault.Told.Head), "\x05") {
			t.Errorf("recorded %s %s, told %q", e.Request.Method, e.Request.Target, e.Fault.Told.Head)
		}
	}
	open.Recorder.(*tape).empty(t)
}

// A client that comes to the recorder itself by SOCKS is met as any other: one that heeds two proxy settings is recorded
// once. With a target its address is that of the API.
func TestSocksToItself(t *testing.T) {
	a, _ := teller(t, nil, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)})
	c := openSocks(t, addr, addr)
	say(t, c, noAuth, "\x05\x00")
	say(t, c, socksConnect(strings.Replace(addr, "127.0.0.1", "localhost", 1)), socksAnswer(0))
	if got := ask(t, c, bufio.NewReader(c), strings.Replace(get, "/a", "http://"+a.addr()+"/a", 1)); got != "a" {
		t.Errorf("answered by %q", got)
	}
	if e := rec.next(t); e.URL() != "http://"+a.addr()+"/a" || e.Response == nil {
		t.Errorf("recorded %s, %v", e.URL(), e.Fault)
	}
	addr = serve(t, &proxy.Proxy{Recorder: rec, Target: a.url("http"), TargetName: "shop"})
	c = openSocks(t, addr, addr)
	ask(t, c, bufio.NewReader(c), get)
	if e := rec.next(t); e.Target != "shop" || e.Response == nil {
		t.Errorf("recorded %q, %v", e.Target, e.Fault)
	}
	rec.empty(t)
}

// Where a target is set, bytes that are no greeting are the API's, though they begin like one. With ReverseOnly all are.
func TestSocksLookalikesPass(t *testing.T) {
	for _, tt := range []struct {
		sent string
		only bool
	}{{"\x05GET / HTTP/1.1", false}, {"\x05\x00", false}, {"\x05\x01\x50", false}, {"\x05\x09\x00", false}, {"\x05\x01", false}, {noAuth, true}} {
		arrived := make(chan string, 1)
		a := listen(t, nil, func(c net.Conn) {
			b, _ := io.ReadAll(c)
			arrived <- string(b)
		})
		c := dial(t, serve(t, &proxy.Proxy{Target: a.url("http"), ReverseOnly: tt.only}))
		io.WriteString(c, tt.sent)
		finish(t, c)
		if got := <-arrived; got != tt.sent {
			t.Errorf("%q arrives as %q", tt.sent, got)
		}
	}
}

// What is no HTTP passes unrecorded, whoever says the first word and whoever the last; so does what must not be looked
// into. How a connection ends passes too.
func TestSocksForeign(t *testing.T) {
	for _, tt := range []struct {
		name, addr, first, greeting string
	}{
		{"the server speaks first", "", "", "220 ready\r\n"},
		{"the client, in binary", "", "\x00\x00\x00\x08\x04\xd2\x16\x2f", "N"},
		{"both", "", "SSH-2.0-a\r\n", "SSH-2.0-b\r\n"},
		{"the client, in words", "", "*2\r\n$4\r\nAUTH\r\n$3\r\npwd\r\n", "+OK\r\n"},
		{"the client, in one word", "", "PING\r\n", "+PONG\r\n"},
		{"the client, in words of a line", "", "set key 0 0 1\r\n", "STORED\r\n"},
		{"the client, without a line's end", "", "HELLO", "HI"},
		{"the client, in JSON", "", "{\"get\": 1}\n", "{}\n"},
		{"a host to leave alone", "127.0.0.1", get, "HTTP/1.1 200 OK\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			arrived := make(chan string, 1)
			a := listen(t, nil, func(c net.Conn) {
				first := make([]byte, len(tt.first))
				io.ReadFull(c, first)
				io.WriteString(c, tt.greeting)
				rest, _ := io.ReadAll(c) // to the client's end of stream, after which there is still an answer
				io.WriteString(c, "bye")
				arrived <- string(first) + string(rest)
			})
			rec := newTape()
			p := &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)}
			if tt.addr != "" {
				p.Tunnel = proxy.Hosts{tt.addr}
			}
			c := openSocks(t, serve(t, p), a.addr())
			say(t, c, tt.first, tt.greeting)
			io.WriteString(c, "more")
			finish(t, c)
			if got := readAll(t, c); string(got) != "bye" {
				t.Errorf("the last word is %q", got)
			}
			if got := <-arrived; got != tt.first+"more" {
				t.Errorf("arrived %q", got)
			}
			shutdown(t, p)
			rec.empty(t)
			if s := p.Stats(); s.Blind != 1 || s.Sent != int64(len(tt.first)+4) || s.Received != int64(len(tt.greeting)+3) {
				t.Errorf("stats are %+v", s)
			}
		})
	}
}

// A server that speaks first is not waited for in a CONNECT tunnel either, and one that goes without a word takes the
// client with it: an end as an end, a reset as a reset.
func TestSilentClient(t *testing.T) {
	for way, open := range map[string]func(testing.TB, string, string) net.Conn{"CONNECT": openTunnel, "SOCKS": openSocks} {
		for name, tt := range map[string]struct {
			act  func(net.Conn)
			want string
		}{
			"greets": {func(c net.Conn) { io.WriteString(c, "220 ready\r\n") }, "220 ready\r\n"},
			"ends":   {func(net.Conn) {}, ""},
			"resets": {reset, "reset"},
			"HTTP":   {func(c net.Conn) { io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\n\r\n") }, "HTTP/1.1 408 Request Timeout\r\n\r\n"},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				opened := make(chan struct{})
				a := listen(t, nil, func(c net.Conn) {
					<-opened
					tt.act(c)
				})
				rec := newTape()
				c := open(t, serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)}), a.addr())
				close(opened)
				got, err := io.ReadAll(c)
				if wasReset(err) {
					got, err = []byte("reset"), nil
				}
				if err != nil || string(got) != tt.want {
					t.Errorf("the client gets %q, %v", got, err)
				}
				rec.empty(t) // nothing was asked
			})
		}
	}
}

// A tunnel that nobody looks into keeps no proxy from stopping, be its client through or not.
func TestSocksTunnelEnds(t *testing.T) {
	for _, through := range []bool{false, true} {
		over := make(chan struct{})
		a := listen(t, nil, func(c net.Conn) {
			io.WriteString(c, "220 ready\r\n")
			io.Copy(io.Discard, c)
			if through {
				io.Copy(io.Discard, io.LimitReader(c, 0))
			}
			<-over
		})
		p := &proxy.Proxy{Leaves: newTrust(t)}
		c := openSocks(t, serve(t, p), a.addr())
		say(t, c, "", "220 ready\r\n")
		if through {
			finish(t, c)
		}
		shutdown(t, p)
		close(over)
	}
}

// Other machines get to the target alone, by SOCKS as well.
func TestSocksForwardLocal(t *testing.T) {
	a, _ := teller(t, nil, "a")
	other, _ := teller(t, nil, "other")
	p := &proxy.Proxy{Target: a.url("http"), ForwardLocal: true, Leaves: newTrust(t)}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := serveOn(t, p, elsewhere{ln})
	c := dial(t, addr)
	say(t, c, noAuth, "\x05\x00")
	say(t, c, socksConnect(other.addr()), socksAnswer(2))
	c = openSocks(t, addr, a.addr())
	if got := ask(t, c, bufio.NewReader(c), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	if s := p.Stats(); s.Denied != 1 {
		t.Errorf("%d were denied", s.Denied)
	}
}

// curl speaks SOCKS, with the name and with the address of a host.
func TestSocksCurl(t *testing.T) {
	curl := needs.Program(t, "curl")
	a, _ := teller(t, nil, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Auth: "ada:word", Leaves: newTrust(t)})
	for _, scheme := range []string{"socks5", "socks5h"} {
		out, err := exec.Command(curl, "-sS", "--noproxy", "", "--proxy", scheme+"://ada:word@"+addr, "http://"+a.addr()+"/a").CombinedOutput()
		if err != nil || string(out) != "a" {
			t.Errorf("%s: %q, %v", scheme, out, err)
		}
		if e := rec.next(t); e.URL() != "http://"+a.addr()+"/a" {
			t.Errorf("recorded %s", e.URL())
		}
	}
}

package intercept

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Datagrams to this machine reach who takes them outside, whose answers come back; within, who takes them there, and
// never another machine's address.
func TestDatagramsFromWithin(t *testing.T) {
	namespaces(t)
	var ports []string
	for _, at := range []string{"127.0.0.1:0", "0.0.0.0:0"} {
		outside, err := net.ListenPacket("udp4", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { outside.Close() })
		_, port, _ := net.SplitHostPort(outside.LocalAddr().String())
		ports = append(ports, port)
		go func() {
			buf := make([]byte, 100)
			for {
				n, from, err := outside.ReadFrom(buf)
				if err != nil {
					return
				}
				_, _ = outside.WriteTo([]byte("outside "+string(buf[:n])), from)
			}
		}()
	}
	w := openBy(t, openNamespace, Options{})
	p := w.inhabitant(`
import socket, sys
def ask(host, port, text, times):
    for _ in range(times):
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.settimeout(0.2)
        udp.connect((host, int(port)))
        try:
            udp.send(text)
            return udp.recv(100).decode()
        except OSError:
            pass
    return "nobody"
one, everywhere = sys.argv[1:]
print(ask("127.0.0.1", one, b"a", 300))
print(ask("127.0.0.1", everywhere, b"b", 300))
print(ask("192.0.2.1", everywhere, b"c", 1), ask("192.0.2.1", one, b"c", 1))
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.bind(("127.0.0.1", 0))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.sendto(b"to myself", own.getsockname())
print(own.recv(100).decode())
`, ports...)
	var got []string
	for p.lines.Scan() {
		got = append(got, p.lines.Text())
	}
	if err := p.wait(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"outside a", "outside b", "nobody nobody", "to myself"}, got); diff != "" {
		t.Error(diff)
	}
	w.noneRefused(ports)
}

// noneRefused wants nothing to be told of ports: what stands there for who is outside is no process.
func (w *world) noneRefused(ports []string) {
	w.t.Helper()
	for _, r := range w.Refused() {
		if slices.ContainsFunc(ports, func(port string) bool { return strings.HasSuffix(r.To, ":"+port) }) {
			w.t.Errorf("told of port: %+v", r)
		}
	}
}

// answers takes datagrams, and answers who sent them. Its input ends it.
const answers = `
import socket, sys, threading
def answer(taker):
    while True:
        text, sender = taker.recvfrom(100)
        taker.sendto(b"within " + text + b" of " + sender[0].removeprefix("::ffff:").encode(), sender)
for host, port in zip(sys.argv[1::2], sys.argv[2::2]):
    taker = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind((host, int(port)))
    threading.Thread(target=answer, args=[taker], daemon=True).start()
print("bound")
sys.stdin.read()
`

// Where a process takes datagrams in its network it gets those of this machine, each client its own answers, until it
// ends. Other machines do not reach it.
func TestDatagramsFromOutside(t *testing.T) {
	namespaces(t)
	w := openBy(t, openNamespace, Options{})
	ports := []int{freeOfDatagrams(t), freeOfDatagrams(t), freeOfDatagrams(t)}
	p := w.inhabitant(answers,
		"127.0.0.1", fmt.Sprint(ports[0]), "0.0.0.0", fmt.Sprint(ports[1]), "::", fmt.Sprint(ports[2]))
	if !p.lines.Scan() {
		t.Fatal("it took no datagrams")
	}
	for _, at := range []string{fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1]),
		fmt.Sprintf("127.0.0.1:%d", ports[2]), fmt.Sprintf("[::1]:%d", ports[2])} {
		one, other := dialDatagrams(t, at), dialDatagrams(t, at)
		host, _, _ := net.SplitHostPort(at)
		for i, c := range []net.Conn{one, other, one} {
			if got, want := askSoon(t, c, fmt.Sprint(i)), fmt.Sprintf("within %d of %s", i, host); got != want {
				t.Errorf("%s: %q, want %q", at, got, want)
			}
		}
	}
	for _, at := range takenOutside(t) {
		if slices.Contains(ports, int(at.Port())) && !at.Addr().IsLoopback() {
			t.Errorf("other machines reach %s", at)
		}
	}
	p.input.Close()
	if err := p.wait(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil || len(w.Refused()) > 0 {
		t.Errorf("%v, %+v", err, w.Refused())
	}
	for _, at := range takenOutside(t) {
		if slices.Contains(ports, int(at.Port())) {
			t.Errorf("%s is still there", at)
		}
	}
}

// freeOfDatagrams is a port at which nobody takes any.
func freeOfDatagrams(t *testing.T) int {
	t.Helper()
	c, err := net.ListenPacket("udp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).Port
}

func takenOutside(t *testing.T) (all []netip.AddrPort) {
	t.Helper()
	for _, name := range []string{"udp", "udp6"} {
		text, err := os.ReadFile("/proc/self/net/" + name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parseTable(text, unconnected)...)
	}
	return all
}

func dialDatagrams(t *testing.T, at string) net.Conn {
	t.Helper()
	c, err := net.Dial("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// askSoon sends a datagram until a process of answers answers it, and returns what that says.
func askSoon(t *testing.T, c net.Conn, text string) string {
	t.Helper()
	buf := make([]byte, 100)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if _, err := c.Write([]byte(text)); err != nil {
			continue // nobody is there yet
		}
		if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		for n, err := c.Read(buf); err == nil; n, err = c.Read(buf) {
			if got := string(buf[:n]); strings.HasPrefix(got, "within "+text+" ") { // not what came late of an earlier question
				return got
			}
		}
	}
	t.Fatalf("%s: %q is not answered", c.RemoteAddr(), text)
	return ""
}

// A process may take datagrams where another one does, of its interceptor or of one beside it, each in its network: what
// stands outside for the other, and goes with it, is in nobody's way.
func TestDatagramsOfAnother(t *testing.T) {
	namespaces(t)
	w := openBy(t, openNamespace, Options{})
	datagramsOfTwo(t, w, w)
	var beside Networks
	datagramsOfTwo(t, openBy(t, openNamespace, Options{Beside: &beside}), openBy(t, openNamespace, Options{Beside: &beside}))
}

func datagramsOfTwo(t *testing.T, one, other *world) {
	t.Helper()
	outside, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	_, known, _ := net.SplitHostPort(outside.LocalAddr().String())
	port := fmt.Sprint(freeOfDatagrams(t))
	first := one.inhabitant(answers, "127.0.0.1", port)
	askSoon(t, dialDatagrams(t, "127.0.0.1:"+port), "x")
	second := other.inhabitant(`
import errno, socket, sys, time
def taken(port):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taker:
            taker.bind(("127.0.0.1", int(port)))
    except OSError as e:
        return e.errno == errno.EADDRINUSE
    return False
while not taken(sys.argv[1]): # until what is outside is known within
    time.sleep(0.01)
print("taken" if taken(sys.argv[2]) else "free")
`, known, port)
	if !second.lines.Scan() || second.lines.Text() != "free" {
		t.Errorf("where another takes datagrams: %q", second.lines.Text())
	}
	for _, p := range []*inhabitant{first, second} {
		p.input.Close()
		if err := p.wait(); err != nil {
			t.Error(err)
		}
	}
}

// What was an address of this machine is none any more: datagrams to it go nowhere.
func TestDatagramsStayHere(t *testing.T) {
	if out, err := dialOwn(netip.MustParseAddrPort("203.0.113.1:9")); err == nil {
		t.Errorf("it sends from %s to %s", out.LocalAddr(), out.RemoteAddr())
		out.Close()
	}
}

// Each sender is answered itself, also where there are more than are told apart at once; what served them ends.
func TestDatagramsOfMany(t *testing.T) {
	open := func() *net.UDPConn {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	outside, in := open(), open()
	go func() {
		buf := make([]byte, 100)
		for n, from, err := 0, net.Addr(nil), error(nil); err == nil; n, from, err = outside.ReadFrom(buf) {
			if from != nil {
				_, _ = outside.WriteTo(buf[:n], from)
			}
		}
	}()
	to := outside.LocalAddr().(*net.UDPAddr).AddrPort()
	r := &relay{in: in, dial: func() (net.Conn, error) { return dialOwn(to) }, senders: map[netip.AddrPort]net.Conn{}}
	var serving sync.WaitGroup
	serving.Go(r.serve)
	var clients []*net.UDPConn
	ask := func(i int) {
		c, text, buf := clients[i], fmt.Sprint(i), make([]byte, 100)
		if _, err := c.WriteTo([]byte(text), in.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(buf); err != nil || string(buf[:n]) != text {
			t.Fatalf("%s hears %q, %v", text, buf[:n], err)
		}
	}
	for i := range maxSenders + 10 {
		clients = append(clients, open())
		ask(i)
		ask(i / 2)
	}
	r.mu.Lock()
	if n := len(r.senders); n != maxSenders {
		t.Errorf("%d are told apart", n)
	}
	r.mu.Unlock()
	in.Close()
	serving.Wait()
}

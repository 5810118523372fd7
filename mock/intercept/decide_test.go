package intercept

import (
	"net/netip"
	"testing"
)

func TestJudge(t *testing.T) {
	n := newNames(nil)
	named, ok := n.address("rates.example.com")
	if !ok {
		t.Fatal("no address")
	}
	mine := netip.MustParseAddr("192.168.1.5")
	p := policy{names: n, local: []uint16{9090}, own: func(a netip.Addr) bool { return a == mine }}
	ip := func(s string) endpoint {
		to := netip.MustParseAddrPort(s)
		if to.Addr().Is4() {
			return endpoint{family: familyIPv4, ip: to}
		}
		return endpoint{family: familyIPv6, ip: to}
	}
	led := func(host string, port uint16) verdict { return verdict{action: lead, service: Service{host, port}} }
	passes, asks, hides := verdict{action: pass}, verdict{action: ask}, verdict{action: hide}
	refused := verdict{action: refuse}
	for _, tc := range []struct {
		name string
		to   endpoint
		kind kind
		want verdict
	}{
		{"a name that was looked up", ip(named.String() + ":443"), stream, led("rates.example.com", 443)},
		{"the same, mapped for IPv6", ip("[::ffff:" + named.String() + "]:443"), stream, led("rates.example.com", 443)},
		{"the same, where nobody knows what the socket sends", ip(named.String() + ":443"), unknownKind, led("rates.example.com", 443)},
		{"sorting of addresses", ip(named.String() + ":443"), datagram, passes},
		{"a literal", ip("203.0.113.7:8443"), stream, led("203.0.113.7", 8443)},
		{"a literal of IPv6, with a zone", ip("[2001:db8::5%eth0]:80"), stream, led("2001:db8::5", 80)},
		{"a private address", ip("10.0.0.3:5432"), stream, led("10.0.0.3", 5432)},
		{"the metadata of a cloud", ip("169.254.169.254:80"), stream, led("169.254.169.254", 80)},
		{"a database of this machine", ip("127.0.0.1:5432"), stream, passes},
		{"the same by IPv6", ip("[::1]:5432"), stream, passes},
		{"the unspecified address is this machine", ip("0.0.0.0:5432"), stream, passes},
		{"an address of this machine's interfaces", ip("192.168.1.5:80"), stream, passes},
		{"a port of this machine that is a service", ip("127.0.0.1:9090"), stream, led("localhost", 9090)},
		{"the same port by UDP", ip("127.0.0.1:9090"), datagram, passes},
		{"a name server", ip("8.8.8.8:53"), datagram, asks},
		{"a name server by TCP", ip("8.8.8.8:53"), stream, asks},
		{"this machine's name server asks others", ip("127.0.0.53:53"), datagram, asks},
		{"ours", ip(nameServerHost + ":40000"), datagram, passes},
		{"ours, behind that of another interceptor", ip("127.77.255.54:53"), datagram, passes},
		{"an address beside ours", ip("127.78.255.53:53"), datagram, asks},
		{"datagrams to others", ip("203.0.113.7:443"), datagram, refused},
		{"multicast", ip("224.0.0.251:5353"), unknownKind, refused},
		{"raw sockets", ip("203.0.113.7:0"), otherKind, refused},
		{"the end of an association", endpoint{family: familyNone}, unknownKind, passes},
		{"a datagram to an address without a family", endpoint{family: familyNone}, datagram, refused},
		{"a socket of this machine", endpoint{family: familyUnix, path: "/tmp/.s.PGSQL.5432"}, unknownKind, passes},
		{"a resolver's socket", endpoint{family: familyUnix, path: "/var/run/nscd/socket"}, unknownKind, hides},
		{"systemd's resolver", endpoint{family: familyUnix, path: "/run/systemd/resolve/io.systemd.Resolve"}, unknownKind, hides},
		{"a virtual machine's host", endpoint{family: 40}, unknownKind, refused},
		{"an address cut off", endpoint{family: familyIPv4}, unknownKind, refused},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := p.judge(tc.to, tc.kind)
			if (got.why != "") != (got.action == refuse) {
				t.Errorf("it is refused without a reason, or the other way round: %+v", got)
			}
			got.why = ""
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	n := newNames(searchDomains("nameserver 10.0.0.1\nsearch old.example\nsearch svc.cluster.local cluster.local\n"))
	for name, want := range map[string]string{
		"payments": "127.77.0.1", "Payments.svc.cluster.local.": "127.77.0.1", "payments.cluster.local": "127.77.0.1",
	} {
		if got, ok := n.address(name); !ok || got.String() != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	other, _ := n.address("svc.cluster.local") // no name is left before the domain of the longer list
	if host, _ := n.host(other); host != "svc" {
		t.Errorf("it is %q", host)
	}
	for i := range maxNames + 10 {
		addr, ok := n.address(string(rune('a'+i%26)) + netip.AddrFrom4([4]byte{0, byte(i >> 16), byte(i >> 8), byte(i)}).String())
		if ok && !addr.IsLoopback() || addr.String() == nameServerHost {
			t.Fatalf("name %d has %v", i, addr)
		}
		if !ok && i < maxNames-10 {
			t.Fatalf("name %d has none", i)
		}
	}
}

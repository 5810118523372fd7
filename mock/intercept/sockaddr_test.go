package intercept

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// What is written is read back, as the family has it.
func TestSockaddrs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addr := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "four")))
		f := rapid.SampledFrom([]family{familyIPv4, familyIPv6}).Draw(t, "family")
		if f == familyIPv6 && rapid.Bool().Draw(t, "six") {
			addr = netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "sixteen")))
		}
		to := netip.AddrPortFrom(addr, rapid.Uint16().Draw(t, "port"))
		got := parseSockaddr(appendSockaddr(nil, f, to))
		if got.family != f || got.ip.Addr().Unmap() != addr.Unmap() || got.ip.Port() != to.Port() {
			t.Fatalf("%v is read as %+v", to, got)
		}
	})
}

func TestParseSockaddr(t *testing.T) {
	for in, want := range map[string]endpoint{
		"":                                   {},
		"02":                                 {},
		"0000":                               {},
		"02000050":                           {family: familyIPv4}, // cut off
		"01002f746d702f7300ff":               {family: familyUnix, path: "/tmp/s"},
		"01000061":                           {family: familyUnix, path: "\x00a"}, // abstract
		"0100":                               {family: familyUnix},                // unnamed
		"02000050cb0071070000000000000000":   {family: familyIPv4, ip: netip.MustParseAddrPort("203.0.113.7:80")},
		"02000050cb007107000000000000000099": {family: familyIPv4, ip: netip.MustParseAddrPort("203.0.113.7:80")},
	} {
		b, err := hex.DecodeString(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := parseSockaddr(b); got != want {
			t.Errorf("%s: got %+v, want %+v", in, got, want)
		}
	}
}

func FuzzSockaddr(f *testing.F) {
	f.Add(appendSockaddr(nil, familyIPv6, netip.MustParseAddrPort("[2001:db8::1]:443")))
	f.Add([]byte{1, 0, '/', 'x', 0})
	p := policy{names: newNames(nil), own: func(netip.Addr) bool { return false }}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := parseSockaddr(b)
		for _, k := range []kind{unknownKind, stream, datagram, otherKind} {
			v := p.judge(e, k)
			outside := e.ip.IsValid() && !e.ip.Addr().Unmap().IsLoopback() && !e.ip.Addr().Unmap().IsUnspecified()
			if outside && v.action == pass {
				t.Errorf("%+v passes", e)
			}
		}
	})
}

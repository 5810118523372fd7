package intercept

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// ask asks the registry a question, and returns the answer.
func (n *names) question(t *testing.T, name string, of dnsmessage.Type) dnsmessage.Message {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true}, Questions: []dnsmessage.Question{{
		Name: dnsmessage.MustNewName(name), Type: of, Class: dnsmessage.ClassINET}}}
	query, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var answer dnsmessage.Message
	if err := answer.Unpack(n.reply(query)); err != nil {
		t.Fatal(err)
	}
	if answer.ID != 7 || !answer.Response || answer.RCode != dnsmessage.RCodeSuccess || len(answer.Questions) != 1 {
		t.Errorf("%s: %+v", name, answer.Header)
	}
	return answer
}

func TestReply(t *testing.T) {
	n := newNames(nil)
	for _, tc := range []struct {
		name string
		of   dnsmessage.Type
		want string // the one answer; "" for none
	}{
		{"Rates.Example.com.", dnsmessage.TypeA, "127.77.0.1"},
		{"rates.example.com.", dnsmessage.TypeA, "127.77.0.1"},
		{"rates.example.com.", dnsmessage.TypeAAAA, ""},
		{"rates.example.com.", dnsmessage.TypeMX, ""},
		{"rates.example.com.", dnsmessage.Type(65), ""}, // HTTPS
		{"_http._tcp.example.com.", dnsmessage.TypeSRV, ""},
		{"1.0.77.127.in-addr.arpa.", dnsmessage.TypePTR, "rates.example.com."},
		{"9.9.9.9.in-addr.arpa.", dnsmessage.TypePTR, ""},
		{"x.in-addr.arpa.", dnsmessage.TypePTR, ""},
		{"localhost.", dnsmessage.TypeA, "127.0.0.1"},
		{"db.localhost.", dnsmessage.TypeAAAA, "::1"},
		{".", dnsmessage.TypeA, ""},
	} {
		t.Run(tc.name+tc.of.String(), func(t *testing.T) {
			var got []string
			for _, r := range n.question(t, tc.name, tc.of).Answers {
				switch body := r.Body.(type) {
				case *dnsmessage.AResource:
					got = append(got, netip.AddrFrom4(body.A).String())
				case *dnsmessage.AAAAResource:
					got = append(got, netip.AddrFrom16(body.AAAA).String())
				case *dnsmessage.PTRResource:
					got = append(got, body.PTR.String())
				}
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A resolver is answered by datagrams and by TCP, each name the same.
func TestNameServer(t *testing.T) {
	s, err := openNameServer(newNames(nil))
	if err != nil {
		t.Fatal(err)
	}
	go s.serveDatagrams()
	go s.serveConnections()
	t.Cleanup(func() { s.close() })
	var all []string
	for _, network := range []string{"udp", "tcp"} {
		r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, s.addr.String())
		}}
		found, err := r.LookupHost(t.Context(), "a.example.")
		if err != nil {
			t.Fatal(network, err)
		}
		all = append(all, found...)
	}
	if want := []string{"127.77.0.1", "127.77.0.1"}; !slices.Equal(all, want) {
		t.Errorf("got %v, want %v", all, want)
	}
}

// Whatever comes, the name server answers a query or nothing, and is not led astray.
func FuzzReply(f *testing.F) {
	m := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("a.example."),
		Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	query, err := m.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(query)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, query []byte) {
		out := newNames([]string{"local"}).reply(query)
		if out == nil {
			return
		}
		var answer dnsmessage.Message
		if err := answer.Unpack(out); err != nil || !answer.Response {
			t.Errorf("%x: %v", out, err)
		}
	})
}

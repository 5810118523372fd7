package intercept

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsTTL is how long an answer may be kept, in seconds: names do not move while a process runs.
const dnsTTL = 1

// reply answers a query of DNS (RFC 1035 §4): each name has one address of IPv4, and none of IPv6; addresses that were
// given out have their name. Other questions have an empty answer, which ends a resolver's search: with an error, or
// with silence, it would ask again or elsewhere. What is no query has no answer: nil.
func (n *names) reply(query []byte) []byte {
	var p dnsmessage.Parser
	header, err := p.Start(query)
	if err != nil || header.Response {
		return nil
	}
	question, err := p.Question()
	if err != nil {
		return nil
	}
	answer := dnsmessage.Header{ID: header.ID, Response: true, OpCode: header.OpCode,
		RecursionDesired: header.RecursionDesired, RecursionAvailable: true}
	if header.OpCode != 0 {
		answer.RCode = dnsmessage.RCodeNotImplemented
	}
	b := dnsmessage.NewBuilder(nil, answer)
	b.EnableCompression()
	if b.StartQuestions() != nil || b.Question(question) != nil || b.StartAnswers() != nil {
		return nil
	}
	if question.Class == dnsmessage.ClassINET && answer.RCode == dnsmessage.RCodeSuccess {
		if n.addTo(&b, question) != nil {
			return nil
		}
	}
	out, err := b.Finish()
	if err != nil {
		return nil
	}
	return out
}

// addTo adds what is known of a question to an answer.
func (n *names) addTo(b *dnsmessage.Builder, q dnsmessage.Question) error {
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: dnsTTL}
	name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	switch {
	case q.Type == dnsmessage.TypePTR:
		host, ok := n.host(reversed(name))
		if !ok {
			return nil
		}
		ptr, err := dnsmessage.NewName(host + ".")
		if err != nil {
			return nil // a literal address has no name
		}
		return b.PTRResource(head, dnsmessage.PTRResource{PTR: ptr})
	case name == "" || q.Type != dnsmessage.TypeA && (q.Type != dnsmessage.TypeAAAA || !isLocalhost(name)):
		return nil
	case isLocalhost(name) && q.Type == dnsmessage.TypeAAAA:
		return b.AAAAResource(head, dnsmessage.AAAAResource{AAAA: netip.IPv6Loopback().As16()})
	case isLocalhost(name):
		return b.AResource(head, dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}})
	}
	addr, ok := n.address(name)
	if !ok {
		return nil
	}
	return b.AResource(head, dnsmessage.AResource{A: addr.As4()})
}

// isLocalhost reports whether a name is this machine's (RFC 6761 §6.3).
func isLocalhost(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// reversed is the address of IPv4 in a name under in-addr.arpa (RFC 1035 §3.5); the zero address where there is none.
func reversed(name string) netip.Addr {
	digits, found := strings.CutSuffix(name, ".in-addr.arpa")
	parts := strings.Split(digits, ".")
	if !found || len(parts) != 4 {
		return netip.Addr{}
	}
	var b [4]byte
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return netip.Addr{}
		}
		b[3-i] = byte(v)
	}
	return netip.AddrFrom4(b)
}

package flow

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Operations returns the operation of each exchange, by Seq: its method and its path with the variable segments as
// parameters, the first {id}, further ones {id2}, {id3}, …. The query belongs to no template.
//
// A segment is a parameter where a binding fills it, or where it has the form of a made value (see looksLikeID), or
// where the same place in the path has many values of which most are no words; words among those join them unless
// they stand out as a route of their own. Each address that was spoken to has operations of its own.
func Operations(exchanges []*exchange.Exchange, bindings []exchange.Binding) map[uint64]exchange.Operation {
	filled := map[exchange.Ref]bool{}
	for _, b := range bindings {
		for _, use := range b.Uses {
			if use.Place.Root() == "path" {
				filled[use] = true
			}
		}
	}
	out := make(map[uint64]exchange.Operation, len(exchanges))
	for host, own := range byHost(exchanges) {
		all := templates(own, filled)
		for i, e := range own {
			all[i].Host = host
			out[e.Seq] = all[i]
		}
	}
	return out
}

// byHost parts the exchanges by the address that they went to; the one that most went to has the key "".
func byHost(exchanges []*exchange.Exchange) map[string][]*exchange.Exchange {
	hosts := map[string][]*exchange.Exchange{}
	main := ""
	for _, e := range exchanges {
		host := oneLoopback(e.Addr)
		hosts[host] = append(hosts[host], e)
		if n, most := len(hosts[host]), len(hosts[main]); n > most || n == most && host < main {
			main = host
		}
	}
	own := hosts[main]
	delete(hosts, main)
	if len(own) > 0 {
		hosts[""] = own
	}
	return hosts
}

// oneLoopback gives the spellings of loopback one name: clients mix them freely.
func oneLoopback(addr string) string {
	addr = strings.ToLower(addr)
	colon := strings.LastIndexByte(addr, ':')
	if colon < 0 {
		return addr
	}
	ip, err := netip.ParseAddr(strings.Trim(addr[:colon], "[]"))
	if err == nil && ip.IsLoopback() {
		return "localhost" + addr[colon:]
	}
	return addr
}

// Templates returns the operations of exchanges of one API, position by position, as far as their paths and answers
// alone tell them.
func Templates(exchanges []*exchange.Exchange) []exchange.Operation { return templates(exchanges, nil) }

// templates returns the operations of exchanges, position by position. filled are the places that bindings fill.
func templates(exchanges []*exchange.Exchange, filled map[exchange.Ref]bool) []exchange.Operation {
	root := newNode()
	out := make([]exchange.Operation, len(exchanges))
	paths := make([][]string, len(exchanges))
	for i, e := range exchanges {
		paths[i] = message.PathSegments(&e.Request)
		root.insert(e, paths[i], filled)
	}
	root.settle(0)
	for i, e := range exchanges {
		out[i] = exchange.Operation{Method: printable(e.Request.Method), Template: root.template(paths[i])}
		if paths[i] == nil {
			out[i].Template = printable(e.Request.Target)
		}
	}
	return out
}

// node is one place in the tree of all paths.
type node struct {
	children map[string]*node                 // by segment, as sent
	param    *node                            // what all children that are parameters lead to, once settled
	joined   map[string]bool                  // the children that param stands for
	filled   bool                             // a binding fills this segment
	seen     map[outcome][]*exchange.Exchange // some that end here: see witness
}

// outcome is how a request went.
type outcome struct {
	method string
	status int
}

func newNode() *node {
	return &node{children: map[string]*node{}, seen: map[outcome][]*exchange.Exchange{}}
}

func (n *node) insert(e *exchange.Exchange, segments []string, filled map[exchange.Ref]bool) {
	if segments == nil {
		return
	}
	for i, s := range segments {
		child := n.children[s]
		if child == nil {
			child = newNode()
			n.children[s] = child
		}
		if len(filled) > 0 && !child.filled {
			child.filled = filled[exchange.Ref{Seq: e.Seq, Place: exchange.Place("/path").Index(i)}]
		}
		n = child
	}
	n.witness(e)
}

// maxWitnesses bounds how many exchanges of each outcome a node remembers.
const maxWitnesses = 3

// witness remembers an exchange that shows what a route does: one that the API did not refuse as such.
func (n *node) witness(e *exchange.Exchange) {
	if e.Response == nil {
		return
	}
	switch e.Response.Status {
	case 400, 401, 403, 404, 405, 501:
		return
	}
	switch e.Request.Method {
	case "OPTIONS", "HEAD", "TRACE":
		return
	}
	o := outcome{e.Request.Method, e.Response.Status}
	if len(n.seen[o]) < maxWitnesses {
		n.seen[o] = append(n.seen[o], e)
	}
}

// manyValues is how many values one place of a path must have before they are judged together.
const manyValues = 6

// settle decides which children are parameters, joins them, and goes on below.
func (n *node) settle(depth int) {
	var odd int
	n.joined = map[string]bool{}
	for s, child := range n.children {
		text := message.UnescapePath(s)
		if s != "" && (child.filled || words.LooksLikeID(text)) {
			n.joined[s] = true
		}
		if n.joined[s] || s != "" && !words.LooksLikeWord(text) {
			odd++
		}
	}
	many := odd >= manyValues && 3*odd > len(n.children)
	if many {
		for s := range n.children {
			if s != "" && !words.LooksLikeWord(message.UnescapePath(s)) {
				n.joined[s] = true
			}
		}
	}
	if len(n.joined) > 0 {
		n.param = newNode()
		for _, s := range slices.Sorted(maps.Keys(n.joined)) {
			n.param.merge(n.children[s])
		}
	}
	if many && depth > 0 {
		n.joinWords()
	}
	for s, child := range n.children {
		if !n.joined[s] {
			child.settle(depth + 1)
		}
	}
	if n.param != nil {
		n.param.settle(depth + 1)
	}
}

// joinWords lets words join the parameters of a place that has many: those that lead on to the same routes, and those
// that end there and that nothing shows to be a route of their own.
func (n *node) joinWords() {
	var words []string
	for _, s := range slices.Sorted(maps.Keys(n.children)) {
		child := n.children[s]
		if s == "" || n.joined[s] {
			continue
		}
		if len(child.children) > 0 && child.leadsInto(n.param) || len(child.children) == 0 && child.behavesLike(n.param) {
			words = append(words, s)
		}
	}
	for _, s := range words {
		n.joined[s] = true
		n.param.merge(n.children[s])
	}
}

// behavesLike reports whether everything that requests ending at n were answered was also answered at other: the same
// method, and where that went well, the same kind of body. An OpenAPI document would give /orders/search and
// /orders/{id} different schemas.
func (n *node) behavesLike(other *node) bool {
	methods := map[string]bool{}
	for o := range other.seen {
		methods[o.method] = true
	}
	for o, list := range n.seen {
		if !methods[o.method] {
			return false
		}
		if o.status/100 != 2 {
			continue
		}
		alike := func(e *exchange.Exchange) bool {
			return slices.ContainsFunc(other.seen[o],
				func(x *exchange.Exchange) bool { return sameKind(e.Response, x.Response) })
		}
		if !slices.ContainsFunc(list, alike) {
			return false
		}
	}
	return true
}

// sameKind reports whether two answers may have one schema: both objects that share most of their members, or bodies
// that begin alike.
func sameKind(a, b *exchange.Response) bool {
	x, _ := a.Payload()
	y, _ := b.Payload()
	x, y = bytes.TrimSpace(x), bytes.TrimSpace(y)
	if len(x) == 0 || len(y) == 0 || x[0] != y[0] {
		return len(x) == 0 && len(y) == 0
	}
	if x[0] != '{' {
		return true
	}
	var p, q map[string]json.RawMessage
	if json.Unmarshal(x, &p) != nil || json.Unmarshal(y, &q) != nil {
		return false
	}
	shared := 0
	for k := range p {
		if _, both := q[k]; both {
			shared++
		}
	}
	return 2*shared >= max(len(p), len(q))
}

// leadsInto reports whether every word that follows n also follows other.
func (n *node) leadsInto(other *node) bool {
	shared := false
	for s := range n.children {
		if !words.LooksLikeWord(s) {
			continue
		}
		if other.children[s] == nil {
			return false
		}
		shared = true
	}
	return shared
}

// merge adds what other has to n.
func (n *node) merge(other *node) {
	for _, list := range other.seen {
		for _, e := range list {
			n.witness(e)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(other.children)) {
		child := other.children[s]
		mine := n.children[s]
		if mine == nil {
			mine = newNode()
			n.children[s] = mine
		}
		mine.filled = mine.filled || child.filled
		mine.merge(child)
	}
}

// template returns the path of segments with its parameters named.
func (n *node) template(segments []string) string {
	var b strings.Builder
	params := 0
	for _, s := range segments {
		b.WriteByte('/')
		if !n.joined[s] {
			b.WriteString(printable(s))
			n = n.children[s]
			continue
		}
		params++
		b.WriteString("{id")
		if params > 1 {
			b.WriteString(strconv.Itoa(params))
		}
		b.WriteByte('}')
		n = n.param
	}
	return b.String()
}

// printable returns s with everything but visible ASCII percent-encoded, and braces too: they mark parameters.
func printable(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '{' || c == '}' {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

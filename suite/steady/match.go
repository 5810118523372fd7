package steady

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
)

// step is a recorded exchange, as far as it is needed to find it again.
type step struct {
	seq       uint64
	conn      uint64
	sequence  string
	exact     exchange.Fingerprint
	operation exchange.Operation
	status    int               // 0 where it is a fault
	next      int               // the one after it on its connection; -1 where there is none
	used      int               // how often it was found again
	own       map[string]string // what its client may have made up for it, by header
}

// matcher finds the recorded exchange that a live request repeats, while the client runs. When two requests are the
// same, or differ in made-up values alone, packages exchange and flow/match say; here is which one of several is meant
// by who stands where in the recording.
//
// The same request is the one that comes next where the client stands in the recording: behind the last one found on
// its connection, and within its test case where it names that. A request whose values the client made up itself
// repeats one of the same operation whose values are of the same kind. A request that changes nothing may come more
// often than it was recorded; the last answer stands for the further ones.
type matcher struct {
	steps   []step
	exact   map[exchange.Fingerprint][]int
	route   map[string][]int // by method and the template of the path
	paths   *flow.Paths
	at      map[uint64]int // where each live connection stands
	last    int            // where the client as a whole does
	lastOf  map[uint64]int // recorded connections, while steps are added
	shortOf map[string]bool
}

// maxConnections bounds the connections whose place in the recording is remembered.
const maxConnections = 1 << 14

func newMatcher() *matcher {
	return &matcher{exact: map[exchange.Fingerprint][]int{}, route: map[string][]int{}, at: map[uint64]int{}, last: -1,
		lastOf: map[uint64]int{}, shortOf: map[string]bool{}}
}

// add takes the next recorded exchange.
func (m *matcher) add(e *exchange.Exchange, op exchange.Operation) {
	i := len(m.steps)
	s := step{seq: e.Seq, conn: e.Conn, sequence: e.Sequence, exact: exchange.Exact(e), operation: op, next: -1,
		own: ownHeaders(&e.Request)}
	if e.Response != nil {
		s.status = e.Response.Status
	}
	if before, ok := m.lastOf[e.Conn]; ok {
		m.steps[before].next = i
	}
	m.lastOf[e.Conn] = i
	m.steps = append(m.steps, s)
	m.exact[s.exact] = append(m.exact[s.exact], i)
	key := op.Method + " " + op.Template
	m.route[key] = append(m.route[key], i)
	m.shortOf[op.Template] = true
}

// ready is told that all is there.
func (m *matcher) ready() {
	templates := make([]string, 0, len(m.shortOf))
	for t := range m.shortOf {
		templates = append(templates, t)
	}
	m.paths = flow.NewPaths(templates)
	m.lastOf, m.shortOf = nil, nil
}

// find returns the recorded step that a request repeats, -1 where there is none.
func (m *matcher) find(e *exchange.Exchange) int {
	i := m.pick(m.exact[exchange.Exact(e)], e)
	if i >= 0 {
		m.stand(e, i)
	}
	return i
}

// alike returns the steps of the same operation that were not found yet, the nearest first; a few of them.
func (m *matcher) alike(e *exchange.Exchange) []int {
	template, ok := m.paths.Template(&e.Request)
	if !ok {
		return nil
	}
	var ahead, behind []int
	from := m.position(e)
	for _, i := range m.route[e.Request.Method+" "+template] {
		switch {
		case m.steps[i].used > 0:
		case i > from && len(ahead) < maxAlike:
			ahead = append(ahead, i)
		case i <= from && len(behind) < maxAlike:
			behind = append(behind, i)
		}
	}
	return append(ahead, behind...)
}

// maxAlike bounds the steps whose values are compared with those of a request.
const maxAlike = 16

// stand notes where a client stands in the recording.
func (m *matcher) stand(e *exchange.Exchange, i int) {
	m.steps[i].used++
	if len(m.at) >= maxConnections {
		clear(m.at)
	}
	m.at[e.Conn], m.last = i, i
}

// again is told that the API was not as far as it was for a step: the client may ask for it once more. It stands where
// it stood before.
func (m *matcher) again(conn uint64, i, before int) {
	m.steps[i].used--
	m.at[conn], m.last = before, before
}

func (m *matcher) position(e *exchange.Exchange) int {
	if i, ok := m.at[e.Conn]; ok {
		return i
	}
	return m.last
}

// pick returns the one of several steps that is meant: the next one that was not found yet.
func (m *matcher) pick(all []int, e *exchange.Exchange) int {
	if len(all) == 0 {
		return -1
	}
	from, best, bestRank := m.position(e), -1, 0
	for _, i := range all {
		if rank := m.rank(i, from, e); rank > bestRank {
			best, bestRank = i, rank
		}
	}
	if best < 0 && e.Request.Safe() {
		best = all[0]
		for _, i := range all {
			if i <= from {
				best = i
			}
		}
	}
	return best
}

// rank says how likely a step is the next one of a client that stands at from; 0 where it was found already.
func (m *matcher) rank(i, from int, e *exchange.Exchange) int {
	s := &m.steps[i]
	if s.used > 0 {
		return 0
	}
	rank := 1
	switch {
	case i == from+1, from >= 0 && m.steps[from].next == i:
		rank = 4
	case i > from:
		rank = 2
	}
	if e.Sequence != "" && e.Sequence == s.sequence {
		rank += 8
	}
	return rank
}

// ownHeaders returns the headers of a request whose values its client may have made up for this one: those that nobody
// comes by twice. What says who or where a client is, or what an answer gave it, is none of them.
func ownHeaders(r *exchange.Request) map[string]string {
	var out map[string]string
	for _, f := range r.Header {
		name := strings.ToLower(f.Name)
		if ordinaryHeader(name) || !telling(f.Value) || timeText.MatchString(f.Value) || len(exchange.Tokens(f.Value)) > 0 {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = strings.Clone(f.Value) // the head is not kept for it
	}
	return out
}

// ordinaryHeader reports whether a header of a request differs by who asks, from where, or for what.
func ordinaryHeader(name string) bool {
	switch name {
	case "cookie", "authorization", "proxy-authorization", "via", "forwarded", "range", "http2-settings", "from",
		"x-real-ip":
		return true
	}
	if message.OrdinaryField(name) {
		return true
	}
	for _, kind := range [...]string{"accept", "content-", "if-", "sec-", "x-forwarded-", "flaketap-", "x-flaketap-"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}

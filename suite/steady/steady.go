package steady

import (
	"bytes"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/waits/settle"
)

// Header is the name of the request header that asks for reasons, with the value "explain", and of the headers of an
// answer that give them: "held 5, raw 1", then one "raw PLACE: REASON" for each value that passed as it is, up to ten.
// The API does not get it.
const Header = "Flaketap-Steady"

// Options are what a [Steady] knows.
type Options struct {
	// Exchange returns a recorded exchange by its position. It is called with one request at a time.
	Exchange func(seq uint64) (*exchange.Exchange, error)
	// Operations and Bindings are those of the recording, Map is what was learned of it.
	Operations map[uint64]exchange.Operation
	Bindings   []exchange.Binding
	Map        *mapfile.Map
	// Oracles say of recorded reads what is waited for before they are answered, by exchange; see [Steady.Awaits].
	Oracles map[uint64]*settle.Oracle
	// Stages say of recorded reads how far the API was, by exchange: what tells another stage is not held still.
	Stages map[uint64]*settle.Stages
	// Explain puts the reasons into every answer.
	Explain bool
	// Raw is told of each value that passes though it is not the recorded one; nil discards it. It is called with one
	// at a time, and never with a value.
	Raw func(Raw)
}

// Raw is a value that passed as it is, or an answer as a whole.
type Raw struct {
	Operation exchange.Operation
	Seq       uint64         // of the recorded exchange; 0 where there is none
	Place     exchange.Place // "" for an answer as a whole
	Reason    string

	general exchange.Place // with wildcards
}

// Steady is the rewriter of a proxy. It may be used by several goroutines at once.
type Steady struct {
	o         Options
	produced  map[uint64][]*exchange.Binding // by the exchange that gives the value
	oneShot   map[uint64]bool                // the reads that are not to be sent twice
	judged    map[judgedKey]*judgement
	carrier   *flow.Carrier
	matcher   *matcher
	mu        sync.Mutex // guards all that follows, and the matcher
	names     *names
	turns     map[*exchange.Exchange]turn
	rising    map[risingKey]string
	summary   Summary
	sameHosts map[string]bool
}

type judgedKey struct {
	operation exchange.Operation
	status    int
}

type risingKey struct {
	operation exchange.Operation
	place     exchange.Place
}

// turn is a request that was sent, until it is answered.
type turn struct {
	step    int // -1 where it repeats none that was recorded
	before  int // where the client stood in the recording before
	client  exchange.Request
	sent    exchange.Request
	explain bool
}

// maxTurns bounds the requests that wait for their answers; more have been given up.
const maxTurns = 1 << 16

// New returns a Steady for one run of the client whose exchanges are given in the order of the recording.
func New(recorded iter.Seq2[*exchange.Exchange, error], o Options) (*Steady, error) {
	// A day is nothing that only an answer could have told the client, however it is written.
	o.Bindings = slices.DeleteFunc(slices.Clone(o.Bindings), func(b exchange.Binding) bool {
		return b.Producer.Place.Root() == "body" && midnight.MatchString(b.Value)
	})
	s := &Steady{
		o: o, carrier: flow.NewCarrier(o.Bindings), matcher: newMatcher(), names: newNames(),
		produced: map[uint64][]*exchange.Binding{}, judged: map[judgedKey]*judgement{},
		turns: map[*exchange.Exchange]turn{}, rising: map[risingKey]string{}, sameHosts: map[string]bool{},
	}
	for i := range o.Bindings {
		b := &o.Bindings[i]
		s.produced[b.Producer.Seq] = append(s.produced[b.Producer.Seq], b)
	}
	for _, op := range o.Map.Operations {
		s.judged[judgedKey{op.Operation, op.Status}] = newJudgement(op)
	}
	shots := oneShots{first: map[string]uint64{}, often: map[string]bool{}}
	for e, err := range recorded {
		if err != nil {
			return nil, fmt.Errorf("read recording: %w", err)
		}
		s.matcher.add(e, o.Operations[e.Seq])
		if len(o.Oracles) > 0 {
			shots.add(e)
		}
	}
	s.oneShot = shots.reads()
	s.matcher.ready()
	return s, nil
}

// Request finds out which recorded request e repeats, and returns it with the live values in the place of the recorded
// ones; nil where it goes as it is.
func (s *Steady) Request(e *exchange.Exchange) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := turn{step: -1, before: s.matcher.position(e), sent: e.Request, explain: s.o.Explain}
	if own := e.Request.Header.Values(Header); len(own) > 0 {
		t.explain = t.explain || strings.EqualFold(own[0], "explain")
		t.sent = exchange.ParseRequest(exchange.Message{Head: withoutField(t.sent.Head, Header), Body: t.sent.Body})
	}
	t.sent = withoutUpgrade(t.sent)
	t.client = t.sent
	e.Request = t.client
	t.step = s.find(e)
	if t.step >= 0 {
		t.sent = s.carrier.Request(&exchange.Exchange{Seq: s.matcher.steps[t.step].seq, Request: t.client})
		s.names.learnPath(&t.client, &t.sent)
	}
	t.sent = s.translated(&t.client, &t.sent)
	if len(s.turns) >= maxTurns {
		clear(s.turns)
	}
	s.turns[e] = t
	s.summary.Requests++
	return append(bytes.Clone(t.sent.Head), t.sent.Body...)
}

// find returns the recorded step that e repeats, -1 where there is none.
func (s *Steady) find(e *exchange.Exchange) int {
	if i := s.matcher.find(e); i >= 0 {
		s.noteHost(e, i)
		s.noteHeaders(e, i)
		return i
	}
	for _, i := range s.matcher.alike(e) {
		recorded, err := s.o.Exchange(s.matcher.steps[i].seq)
		if err != nil {
			continue
		}
		changed, ok := match.MadeUp(&recorded.Request, &e.Request)
		if !ok {
			continue
		}
		for _, c := range changed {
			s.names.putOwn(c.Recorded, c.Live)
		}
		s.noteHeaders(e, i)
		s.matcher.stand(e, i)
		return i
	}
	return -1
}

// noteHeaders notes what the client made up anew for the headers of its request. What an answer gave it is none of
// that.
func (s *Steady) noteHeaders(e *exchange.Exchange, i int) {
	was := s.matcher.steps[i].own
	if len(was) == 0 {
		return
	}
	for name, now := range ownHeaders(&e.Request) {
		if recorded, ok := was[name]; ok && recorded != now && !s.names.given(recorded) {
			s.names.putOwn(recorded, now)
		}
	}
}

// noteHost notes that the client asks for another host than it did when it was recorded: it goes on to see that one.
func (s *Steady) noteHost(e *exchange.Exchange, i int) {
	now := e.Request.Header.Get("Host")
	if now == "" || s.sameHosts[now] {
		return
	}
	recorded, err := s.o.Exchange(s.matcher.steps[i].seq)
	if err != nil {
		return
	}
	s.sameHosts[now] = true
	if was := recorded.Request.Header.Get("Host"); was != "" && was != now {
		s.names.own[was] = now
	}
}

// translated returns a request with recorded values replaced by those that stand for them; what bindings have put into
// sent already, in the place of what the client said, stays.
func (s *Steady) translated(client, sent *exchange.Request) exchange.Request {
	said := map[exchange.Place]string{}
	message.Values(client, func(p exchange.Place, value string) bool {
		said[p] = value
		return true
	})
	segments := pathOf(client)
	path, _ := exchange.SplitTarget(client.Target)
	return message.Substitute(sent, func(p exchange.Place, value string) string {
		was, known := said[p]
		if known && p.Root() == "cookie" { // bindings do not tell several cookies of one name apart
			if live, ok := s.names.inScope("cookie "+lastOf(p), was); ok {
				return live
			}
		}
		if known && was != value {
			return value
		}
		switch p.Root() {
		case "path":
			if i := segmentOf(p) + 1; i > 0 && i < len(segments) {
				if live, ok := s.names.inScope(collection(segments, i), segments[i]); ok {
					if plain, err := url.PathUnescape(live); err == nil {
						return plain
					}
				}
			}
		case "header":
			if p == "/header/if-none-match" || p == "/header/if-match" {
				return s.validators(path, value)
			}
		}
		live, _ := s.names.toLive(value)
		return live
	})
}

// validators translates a list of entity tags.
func (s *Steady) validators(path, list string) string {
	tags := strings.Split(list, ",")
	for i, tag := range tags {
		trimmed := strings.TrimSpace(tag)
		live, ok := s.names.inScope("etag "+path, trimmed)
		if !ok {
			live, ok = s.names.toLive(trimmed)
		}
		if ok {
			tags[i] = strings.Replace(tag, trimmed, live, 1)
		}
	}
	return strings.Join(tags, ",")
}

// lastOf returns the name that a place ends in.
func lastOf(p exchange.Place) string {
	if s := p.Segments(); len(s) > 1 {
		return s[1]
	}
	return ""
}

// segmentOf returns the position of a path segment, -1 for what is within one.
func segmentOf(p exchange.Place) int {
	s := p.Segments()
	if len(s) != 2 {
		return -1
	}
	n := 0
	for _, c := range []byte(s[1]) {
		if c < '0' || c > '9' || n > 1<<20 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// Response returns what the client gets in the place of the API's answer to e; nil where it gets that.
func (s *Steady) Response(e *exchange.Exchange) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.turns[e]
	delete(s.turns, e)
	if !ok {
		return nil
	}
	a := &answering{s: s, e: e, t: t, report: report{}}
	out := a.answer()
	if a.apart != nil {
		s.matcher.again(e.Conn, t.step, t.before)
	}
	s.summary.add(&a.report)
	for _, r := range a.report.raw {
		if s.o.Raw != nil {
			s.o.Raw(r)
		}
	}
	if t.explain {
		out = a.report.explained(out)
	}
	if out == nil {
		return nil
	}
	return append(bytes.Clone(out.Head), out.Body...)
}

// Summary returns what came of the run so far.
func (s *Steady) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary.clone()
}

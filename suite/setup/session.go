package setup

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Session is what the exchanges of a recording did to an API, as far as they tell: whose answers gave values to whose
// requests, which resources were made, changed and taken away, who signed up whom. It is read once, and answers for
// suites that are patched and for suites that are written.
type Session struct {
	history    *resourceHistory
	operations map[uint64]exchange.Operation
	redactor   exchange.Redactor // reveals nothing: whose credential it is, is asked whatever is shown
	bindings   []exchange.Binding
	position   map[uint64]int                 // by exchange
	takes      map[uint64][]Taken             // by exchange: the values of its request that answers gave
	gives      map[uint64][]*exchange.Binding // by exchange: the values that its answer gave
	born       map[int]string                 // by position of what made a resource: its path
	signUps    map[int]int                    // by position of what logs somebody in: the position of the sign-up
	sent       map[asked][]uint64             // by request: the exchanges that sent it, in order
	removal    removalIndex

	things      map[string]bool   // by path, what was made or listed in the recording
	credentials map[uint64]bool   // by exchange, those whose answers gave what a later one is authorized with
	provenance  map[uint64]string // by exchange, what [Session.Alike] says of it
	shown       map[string][]int  // by path, the positions of what was shown of it
	own         map[string]bool   // by path, what [Session.personal] says of it, once it was asked
}

// Taken is a value of a request that an answer gave.
type Taken struct {
	Place exchange.Place // in the request
	*exchange.Binding
}

// NewSession looks through a recording: its exchanges in recorded order, which it keeps; the bindings between them;
// their operations; and what tells secrets, of which the zero value goes by names alone.
func NewSession(session []*exchange.Exchange, bindings []exchange.Binding, operations map[uint64]exchange.Operation,
	redactor exchange.Redactor) *Session {
	redactor.Reveal = false
	s := &Session{history: newHistory(session), operations: operations, redactor: redactor,
		position: make(map[uint64]int, len(session)), born: map[int]string{}, sent: map[asked][]uint64{},
		provenance: map[uint64]string{}, shown: map[string][]int{}, own: map[string]bool{}}
	for i, e := range session {
		s.position[e.Seq] = i
		if path := s.history.paths[i]; e.Request.Method == "GET" && e.Response != nil && e.Response.Status/100 == 2 {
			s.shown[path] = append(s.shown[path], i)
		}
	}
	for path, r := range s.history.resources {
		for _, e := range r.events {
			if e.kind == wasMade && (s.born[e.at] == "" || path < s.born[e.at]) {
				s.born[e.at] = path
			}
		}
	}
	s.bind(bindings)
	s.removal = s.newRemovalIndex()
	s.bind(s.withTakenAway())
	s.readThings()
	s.signUps = s.readSignUps()
	for _, e := range session {
		if Unsendable(e) == "" {
			key := s.asked(e)
			s.sent[key] = append(s.sent[key], e.Seq)
		}
	}
	return s
}

// bind takes bindings over.
func (s *Session) bind(bindings []exchange.Binding) {
	s.bindings = bindings
	s.takes, s.gives = map[uint64][]Taken{}, map[uint64][]*exchange.Binding{}
	for i := range bindings {
		b := &bindings[i]
		s.gives[b.Producer.Seq] = append(s.gives[b.Producer.Seq], b)
		for _, u := range b.Uses {
			s.takes[u.Seq] = append(s.takes[u.Seq], Taken{u.Place, b})
		}
	}
}

// Bindings lists the values that answers gave: those that later requests use, and the ids of what was made and can be
// taken away again, though no later request asked for it. They are in the order of the answers where some were added.
func (s *Session) Bindings() []exchange.Binding { return s.bindings }

// Gives lists the values that the answer of an exchange gave.
func (s *Session) Gives(seq uint64) []*exchange.Binding { return s.gives[seq] }

// Takes lists the values of the request of an exchange that answers gave.
func (s *Session) Takes(seq uint64) []Taken { return s.takes[seq] }

// exchange returns the exchange of a number, nil where there is none.
func (s *Session) exchange(seq uint64) *exchange.Exchange {
	if pos, ok := s.position[seq]; ok {
		return s.history.session[pos]
	}
	return nil
}

// Credential reports whether a value is a secret that answers give: by where it came from, or where it went, or because
// it is known to be one, or holds one.
func (s *Session) Credential(v *exchange.Binding) bool {
	return s.redactor.Secret(v.Producer.Place) || len(s.redactor.Secrets(v.Value)) > 0 ||
		slices.ContainsFunc(v.Uses, func(u exchange.Ref) bool { return s.redactor.Secret(u.Place) })
}

// Made reports whether a value is of what a request made: its producer is no mere read, and it is no credential.
func (s *Session) Made(v *exchange.Binding) bool {
	p := s.exchange(v.Producer.Seq)
	return p != nil && !p.Request.Safe() && !s.Credential(v)
}

// Unsendable says why a recorded exchange cannot be sent again; "" where it can.
func Unsendable(e *exchange.Exchange) string {
	switch {
	case e.Fault != nil:
		return "the recorded attempt failed (" + string(e.Fault.Kind) + ")"
	case e.Response == nil:
		return "it has no recorded answer"
	case e.Request.Malformed:
		return "the request is not well-formed HTTP"
	case e.Request.Cut > 0:
		return "it was not recorded in full"
	case e.Request.Method == "CONNECT" || e.Response.Status == 101:
		return "it switches to another protocol"
	case e.Response.Malformed:
		return "the response is not well-formed HTTP"
	}
	return ""
}

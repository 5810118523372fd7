package recorded

import (
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/volatility/notation"
)

// MaxSize bounds, in bytes, the answers and requests that are held.
const MaxSize = 256 << 20

// Pace says when recorded answers come.
type Pace string

// The paces.
const (
	AtOnce     Pace = ""
	AsRecorded Pace = "as recorded" // as long after its request as each was then
)

// Recording is what services answered. It does not change once it is read, and may be used by several goroutines.
type Recording struct {
	services map[string]*service
	values   map[string][]string // some raw tokens that a value had, by its name
	names    []string            // of values, in order
	pace     Pace
	count    int
	size     int
	more     int
}

// service is what one of them was asked, in order.
type service struct {
	asked []*exchange.External
	exact map[exchange.Fingerprint][]int
	index match.Index
	seen  map[int]places // by position in asked: what runs tell of each, see [Runs]
	none  bool           // it could not be reached
}

// Read reads a recording: what was asked in runs of it, and what nobody had an answer for, is left out. What cannot be
// read is left out too, and counted. Runs tell which values of the requests move.
func Read(externals iter.Seq2[*exchange.External, error], pace Pace, runs Runs) *Recording {
	r := &Recording{services: map[string]*service{}, values: map[string][]string{}, pace: pace}
	c := comparison{causes: runs.Causes, runs: map[int]map[asking][]*call{}}
	for x, err := range externals {
		if err == nil {
			c.add(x)
		}
		if err == nil && (x.Run != 0 || !x.Answered()) {
			continue
		}
		if err != nil || r.size+x.Size() > MaxSize {
			r.more++
			continue
		}
		if answer, ok := answerOf(x); ok {
			r.add(x)
			r.learn(x, answer.Body)
		}
	}
	r.compare(c, runs.Stay)
	return r
}

func (r *Recording) add(x *exchange.External) {
	s := r.services[nameOf(x)]
	if s == nil {
		s = &service{exact: map[exchange.Fingerprint][]int{}, seen: map[int]places{}}
		r.services[nameOf(x)] = s
	}
	if x.Request.Method == "" { // what was to be asked was not heard
		s.none = true
		return
	}
	of := exchange.Exact(&x.Exchange)
	s.exact[of] = append(s.exact[of], len(s.asked))
	s.index.Add(&x.Request)
	s.asked = append(s.asked, x)
	r.count, r.size = r.count+1, r.size+x.Size()
}

// nameOf names a service.
func nameOf(x *exchange.External) string { return x.Scheme + "://" + x.Addr }

// Len is how many answers there are; more is how many could not be read, or are beyond what is held.
func (r *Recording) Len() (count, more int) { return r.count, r.more }

// Begin returns the answers for one start of the API.
func (r *Recording) Begin() *Answers { return r.BeginChanged("") }

// BeginChanged returns them with another value for one of [Recording.Values]; "" for none.
func (r *Recording) BeginChanged(value string) *Answers {
	return &Answers{of: r, changed: value, given: map[*service][]bool{}}
}

// Answers are those of a [Recording], for one start of the API. It is a mock.Answers.
type Answers struct {
	of      *Recording
	changed string // the name of a value that is another one; "" for none

	mu    sync.Mutex
	given map[*service][]bool // by position
	swaps []message.Swap      // what was said so far in the place of recorded values
}

// Answer answers a request as it was answered when it was recorded.
func (a *Answers) Answer(x *exchange.External) (name string, r mock.Response, ok bool) {
	s := a.of.services[nameOf(x)]
	if s == nil {
		return "", r, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.find(s, &x.Exchange)
	if len(at) == 0 && s.none {
		return "recorded as out of reach", mock.Response{Fault: mock.Reset}, true // at once, whatever was to be asked
	}
	if len(at) == 0 {
		return "", r, false
	}
	given := a.given[s]
	if given == nil {
		given = make([]bool, len(s.asked))
		a.given[s] = given
	}
	next := at[len(at)-1]
	if i := slices.IndexFunc(at, func(i int) bool { return !given[i] }); i >= 0 {
		next = at[i]
	}
	given[next] = true
	was := s.asked[next]
	if r, ok = answerOf(was); a.changed != "" {
		r.Body = a.change(was, r.Body)
	}
	if a.of.pace == AsRecorded {
		r.Delay = was.Latency
	}
	return exchange.GivenAgain(was.Seq), r, ok
}

// find returns the recorded requests of a service that one is, in order. Where the API was answered otherwise, what
// stays in runs may be another one.
func (a *Answers) find(s *service, e *exchange.Exchange) []int {
	if at := s.exact[exchange.Exact(e)]; len(at) > 0 {
		return at
	}
	target := s.index.SameTarget(e.Request.Method, e.Request.Target)
	same := func(i int) bool { return match.SameBody(&s.asked[i].Request, &e.Request) }
	if at := those(target, same); len(at) > 0 {
		return at
	}
	near := [][]int{target, s.index.SameRoute(e.Request.Method, e.Request.Target)}
	others := []differs{
		func(i int, p exchange.Place, _ match.Changed) bool { return s.seen[i][p] == moves },
		func(i int, p exchange.Place, c match.Changed) bool {
			was := s.seen[i][p]
			return was == moves || (was != stays || a.changed != "") && s.looksMoving(i, c)
		},
	}
	if len(a.swaps) > 0 {
		others = a.carrying(others)
	}
	for _, other := range others {
		but := func(i int) []match.Changed {
			changed, _ := match.SameBut(&s.asked[i].Request, &e.Request,
				func(p exchange.Place, c match.Changed) bool { return other(i, p, c) })
			return changed
		}
		for _, among := range near {
			if at := those(among, func(i int) bool { return len(but(i)) > 0 }); len(at) > 0 {
				return at
			}
		}
		if len(a.swaps) == 0 {
			continue
		}
		// A value may be a word of the path, and so make another route.
		carried := func(i int) bool { return slices.ContainsFunc(but(i), a.carried) }
		if at := those(s.index.SameMethod(e.Request.Method), carried); len(at) > 0 {
			return at
		}
	}
	return nil
}

// differs says whether a value of a recorded request, which has a position, may be another one.
type differs func(i int, p exchange.Place, c match.Changed) bool

// looksMoving reports whether a value of a recorded request looks as if it were another one each time.
func (s *service) looksMoving(i int, c match.Changed) bool {
	return c.MadeUp() || isTime(c.Live) && wasNow(c.Recorded, s.asked[i].Start)
}

// wasNow reports whether a value was the time at which it was sent: it is another one whenever that is sent.
func wasNow(value string, sent time.Time) bool {
	m, ok := moment(value)
	return ok && m.Near(notation.Span{From: sent, To: sent})
}

func isTime(value string) bool {
	_, ok := moment(value)
	return ok
}

func moment(value string) (notation.Moment, bool) {
	if notation.IsNumeral(value) {
		return notation.MomentOf(notation.ScalarOf(value))
	}
	return notation.TextMoment(value)
}

// maxCompared bounds how many recorded requests one is compared with.
const maxCompared = 10_000

// those returns the positions at which a recorded request is so.
func those(at []int, is func(int) bool) (out []int) {
	for _, i := range at[:min(len(at), maxCompared)] {
		if is(i) {
			out = append(out, i)
		}
	}
	return out
}

// answerOf returns what was answered, as a mock answers it; ok is false where that cannot be.
func answerOf(x *exchange.External) (r mock.Response, ok bool) {
	if x.Fault != nil {
		r.Fault, ok = faults[x.Fault.Kind]
		return r, ok
	}
	if x.Response == nil || x.Response.Status < 200 || x.Response.Cut > 0 || x.Response.Malformed {
		return r, false
	}
	body, framed := x.Response.Body, !x.Response.Plain && !wire.IsHTTP2(x.Response.Head)
	if _, chunked := wire.TransferCodings(x.Response.Header); chunked && framed {
		body, _, _ = wire.Dechunk(body)
	}
	r = mock.Response{Status: x.Response.Status, Header: http.Header{}, Body: body}
	for _, f := range x.Response.Header {
		if name := http.CanonicalHeaderKey(f.Name); !slices.Contains(ofConnection, name) {
			r.Header.Add(name, f.Value)
		}
	}
	return r, true
}

// ofConnection are the fields that belong to the connection of an answer (RFC 9110 §7.6.1), and its length, which is
// counted anew.
var ofConnection = []string{"Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

// faults are the ways in which a mock fails as a service did.
var faults = map[exchange.FaultKind]mock.Fault{
	exchange.FaultReset: mock.Reset, exchange.FaultDial: mock.Reset, exchange.FaultTLS: mock.Reset,
	exchange.FaultTimeout: mock.Reset, exchange.FaultEOF: mock.Empty, exchange.FaultTruncated: mock.Malformed,
	exchange.FaultUnparseable: mock.Garbage,
}

package settle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Support is the least share, in percent, of the ends that are to agree on a value.
const Support = 80

const (
	maxGroups  = 1 << 14
	maxOpen    = 512       // groups of a client that a write may end
	maxTrails  = 1000      // of a group
	maxAnswer  = 256 << 10 // bytes of an answer that is looked at
	maxValues  = 16        // of an oracle
	minNumbers = 3         // ends that agree on a number before it counts as one that is always so
)

// Learner gathers what reads after writes were answered. The zero Learner is not usable: see [New].
type Learner struct {
	operations map[uint64]exchange.Operation
	writes     map[client]*write
	open       map[client]map[exchange.Fingerprint]*group // by request, those that no write has ended
	groups     []*group
}

// client is who sends: reads are held against the writes of their own test case, or, where that has none, of the
// pass. A fuzzer may name a test case for each request.
type client struct {
	pass     int
	sequence string
}

// write is the last request of a client that may have changed something.
type write struct {
	ended map[int]time.Time // when it was answered, by run; 0 is the recording
}

// New returns a Learner of a recording whose operations are given.
func New(operations map[uint64]exchange.Operation) *Learner {
	return &Learner{operations: operations, writes: map[client]*write{},
		open: map[client]map[exchange.Fingerprint]*group{}}
}

// Learn returns what is known of the reads of a recording: see [Learner.Add] and [Learner.Oracles].
func Learn(operations map[uint64]exchange.Operation, steps []exchange.Step) map[uint64]*Oracle {
	l := New(operations)
	for _, s := range steps {
		l.Add(s)
	}
	return l.Oracles()
}

// Add takes the next step of the recording. Its observations are those of runs that send each request once, and are not
// misled.
func (l *Learner) Add(s exchange.Step) {
	e := s.Exchange
	if e.Response == nil {
		return
	}
	who, anybody := client{e.Pass, e.Sequence}, client{pass: e.Pass}
	switch {
	case e.Request.Method == "GET" || e.Request.Method == "HEAD":
		if l.writes[who] == nil {
			who = anybody
		}
		if w := l.writes[who]; w != nil && !tooLarge(e.Response) {
			if g := l.group(e, who); g != nil {
				g.see(s, w.ended)
			}
		}
	case !e.Request.Safe() && e.Response.Status < 400:
		w := &write{ended: map[int]time.Time{0: e.Start.Add(e.Latency)}}
		for _, o := range s.Observations {
			if o.Response != nil && o.Response.Status < 400 {
				w.ended[o.Run] = o.Start.Add(o.Latency)
			}
		}
		for _, c := range []client{who, anybody} {
			l.writes[c] = w
			l.closeRelated(&e.Request, c)
		}
	}
}

// group returns the one that a read belongs to; nil where there are too many.
func (l *Learner) group(e *exchange.Exchange, who client) *group {
	open := l.open[who]
	if open == nil || len(open) >= maxOpen {
		open = map[exchange.Fingerprint]*group{}
		l.open[who] = open
	}
	sent := exchange.Exact(e)
	if g := open[sent]; g != nil || len(l.groups) >= maxGroups {
		return g
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	g := &group{operation: l.operations[e.Seq], path: path, answers: map[uint64]*exchange.Response{}, of: map[int]*trail{}}
	open[sent] = g
	l.groups = append(l.groups, g)
	return g
}

// closeRelated ends the groups whose reads a write may change: one's path begins with the other's.
func (l *Learner) closeRelated(r *exchange.Request, who client) {
	path, _ := exchange.SplitTarget(r.Target)
	for k, g := range l.open[who] {
		if within(g.path, path) || within(path, g.path) {
			delete(l.open[who], k)
		}
	}
}

// within reports whether a path is another one, or below it.
func within(path, other string) bool {
	return path == other || strings.HasPrefix(path, strings.TrimSuffix(other, "/")+"/")
}

func tooLarge(r *exchange.Response) bool { return len(r.Body) > maxAnswer }

// Oracles returns what is known of reads that follow a write: by the number of each recorded exchange whose answer was
// ready, what was waited for.
func (l *Learner) Oracles() map[uint64]*Oracle {
	out := map[uint64]*Oracle{}
	for _, all := range l.learned() {
		for _, g := range all {
			for _, seq := range g.seqs {
				if g.oracle.Ready(g.answers[seq]) {
					out[seq] = g.oracle
				}
			}
		}
	}
	return out
}

// Awaited returns what is known of reads that follow a write, by the number of each recorded exchange, whether its
// answer was ready or not. The times are those of all reads of the operation that wait for the same.
func (l *Learner) Awaited() map[uint64]*Oracle {
	out := map[uint64]*Oracle{}
	for _, all := range l.learned() {
		for _, alike := range byWords(all) {
			times := timesOf(alike)
			for _, g := range alike {
				o := *g.oracle
				o.Times = times
				for _, seq := range g.seqs {
					out[seq] = &o
				}
			}
		}
	}
	return out
}

// learned has each group learn its oracle, and returns those that have one, by operation.
func (l *Learner) learned() map[exchange.Operation][]*group {
	for _, g := range l.groups {
		g.oracle = g.learn()
	}
	by := l.byOperation()
	for op, all := range by {
		ends := endsOf(all)
		all = slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return g.oracle == nil })
		for _, g := range all {
			g.oracle.InVain = ends.inVain(g.oracle)
		}
		by[op] = all
	}
	return by
}

func (l *Learner) byOperation() map[exchange.Operation][]*group {
	by := map[exchange.Operation][]*group{}
	for _, g := range l.groups {
		by[g.operation] = append(by[g.operation], g)
	}
	return by
}

// learn makes the oracle of a group; nil where nothing is waited for.
func (g *group) learn() *Oracle {
	unseen := g.unseen()
	places := g.telling(unseen)
	if len(places) == 0 && !g.statusChanges() || g.returns(places) {
		return nil
	}
	passed := g.passed(places)
	var ends []*trail
	for _, t := range g.trails {
		if !t.cut && !passed[state(t.last().response, places)] {
			ends = append(ends, t)
		}
	}
	status, n := modal(ends, func(t *trail) (int, bool) { return t.last().response.Status, true })
	if total := len(ends) + g.vain; total == 0 || n*100 < total*Support {
		return nil
	}
	ends = slices.DeleteFunc(ends, func(t *trail) bool { return t.last().response.Status != status })
	o := &Oracle{Status: status}
	for _, p := range places {
		if v, ok := g.value(p, ends); ok && (slices.Contains(unseen, p) || g.tells(v, status)) && len(o.Values) < maxValues {
			o.Values = append(o.Values, v)
		}
	}
	if len(o.Values) == 0 && !g.statusChanges() {
		return nil
	}
	g.oracle = o
	if o.Times = timesOf([]*group{g}); o.Times.N == 0 {
		return nil
	}
	o.Needed = g.needed(o, unseen)
	o.Early, o.Body = g.early(o), g.body(o, ends)
	return o
}

// early lists the other statuses of answers that were not ready.
func (g *group) early(o *Oracle) (out []int) {
	for _, t := range g.trails {
		for _, k := range t.looks {
			if status := k.response.Status; status != o.Status && !slices.Contains(out, status) {
				out = append(out, status)
			}
		}
	}
	slices.Sort(out)
	return out
}

// body are the values by which the body of an answer that is ready is told from all others. Where those that tell it
// from others of its status do not, it is one that all ends have, and none of the others has anything like.
func (g *group) body(o *Oracle, ends []*trail) []Value {
	var early []*exchange.Response
	for _, t := range g.trails {
		for _, k := range t.looks {
			fits := func(v Value) bool { return v.fits(k.response) }
			if k.response.Status != o.Status && !slices.ContainsFunc(o.Needed, func(v Value) bool { return !fits(v) }) {
				early = append(early, k.response)
			}
		}
	}
	if len(early) == 0 {
		return o.Needed
	}
	var out []Value
	compare.Walk(ends[0].last().response, func(p exchange.Place, raw string) {
		v := Value{Place: p, Type: typeOf(raw)}
		_, _, part := p.Text()
		if out != nil || part || p.Root() != "body" || p == exchange.PlaceBody || inArray(p) || v.Type == Null || v.Type == Array {
			return
		}
		has := func(r *exchange.Response) bool { raw, ok := compare.At(r, p); return ok && typeOf(raw) != Null }
		other := func(t *trail) bool { return !v.fits(t.last().response) }
		if !slices.ContainsFunc(early, has) && !slices.ContainsFunc(ends, other) {
			out = append(slices.Clone(o.Needed), v)
		}
	})
	return out
}

// needed are the values, the words first, by which an answer that is ready is told from each other one that was seen
// with its status; and the words at places of which it was not seen what came before.
func (g *group) needed(o *Oracle, unseen []exchange.Place) []Value {
	var early []*exchange.Response
	for _, t := range g.trails {
		for _, k := range t.looks {
			if k.response.Status == o.Status && !o.Ready(k.response) {
				early = append(early, k.response)
			}
		}
	}
	var out []Value
	for _, words := range []bool{true, false} {
		for _, v := range o.Values {
			tells := slices.ContainsFunc(early, func(r *exchange.Response) bool { return !v.fits(r) })
			if IsWord(v.JSON) != words || !tells && !(words && slices.Contains(unseen, v.Place)) {
				continue
			}
			early = slices.DeleteFunc(early, func(r *exchange.Response) bool { return !v.fits(r) })
			out = append(out, v)
		}
	}
	return out
}

// statusChanges reports whether a trail goes from one status to another.
func (g *group) statusChanges() bool {
	return slices.ContainsFunc(g.trails, func(t *trail) bool {
		return slices.ContainsFunc(t.looks, func(k look) bool { return k.response.Status != t.looks[0].response.Status })
	})
}

// modal returns what most of some ends have, and how many have it.
func modal[T cmp.Ordered](ends []*trail, of func(*trail) (T, bool)) (most T, n int) {
	count := map[T]int{}
	for _, t := range ends {
		if v, ok := of(t); ok {
			count[v]++
		}
	}
	for v, c := range count {
		if c > n || c == n && v < most {
			most, n = v, c
		}
	}
	return most, n
}

// value returns what ends have at a place, if they agree on it.
func (g *group) value(p exchange.Place, ends []*trail) (Value, bool) {
	at := func(t *trail) (string, bool) { return compare.At(t.last().response, p) }
	seen := slices.DeleteFunc(slices.Clone(ends), func(t *trail) bool {
		raw, ok := at(t)
		return ok && t.last().assumed && !IsWord(raw)
	})
	agree := func(n, of int) bool { return of > 0 && n*100 >= of*Support }
	kind, n := modal(ends, func(t *trail) (Type, bool) { raw, ok := at(t); return typeOf(raw), ok })
	if !agree(n, len(ends)) {
		return Value{}, false
	}
	v := Value{Place: p, Type: kind}
	raw, n := modal(seen, at)
	scalar := kind != Array && kind != Object && kind != Null
	if scalar && agree(n, len(seen)) && typeOf(raw) == kind && (IsWord(raw) || n >= minNumbers) {
		v.JSON = raw
	}
	if kind == Array {
		v.Least = g.least(p, ends)
	}
	return v, true
}

// least returns how many elements an array has at least in the ends.
func (g *group) least(p exchange.Place, ends []*trail) int {
	least := -1
	for _, t := range ends {
		if raw, ok := compare.At(t.last().response, p); ok && typeOf(raw) == Array {
			if n := lengthOf(raw); least < 0 || n < least {
				least = n
			}
		}
	}
	return max(least, 0)
}

// tells reports whether a value was not there, or another one, in an answer of the same status on the way.
func (g *group) tells(v Value, status int) bool {
	return slices.ContainsFunc(g.trails, func(t *trail) bool {
		return slices.ContainsFunc(t.looks[:len(t.looks)-1], func(k look) bool {
			return k.response.Status == status && !v.fits(k.response)
		})
	})
}

// timesOf are those of the trails of groups in which an answer that was not ready came before one that was; and of
// those that were ready at once, sooner than the slowest of these.
func timesOf(groups []*group) Times {
	var seen, atOnce []time.Duration
	for _, g := range groups {
		for _, t := range g.trails {
			i := slices.IndexFunc(t.looks, func(k look) bool { return g.oracle.Ready(k.response) })
			if i < 0 {
				continue
			}
			after := max(t.looks[i].at.Sub(t.wrote), 0)
			if i > 0 {
				seen = append(seen, after)
			} else {
				atOnce = append(atOnce, after)
			}
		}
	}
	if len(seen) == 0 {
		return Times{}
	}
	longest := slices.Max(seen)
	for _, d := range atOnce {
		if d <= longest {
			seen = append(seen, d)
		}
	}
	return TimesOf(seen)
}

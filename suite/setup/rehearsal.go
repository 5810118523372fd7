package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
)

// Proposed returns the exchanges that [Finder.For] takes for what a test depends on, in order, however many they are,
// and why: what is to be tried first. The calls are located first where they are not. What may touch what the test did
// not make is left out, here and in Candidates.
func (f *Finder) Proposed(test []Wanted) (steps []uint64, why []string) {
	p := f.proposal(test)
	return p.steps, p.why
}

// proposal is what the recording proposes for a test.
type proposal struct {
	steps   []uint64
	foreign int // how many were left out
	why     []string
}

func (f *Finder) proposal(test []Wanted) proposal {
	if !f.Locate(test) {
		return proposal{}
	}
	p := f.plan(test)
	claims, told := contradicted(test)
	p.told = told
	for i := range test {
		if len(claims[i]) > 0 {
			p.call(i, claims[i], nil)
		}
	}
	steps, refused := f.Permitted(p.steps())
	return proposal{steps, len(refused), p.why}
}

// Candidates returns up to limit exchanges of the session from before a test that may have to do with it, in order,
// with all that they need themselves: those come first that have most to do with the paths and values of its calls, and
// that were nearest before it. The calls are located already.
func (f *Finder) Candidates(test []Wanted, limit int) []uint64 {
	p := f.plan(test)
	type candidate struct{ pos, worth int }
	var all []candidate
	for i := range p.first {
		if p.isOwn(i) {
			continue
		}
		worth := 0
		for n, pos := range p.own {
			if pos >= 0 && !test[n].CleanUp {
				worth = max(worth, f.relation(i, pos), f.repeats(i, pos))
			}
		}
		if worth > 0 {
			all = append(all, candidate{i, worth})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(b.pos, a.pos))
	})
	chosen := map[int]bool{}
	for _, c := range all {
		if len(chosen) >= limit {
			break
		}
		f.includeDependencies(c.pos, chosen, limit)
	}
	out := make([]uint64, 0, len(chosen))
	for pos := range chosen {
		out = append(out, f.history.session[pos].Seq)
	}
	slices.Sort(out)
	out, _ = f.Permitted(out)
	return out
}

// writesBefore returns the exchanges of the session from before a test that may have changed something, in order, with
// all that they need themselves; none where they are more than limit.
func (f *Finder) writesBefore(test []Wanted, limit int) []uint64 {
	p, chosen := f.plan(test), map[int]bool{}
	for i, e := range f.history.session[:p.first] {
		if !p.isOwn(i) && !e.Request.Safe() && accepted(e) {
			f.includeDependencies(i, chosen, limit)
		}
	}
	if len(chosen) >= limit {
		return nil
	}
	var out []uint64
	for pos := range chosen {
		out = append(out, f.history.session[pos].Seq)
	}
	slices.Sort(out)
	out, _ = f.Permitted(out)
	return out
}

// includeDependencies chooses an exchange, those that give it values, and the last one whose values it repeats.
func (f *Finder) includeDependencies(pos int, chosen map[int]bool, limit int) {
	if chosen[pos] || len(chosen) >= limit {
		return
	}
	chosen[pos] = true
	for _, seq := range f.Givers(f.history.session[pos].Seq) {
		if from, ok := f.position[seq]; ok && from < pos {
			f.includeDependencies(from, chosen, limit)
		}
	}
	if all := f.repeated[pos]; len(all) > 0 {
		f.includeDependencies(all[0], chosen, limit)
	}
}

// Needs returns the exchanges of the session whose answers give values to the request of one.
func (f *Finder) Needs(seq uint64) []uint64 {
	var out []uint64
	for _, t := range f.takes[seq] {
		if from := t.Producer.Seq; !slices.Contains(out, from) {
			out = append(out, from)
		}
	}
	return out
}

// Rehearsal is a test with its graft as it can be tried on an API: requests to send in order, and the values to carry
// over from the answers of one to another. The exchanges are numbered anew, from 1, and nothing but them is to be
// there.
type Rehearsal struct {
	Exchanges []*exchange.Exchange
	Bindings  []exchange.Binding

	graft  Graft
	test   []Wanted
	steps  int      // where the steps begin among the exchanges
	calls  []int    // where each call is; -1 for one that is not sent
	cleans int      // where the clean-up begins
	fresh  []string // by bind, what takes the place of its value; "" where a step gives that
}

// Rehearse returns what is to be sent to try a test with a graft, in the order in which the test will send it: what was
// sent before in a suite, if that is to be there too, the calls that are ahead of any set-up, the steps, the test's
// other calls as the session had them but for those that clean up, and the graft's own clean-up.
func (f *Finder) Rehearse(test []Wanted, g Graft, before []*exchange.Exchange) *Rehearsal {
	r := &Rehearsal{graft: g, test: test, calls: make([]int, len(test))}
	at := map[uint64]uint64{} // by exchange of the session: its new number
	add := func(e *exchange.Exchange, request exchange.Request) uint64 {
		x := *e
		x.Seq, x.Pass, x.Conn, x.Sequence, x.Request = uint64(len(r.Exchanges)+1), 1, 0, "", request
		r.Exchanges = append(r.Exchanges, &x)
		return x.Seq
	}
	b := flow.NewBinder()
	for _, e := range before {
		n := add(e, e.Request)
		b.Add(r.Exchanges[n-1])
	}
	r.Bindings = b.Bindings()
	calls := func(some func(Wanted) bool) {
		for i, w := range test {
			pos, ok := f.position[w.Seq]
			switch {
			case !ok || w.CleanUp:
				r.calls[i] = -1
			case some(w):
				r.calls[i] = len(r.Exchanges)
				at[w.Seq] = add(f.history.session[pos], f.history.session[pos].Request)
			}
		}
	}
	calls(func(w Wanted) bool { return w.Ahead })
	r.steps = len(r.Exchanges)
	for _, s := range g.Steps {
		n := add(f.history.session[f.position[s.Seq]], s.Request)
		if at[s.Seq] == 0 { // else it is sent ahead, too, and gives the test its values
			at[s.Seq] = n
		}
	}
	calls(func(w Wanted) bool { return !w.Ahead })
	r.cleans = len(r.Exchanges)
	for _, s := range g.CleanUp {
		add(f.history.session[f.position[s.Seq]], s.Request)
	}
	r.carry(f, at)
	return r
}

// carry adds the bindings: those of the graft, and those of the session between calls of the test.
func (r *Rehearsal) carry(f *Finder, at map[uint64]uint64) {
	for _, b := range r.graft.Binds {
		if b.Fresh != nil {
			continue
		}
		x := exchange.Binding{Name: b.Name, Value: b.Value, Producer: exchange.Ref{Seq: uint64(r.steps + b.Step + 1),
			Place: b.Place}}
		for _, u := range b.Uses {
			if seq := r.seq(u); seq > 0 {
				x.Uses = append(x.Uses, exchange.Ref{Seq: seq, Place: u.Place})
			}
		}
		if len(x.Uses) > 0 {
			r.Bindings = append(r.Bindings, x)
		}
	}
	for i := range f.bindings {
		b := &f.bindings[i]
		from := at[b.Producer.Seq]
		if from == 0 || r.step(from) {
			continue // not played, or a step: the graft has those
		}
		x := exchange.Binding{Name: b.Name, Value: b.Value, Producer: exchange.Ref{Seq: from, Place: b.Producer.Place}}
		for _, u := range b.Uses {
			if to := at[u.Seq]; to > from && !r.step(to) && !r.literal(to, u.Place) {
				x.Uses = append(x.Uses, exchange.Ref{Seq: to, Place: u.Place})
			}
		}
		if len(x.Uses) > 0 {
			r.Bindings = append(r.Bindings, x)
		}
	}
}

// step reports whether a number is that of a step.
func (r *Rehearsal) step(seq uint64) bool {
	return seq > uint64(r.steps) && seq <= uint64(r.steps+len(r.graft.Steps))
}

// literal reports whether a call sends what stands at a place whatever an earlier one is answered.
func (r *Rehearsal) literal(seq uint64, place exchange.Place) bool {
	call := slices.Index(r.calls, int(seq)-1)
	root := place.Root()
	return call >= 0 && r.test[call].Literal && (root == "path" || root == "query" || root == "body")
}

// Renew puts fresh values into what is to be sent: one for each bind of the graft, those aside that a step gives.
func (r *Rehearsal) Renew(values []string) {
	r.fresh = values
	for i, b := range r.graft.Binds {
		if b.Fresh == nil {
			continue
		}
		for _, u := range b.Uses {
			if seq := r.seq(u); seq > 0 {
				e := r.Exchanges[seq-1]
				e.Request = message.Filled(&e.Request, message.Fill{Place: u.Place, Before: b.Value, After: values[i]})
			}
		}
	}
}

// seq returns the number of the exchange whose request a use is in, 0 where there is none.
func (r *Rehearsal) seq(u BindUse) uint64 {
	switch u.In {
	case InSetUp:
		return uint64(r.steps + u.At + 1)
	case InCall:
		return uint64(r.calls[u.At] + 1)
	case InCleanUp:
		return uint64(r.cleans + u.At + 1)
	}
	return 0
}

// Values returns what the graft's binds were in a trial, in their order: the recorded value where a step did not give
// it. answers are those to Exchanges, nil for one that got none.
func (r *Rehearsal) Values(answers []*exchange.Response) []string {
	out := make([]string, len(r.graft.Binds))
	for i, b := range r.graft.Binds {
		out[i] = b.Value
		if i < len(r.fresh) && b.Fresh != nil {
			out[i] = r.fresh[i]
			continue
		}
		if at := r.steps + b.Step; b.Fresh == nil && at < len(answers) {
			if now, ok := message.Value(answers[at], b.Place); ok {
				out[i] = now
			}
		}
	}
	return out
}

// Answers returns what the test's calls were answered in a trial; nil for one that got no answer, or was not sent.
func (r *Rehearsal) Answers(answers []*exchange.Response) []*exchange.Response {
	out := make([]*exchange.Response, len(r.calls))
	for i, at := range r.calls {
		if at >= 0 && at < len(answers) {
			out[i] = answers[at]
		}
	}
	return out
}

// Missed is a claim that did not come true in a trial, and the call that it is about.
type Missed struct {
	Call  int
	Claim exchange.Claim
}

// Missed returns the claims of the test that a trial contradicts, with the values of the graft's binds put in where
// they speak of these. What a step had to be answered with and was not is one too, of call -1.
func (r *Rehearsal) Missed(answers []*exchange.Response) []Missed {
	var out []Missed
	values := r.Values(answers)
	for i, s := range r.graft.Steps {
		at := r.steps + i
		if s.Status > 0 && at < len(answers) && (answers[at] == nil || answers[at].Status/100 != s.Status/100) {
			out = append(out, Missed{Call: -1, Claim: exchange.Claim{Call: i, Place: exchange.PlaceStatus}})
		}
	}
	for i, answer := range r.Answers(answers) {
		if r.calls[i] < 0 {
			continue
		}
		for _, c := range r.test[i].Claims {
			now := c
			for n, b := range r.graft.Binds {
				if slices.Contains(b.Uses, BindUse{InAnswer, i, c.Place}) {
					now = Rebound(now, b.Value, values[n])
				}
			}
			if !bears(now, answer) {
				out = append(out, Missed{Call: i, Claim: c})
			}
		}
	}
	return out
}

// Useless returns which requests of the graft's clean-up were refused in a trial, or found nothing to take away.
func (r *Rehearsal) Useless(answers []*exchange.Response) []int {
	var out []int
	for i := range r.graft.CleanUp {
		if at := r.cleans + i; at >= len(answers) || answers[at] == nil || answers[at].Status >= 400 {
			out = append(out, i)
		}
	}
	return out
}

// WithoutCleanUp returns the graft without some requests of its clean-up, given by their indexes.
func (g Graft) WithoutCleanUp(some []int) Graft {
	if len(some) == 0 {
		return g
	}
	now := map[int]int{}
	var kept []Step
	for i, s := range g.CleanUp {
		if !slices.Contains(some, i) {
			now[i] = len(kept)
			kept = append(kept, s)
		}
	}
	g.CleanUp = kept
	binds := g.Binds
	g.Binds = nil
	for _, b := range binds {
		uses := b.Uses
		b.Uses = nil
		for _, u := range uses {
			if u.In == InCleanUp {
				n, stays := now[u.At]
				if !stays {
					continue
				}
				u.At = n
			}
			b.Uses = append(b.Uses, u)
		}
		if len(b.Uses) > 0 {
			g.Binds = append(g.Binds, b)
		}
	}
	return g
}

// Why says for people what steps that were found by trials do for a test.
func (f *Finder) Why(test []Wanted, steps []uint64) string {
	proposed, why := f.Proposed(test)
	if slices.Equal(proposed, steps) && len(why) > 0 {
		return strings.Join(why, "; ")
	}
	var out []string
	p := f.plan(test)
	for _, seq := range steps {
		pos, ok := f.position[seq]
		if !ok {
			continue
		}
		text := "it needs " + p.name(pos)
		if path := f.born[pos]; path != "" {
			text = path + " was made by " + p.name(pos)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

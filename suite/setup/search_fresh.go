package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
)

// What a test names may be taken: an earlier run of the suite made it, or another test of it, and the API keeps it, or
// its name alone, as it does of what is deleted softly. Trials prove it, and which values have to be another each time.

// maxFreshness is how many trials are made to find out which.
const maxFreshness = 20

// freshening is the search for the values of a test that are to be another in each run.
type freshening struct {
	*inquiry
	call    int                  // that is refused
	before  []*exchange.Exchange // what is sent before the test in each trial
	refused *exchange.Response   // how it is, with the values as they were recorded
	names   words.Namer
	why     string // nothing came of it; "" where nobody knows
}

// freshen finds the values that have to be another in each run for a call that executions were refused, and has all
// trials from then on draw them anew. before is what has the call refused; nil where an earlier run of the suite has.
func (q *inquiry) freshen(ctx context.Context, before []*exchange.Exchange) error {
	call, refused, of := Conflict(q.test)
	if _, located := q.Finder.position[q.located(call)]; !located || q.Draw == nil || len(q.fresh) > 0 {
		return nil
	}
	f := &freshening{inquiry: q, call: call, before: before, names: words.Namer{}}
	limit := q.kept
	q.kept = max(0, cmp.Or(q.Limit, defaultTrials)-q.tried-maxFreshness)
	binds, trials, err := f.find(ctx)
	if q.kept = limit; errors.Is(err, errNoTrials) {
		binds, err = nil, nil
	}
	if err != nil || binds == nil {
		q.taken = f.why
		return err
	}
	request := &q.test[call].Request
	target, _ := exchange.SplitTarget(request.Target)
	for i := range binds {
		binds[i].Why = fmt.Sprintf("%s %s was refused in %d of %d, where that had been sent before", request.Method, target,
			refused, of)
	}
	q.fresh, q.renewed = binds, trials
	return nil
}

// located is the exchange of the session that a call stems from.
func (q *inquiry) located(call int) uint64 {
	if call < 0 {
		return 0
	}
	return q.test[call].Seq
}

// find proves values: with those that were recorded the call is refused, with others the test comes true, twice; with
// the ones of before it is refused again.
func (f *freshening) find(ctx context.Context) ([]Bind, []Trial, error) {
	old, err := f.play(ctx, nil, nil)
	if err != nil || !refusesName(f.answer(old)) {
		return nil, nil, err
	}
	f.refused = f.answer(old)
	binds, first, err := f.few(ctx)
	if err != nil || binds == nil {
		return nil, nil, err
	}
	second, err := f.play(ctx, binds, f.drawn)
	if err != nil || f.altered(second) != "" || !f.accepted(second) {
		return nil, nil, err
	}
	for _, recorded := range []bool{true, false} {
		values := func(b Bind) string { return b.Value }
		if !recorded {
			if f.before != nil { // which holds what was recorded alone
				break
			}
			values = func(b Bind) string { return first.valueOf(binds, b) }
		}
		again, err := f.play(ctx, binds, values)
		if err != nil || !refusesName(f.answer(again)) {
			return nil, nil, err
		}
	}
	for i := range binds {
		spoken := func(u BindUse) bool { return !slices.Contains(second.spoken[i], u) }
		binds[i].Uses = append(binds[i].Uses, slices.DeleteFunc(slices.Clone(first.spoken[i]), spoken)...)
	}
	return binds, []Trial{first.Trial, second.Trial}, nil
}

// few finds the fewest values with which the test comes true, and the trial in which it did: one at a time, then
// several together.
func (f *freshening) few(ctx context.Context) ([]Bind, *played, error) {
	request := &f.Finder.history.session[f.Finder.position[f.test[f.call].Seq]].Request
	defer func() { f.why = cmp.Or(f.why, unwritten(request), "no other value that was tried let it be made") }()
	var harmless []Bind // without which it is refused all the same
	for _, n := range namesOf(request) {
		if why := f.leant(n.value); why != "" {
			f.why = cmp.Or(f.why, why)
			continue
		}
		as := f.names.Variable(n.as)
		for _, form := range formsOf(n.value) {
			b := f.bind(as, n.value, form)
			t, err := f.play(ctx, []Bind{b}, f.drawn)
			if err != nil {
				return nil, nil, err
			}
			if f.accepted(t) {
				if why := f.altered(t); why != "" {
					f.why = cmp.Or(f.why, why)
					break
				}
				return []Bind{b}, t, nil
			}
			if f.alike(t) {
				harmless = append(harmless, b)
				break
			}
		}
	}
	if len(harmless) < 2 {
		return nil, nil, nil
	}
	t, err := f.play(ctx, harmless, f.drawn)
	if err != nil || !f.accepted(t) || f.altered(t) != "" {
		return nil, nil, err
	}
	return f.without(ctx, harmless, t)
}

// without leaves out one value after the other of those with which the test comes true.
func (f *freshening) without(ctx context.Context, binds []Bind, t *played) ([]Bind, *played, error) {
	for i := 0; i < len(binds) && len(binds) > 1; {
		rest := slices.Delete(slices.Clone(binds), i, i+1)
		other, err := f.play(ctx, rest, f.drawn)
		if err != nil {
			return nil, nil, err
		}
		if f.accepted(other) && f.altered(other) == "" {
			binds, t = rest, other
		} else {
			i++
		}
	}
	return binds, t, nil
}

// leant says that other tests of the suite lean on what this one names.
func (f *freshening) leant(value string) string {
	if f.Leans == nil {
		return ""
	}
	if test := f.Leans(&f.test[f.call].Request, value); test != "" {
		return fmt.Sprintf("%s sends %q too, and leans on this test for it", test, value)
	}
	return ""
}

// bind is a value of the test that is to be drawn, with where it stands in its requests.
func (f *freshening) bind(as, value string, form Fresh) Bind {
	b := Bind{Name: as, Step: -1, Value: value, Fresh: &form}
	for i, w := range f.test {
		if pos, ok := f.Finder.position[w.Seq]; ok && !w.CleanUp {
			b.Uses = append(b.Uses, usesOf(&f.Finder.history.session[pos].Request, value, InCall, i)...)
		}
	}
	return b
}

// drawn is a fresh value.
func (q *inquiry) drawn(b Bind) string {
	letters := make([]byte, b.Fresh.Length)
	for i := range letters {
		letters[i] = b.Fresh.Letters[q.Draw(len(b.Fresh.Letters))]
	}
	return b.Fresh.With(string(letters))
}

// played is a trial of the test with values in the place of some.
type played struct {
	Trial
	missed []Missed
	spoken [][]BindUse // by bind, the claims that came true of its value
	blamed string      // what is another for the values alone
}

// valueOf is the value of a bind in the trial.
func (p *played) valueOf(binds []Bind, b Bind) string {
	i := slices.IndexFunc(binds, func(o Bind) bool { return o.Name == b.Name })
	return p.Values[i]
}

// play makes a trial of the test with values in the place of those of binds.
func (f *freshening) play(ctx context.Context, binds []Bind, value func(Bind) string) (*played, error) {
	out := &played{spoken: make([][]BindUse, len(binds))}
	for _, b := range binds {
		out.Values = append(out.Values, value(b))
	}
	r, answers, err := f.send(ctx, Graft{Binds: binds}, f.before, out.Values)
	if err != nil {
		return nil, err
	}
	out.Answers = r.Answers(answers)
	for i, answer := range out.Answers {
		if r.calls[i] < 0 {
			continue
		}
		for _, c := range f.test[i].Claims {
			f.hold(out, binds, c, i, answer)
		}
	}
	return out, nil
}

// hold holds a claim against an answer of a trial.
func (f *freshening) hold(p *played, binds []Bind, c exchange.Claim, call int, answer *exchange.Response) {
	now := c
	var spoken []int
	for n, b := range binds {
		if other := renewed(now, b.Value, p.Values[n]); other.Value != now.Value {
			now, spoken = other, append(spoken, n)
		}
	}
	switch {
	case len(spoken) > 0 && bears(now, answer):
		for _, n := range spoken {
			p.spoken[n] = append(p.spoken[n], BindUse{InAnswer, call, c.Place})
		}
	case !bears(c, answer):
		p.missed = append(p.missed, Missed{call, c})
		if p.blamed == "" && f.blames(p, binds, c, answer) {
			r := &f.test[call].Request
			p.blamed = fmt.Sprintf("with another value %s of the answer to %s %s is another too", c.Place, r.Method, r.Target)
		}
	}
}

// renewed is a claim that speaks of another value.
func renewed(c exchange.Claim, before, after string) exchange.Claim {
	if strings.HasPrefix(c.Value, "{") || strings.HasPrefix(c.Value, "[") {
		c.Value = strings.ReplaceAll(c.Value, `"`+before+`"`, `"`+after+`"`)
		return c
	}
	if text := strings.Trim(c.Value, `"`); !carries(text, before) {
		return c
	}
	return Rebound(c, before, after)
}

// blames reports whether a claim that did not come true would have with the value that was recorded, or looks at what
// follows from the value: at the part of a URL that is made of a name.
func (f *freshening) blames(p *played, binds []Bind, c exchange.Claim, answer *exchange.Response) bool {
	if answer == nil || answer.Malformed || c.Place == exchange.PlaceStatus {
		return false
	}
	body, err := answer.Payload()
	if err != nil {
		return false
	}
	head := slices.Clone(answer.Head)
	for n, b := range binds {
		for _, text := range []*[]byte{&head, &body} {
			*text = bytes.ReplaceAll(*text, []byte(p.Values[n]), []byte(b.Value))
		}
	}
	was := exchange.ParseResponse(exchange.Message{Head: head, Body: body, Plain: true})
	if ok, known := Satisfies(c, was); ok && known {
		return true
	}
	var looked []byte
	switch c.Place.Root() {
	case "body":
		looked = rawAt(body, c.Place)
	case "header":
		looked = []byte(was.Header.Get(c.Place.Segments()[1]))
	}
	for n, b := range binds {
		drawn := strings.TrimSuffix(strings.TrimPrefix(p.Values[n], b.Fresh.Before), b.Fresh.After)
		if bytes.Contains(bytes.ToLower(looked), []byte(strings.ToLower(drawn))) {
			return true
		}
	}
	return false
}

// answer is that to the call that is refused.
func (f *freshening) answer(p *played) *exchange.Response { return p.Answers[f.call] }

// accepted reports whether all calls of a trial were answered with the status that is wanted.
func (f *freshening) accepted(p *played) bool {
	return !slices.ContainsFunc(p.missed, func(m Missed) bool { return m.Claim.Place == exchange.PlaceStatus })
}

// altered says what the values of a trial make another in the answers, beside themselves; "" for nothing.
func (f *freshening) altered(p *played) string { return p.blamed }

// alike reports whether the call was refused as it is with the recorded values, so that the value is not what the
// refusal is for.
func (f *freshening) alike(p *played) bool {
	answer := f.answer(p)
	return answer != nil && f.refused != nil && answer.Status == f.refused.Status
}

// renewedGraft is a graft with the fresh values of the test, in its steps too.
func (q *inquiry) renewedGraft(g Graft) Graft {
	if len(q.fresh) == 0 {
		return g
	}
	g.Binds = slices.Clone(g.Binds)
	for _, b := range q.fresh {
		b.Uses = slices.Clone(b.Uses)
		for part, steps := range map[Part][]Step{InSetUp: g.Steps, InCleanUp: g.CleanUp} {
			for i := range steps {
				b.Uses = append(b.Uses, usesOf(&steps[i].Request, b.Value, part, i)...)
			}
		}
		slices.SortStableFunc(b.Uses, func(a, b BindUse) int {
			return cmp.Or(cmp.Compare(partOrder(a.In), partOrder(b.In)), cmp.Compare(a.At, b.At))
		})
		g.Binds = append(g.Binds, b)
	}
	return g
}

// named puts what is known of values that are taken into what was found.
func (q *inquiry) named(found Found) Found {
	found.Tried = q.tried
	switch {
	case len(q.fresh) == 0:
		if q.taken != "" && found.Refused != "" {
			found.Refused = "what it names may be taken since an earlier run, and " + q.taken
		}
	case found.Refused != "":
		found.Graft = q.renewedGraft(Graft{Proven: true, Left: found.Left})
		found.Trials = q.renewed
	default:
		found.Graft = q.renewedGraft(found.Graft)
	}
	return found
}

// named are the calls that pollute a test, of all that were sent before it.
func named(polluters []Polluter, before []Ran) (out []*exchange.Exchange) {
	for _, x := range polluters {
		for _, r := range before {
			if r.File == x.File && r.Test == x.Test && r.Call == x.Call {
				out = append(out, r.Exchange)
			}
		}
	}
	return out
}

package build

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A test begins from a start that is known, makes what it needs, and so knows better than the recording what it will be
// answered: of the whole session the recording says what it had come to, and the runs of it come by the same states.
// Where a test was tried, its own answers are what it is judged by: what they agree on is asserted as it was there, and
// the judgement of the session only says what would move.

// minTrials is how many answers of one status to a step of a test have to be there before they decide.
const minTrials = 3

// ownAnswer returns a step with the answer that its test was given in trials, as the recording would have it; false
// where the test was not tried often enough, or is to assert what was recorded. Where no trial had the recorded status,
// the answer is one of those that they had.
func (b *builder) ownAnswer(step *exchange.Step) (*exchange.Step, bool) {
	if b.mode != suite.Relax || step.Exchange.Response == nil {
		return step, false
	}
	all := b.answers.Tested(step.Exchange.Seq)
	as := withStatus(all, step.Exchange.Response.Status)
	if len(as) == 0 && len(all) > 0 {
		as = withStatus(all, all[0].Status)
	}
	if len(as) < minTrials {
		return step, false
	}
	own := *step
	e := *step.Exchange
	own.Exchange = &e
	e.Response = b.retold(step.Exchange, as[0])
	return &own, true
}

// statusOf is the status that a test asserts of a step first: that of its trials where no trial had the recorded one.
func (b *builder) statusOf(step *exchange.Step) int {
	own, _ := b.ownAnswer(step)
	return own.Exchange.Response.Status
}

func withStatus(all []play.Answer, status int) []play.Answer {
	return slices.DeleteFunc(slices.Clone(all), func(r play.Answer) bool { return r.Status != status })
}

// minSettled is how many runs have to agree that a place is otherwise than it was recorded, in each of several
// exchanges, before that is taken for what others left behind, and not for what is rare and happened to be recorded.
const minSettled = 3

// ownOperation is what the map says of an operation to a test that was tried: a place that drifted with what was sent
// before has stood in the trials as it will stand.
func ownOperation(op *mapfile.Operation) *mapfile.Operation {
	if op == nil {
		return nil
	}
	settled := func(f *mapfile.Field) bool {
		return f.Judgement == mapfile.Drift && f.Category == mapfile.State && f.Rule == nil && op.Exchanges > 1 &&
			f.Changed == f.Of && f.Of >= minSettled*op.Exchanges
	}
	if !slices.ContainsFunc(op.Fields, settled) {
		return op
	}
	out := *op
	out.Fields = slices.DeleteFunc(slices.Clone(op.Fields), settled)
	out.Index()
	return &out
}

// maxChance is how likely it may be that a value which moves as often as those of like requests did stayed the same.
const maxChance = 0.001

// unmovedOperation is what the map says of an operation to a request of which all answers agree on a value that is
// drawn anew for others: the seed has it, such as the order that a seeded invoice is of. The map judges all together.
// A time or a count is left as it is: what stood still today may move tomorrow.
func (b *builder) unmovedOperation(op *mapfile.Operation, e *exchange.Exchange) *mapfile.Operation {
	if op == nil || op.Exchanges < 2 {
		return op
	}
	all := b.executed(e.Seq)
	unmoved := func(f *mapfile.Field) bool {
		drawn := f.Judgement == mapfile.Jitter && f.Category == mapfile.Rand && f.Rule == nil && !f.Protocol
		if !drawn || !f.Place.Within(exchange.PlaceBody) || all[0].Texts[f.Place] == "" || mostAlike(all, f.Place) < len(all) {
			return false
		}
		return math.Pow(1-b.moves(f.Place, e), float64(len(all)-1)) <= maxChance
	}
	if !slices.ContainsFunc(op.Fields, unmoved) {
		return op
	}
	out := *op
	out.Fields = slices.DeleteFunc(slices.Clone(op.Fields), unmoved)
	out.Index()
	return &out
}

// moves is the share of the answers to the other requests of an operation that differ, at a place, from what each of
// these was mostly given; none where the very same request was given others. The map counts what differs from the
// recorded answer, and that may be the rare one.
func (b *builder) moves(at exchange.Place, e *exchange.Exchange) float64 {
	moved, of := 0, 0
	for i := range b.src.Steps {
		x := b.src.Steps[i].Exchange
		alike := x.Response != nil && x.Response.Status == e.Response.Status &&
			b.src.Operations[x.Seq] == b.src.Operations[e.Seq]
		if x.Seq != e.Seq && alike {
			all := b.executed(x.Seq)
			different := len(all) - mostAlike(all, at)
			if different > 0 && exchange.Exact(x) == exchange.Exact(e) {
				return 0
			}
			moved, of = moved+different, of+len(all)
		}
	}
	return float64(moved) / float64(max(of, 1))
}

// mostAlike is how many answers agree with most of the others at a place.
func mostAlike(all []earlier.Answer, at exchange.Place) int {
	most, counts := 0, map[string]int{}
	for _, x := range all {
		counts[x.Texts[at]]++
		most = max(most, counts[x.Texts[at]])
	}
	return most
}

// retold is an answer of a trial with the recorded values in the place of those that the trial was given: the ids that
// it made are others each time.
func (b *builder) retold(e *exchange.Exchange, r play.Answer) *exchange.Response {
	swaps := b.swaps(e, r)
	if len(swaps) == 0 {
		return r.Response
	}
	recorded := map[exchange.Place]string{}
	compare.Walk(e.Response, func(place exchange.Place, raw string) { recorded[place] = plan.TextOf(raw) })
	back := func(place exchange.Place, text string) string { return swapped(place, text, recorded[place], swaps) }
	var head bytes.Buffer
	lines := strings.SplitAfter(string(r.Response.Head), "\n")
	head.WriteString(lines[0])
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if ok {
			text := strings.Trim(value, " \r\n")
			value = strings.Replace(value, text, back(exchange.HeaderPlace(name), text), 1)
			line = name + ":" + value
		}
		head.WriteString(line)
	}
	return exchange.ParseResponse(exchange.Message{Head: head.Bytes(), Body: b.retoldBody(r.Response, back), Plain: true})
}

// retoldBody is the body of such an answer: JSON by its scalars, anything else as it is.
func (b *builder) retoldBody(r *exchange.Response, back func(exchange.Place, string) string) []byte {
	payload, err := r.Payload()
	if err != nil || !compare.IsJSON(r.MediaType()) {
		return payload
	}
	root := plan.ReadNode(payload)
	if root == nil {
		return payload
	}
	root.Walk(func(n *plan.Node) bool {
		if !n.Scalar() {
			return true
		}
		text := plan.TextOf(n.Raw)
		switch instead := back(n.Place, text); {
		case instead == text:
		case n.Raw[0] == '"':
			n.Raw = literal.JSON(instead)
		default:
			n.Raw = instead
		}
		return true
	})
	return root.JSON()
}

// swap is a value that a trial had, and the one that the recording had in its place.
type swap struct{ trial, recorded string }

// swaps lists the values that a trial had in the place of recorded ones: the ids of what it made, and the host. What
// else answers gave, such as a version, says what it found there.
func (b *builder) swaps(e *exchange.Exchange, r play.Answer) []swap {
	var out []swap
	for i := range b.src.Bindings {
		v := &b.src.Bindings[i]
		if value, ok := r.Values[v.Name]; ok && value != v.Value && value != "" && b.session.Made(v) {
			out = append(out, swap{value, v.Value})
		}
	}
	if host := e.Request.Header.Get("Host"); len(host) >= minHost && r.Host != host && len(r.Host) >= minHost {
		out = append(out, swap{r.Host, host})
	}
	return out
}

// swapped puts recorded values back into the text at a place; recorded is what the recording has there. A short value
// may well be another thing, such as a count: it is put back where the recording has it at the same place, which is
// named as ids are, or holds a path.
func swapped(place exchange.Place, text, recorded string, swaps []swap) string {
	for _, s := range swaps {
		switch {
		case len(s.trial) >= minStrong:
			text = strings.ReplaceAll(text, s.trial, s.recorded)
		case text == s.trial:
			if recorded == s.recorded && idLike(place) {
				return recorded
			}
		case strings.Contains(recorded, "/") && holdsWord(recorded, s.recorded):
			text = segmentForm.ReplaceAllStringFunc(text, func(segment string) string {
				if segment == s.trial {
					return s.recorded
				}
				return segment
			})
		}
	}
	return text
}

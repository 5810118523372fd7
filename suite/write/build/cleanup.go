package build

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// withTakenAway adds to the values that answers gave the ids of what no later request asked for, where the recording
// takes away another that the same operation made: a test that makes it is to take it away too.
func (b *builder) withTakenAway(all []exchange.Binding) []exchange.Binding {
	type id struct {
		op    exchange.Operation
		value string
	}
	named, known, likes := map[string]bool{}, map[id]bool{}, map[exchange.Operation]*exchange.Binding{}
	for i := range all {
		v := &all[i]
		op, ok := b.src.Operations[v.Producer.Seq]
		named[v.Name], known[id{op, v.Value}] = true, true
		if ok && likes[op] == nil && b.makes(v) && slices.ContainsFunc(v.Uses, b.deletes) {
			likes[op] = v
		}
	}
	out := slices.Clone(all)
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		op := b.src.Operations[e.Seq]
		like := likes[op]
		if like == nil || unsendable(e) != "" || e.Response.Status >= 300 {
			continue
		}
		value, ok := message.Value(e.Response, like.Producer.Place)
		if !ok || value == "" || known[id{op, value}] {
			continue
		}
		n := 2
		for named[like.Name+strconv.Itoa(n)] {
			n++
		}
		v := exchange.Binding{Name: like.Name + strconv.Itoa(n), Value: value,
			Producer: exchange.Ref{Seq: e.Seq, Place: like.Producer.Place}}
		named[v.Name], known[id{op, value}] = true, true
		out = append(out, v)
	}
	if len(out) == len(all) {
		return all
	}
	slices.SortStableFunc(out, func(x, y exchange.Binding) int { return cmp.Compare(x.Producer.Seq, y.Producer.Seq) })
	return out
}

// cleanUps take away what a test made, the last first, by requests of the recording that took such a thing away.
func (b *builder) cleanUps(d draft, needs []uint64, once map[uint64]bool, ctx *context) []plan.Step {
	var sent []uint64
	for _, seq := range needs {
		if !once[seq] {
			sent = append(sent, seq)
		}
	}
	for _, s := range d.tested {
		if !once[s.Exchange.Seq] {
			sent = append(sent, s.Exchange.Seq)
		}
	}
	var own setup.Possessions
	for _, seq := range slices.Sorted(slices.Values(sent)) {
		if e := b.steps[seq].Exchange; unsendable(e) == "" {
			b.bystanders.Sent(&own, b.sending(e, nil, ctx.gives))
		}
	}
	var out []plan.Step
	for _, seq := range slices.Backward(sent) {
		for _, v := range b.producers[seq] {
			if !ctx.gives(v) || !b.makes(v) {
				continue
			}
			if s, ok := b.cleanUp(v, sent, &own, ctx); ok {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// cleanUp makes the step that takes away what a value names, where the recording has one and the test does not.
func (b *builder) cleanUp(v *exchange.Binding, sent []uint64, own *setup.Possessions, ctx *context) (plan.Step, bool) {
	for _, u := range v.Uses {
		if slices.Contains(sent, u.Seq) && b.deletes(u) {
			return plan.Step{}, false
		}
	}
	for _, like := range b.alike(v) {
		for _, u := range like.Uses {
			if !b.deletes(u) {
				continue
			}
			e := b.steps[u.Seq].Exchange
			renamed, ok := b.rename(e, like, v, ctx)
			if ok && b.bystanders.May(own, b.sending(e, renamed, ctx.gives)) {
				s := plan.Step{Role: plan.CleanUp, Seq: e.Seq, Title: b.operationName(e)}
				b.send(&s, e, renamed)
				return s, true
			}
		}
	}
	return plan.Step{}, false
}

// deletes reports whether a use is in the path of a DELETE that did take something away.
func (b *builder) deletes(u exchange.Ref) bool {
	s := b.steps[u.Seq]
	return s != nil && u.Place.Root() == "path" && unsendable(s.Exchange) == "" && s.Exchange.Request.Method == "DELETE" &&
		s.Exchange.Response.Status < 300
}

// maxAlike bounds how many values of one kind are looked through.
const maxAlike = 50

// alike lists a value, then others that the same place of the same operation gave and later requests used.
func (b *builder) alike(v *exchange.Binding) []*exchange.Binding {
	out := []*exchange.Binding{v}
	op := b.src.Operations[v.Producer.Seq]
	for i := range b.src.Bindings {
		other := &b.src.Bindings[i]
		if other != v && len(other.Uses) > 0 && other.Producer.Place == v.Producer.Place &&
			b.src.Operations[other.Producer.Seq] == op && len(out) < maxAlike {
			out = append(out, other)
		}
	}
	return out
}

// rename says which values a borrowed request is to use in a test, in place of its own: v in the place of like, and for
// the others those of the same kind that the test has. It reports false where one is missing.
func (b *builder) rename(e *exchange.Exchange, like, v *exchange.Binding,
	ctx *context) (map[string]*exchange.Binding, bool) {
	renamed := map[string]*exchange.Binding{like.Name: v}
	for _, u := range b.uses[e.Seq] {
		if u.binding == like || ctx.gives(u.binding) {
			continue
		}
		found := false
		for _, other := range b.alike(u.binding) {
			if ctx.gives(other) {
				renamed[u.binding.Name], found = other, true
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	return renamed, true
}

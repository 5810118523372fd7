package flow

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// State is what runs say of a binding.
type State string

// The states.
const (
	// with it the recorded outcome came about better than without, or the client itself did as it says
	Proven State = "proven"
	// without it the recorded outcome came about better, in two runs at least, or the client itself did otherwise
	Refused  State = "refused"
	Needless State = "needless" // with it and without, the outcomes were as good
	Unproven State = "unproven" // no run tells: none was played with it and without, or the value never moved
)

// Tally counts runs.
type Tally struct {
	// in which the steps that count came out as recorded, 95 % of them at least: the same status, or the same fault
	Reproduced int `json:"reproduced"`
	Of         int `json:"of"`

	sum tried // of the steps of all of them
}

// Proof is what the runs say of one binding.
//
// A step counts for a binding in a run where the run's own value had moved from the recorded one, the request was sent
// with the one or with the other, and every other value that is bound in it was the run's own.
type Proof struct {
	State   State `json:"state"`
	With    Tally `json:"with"`    // replays that sent the run's own value
	Without Tally `json:"without"` // replays that sent the recorded value though the run had another
	// What the client did in runs of its own where the value had moved: it sent the run's own value, the recorded one,
	// or yet another.
	Followed int `json:"followed"`
	Repeated int `json:"repeated"`
	Other    int `json:"other"`
	Still    int `json:"still"` // runs in which the value was the recorded one: they tell nothing
	// Literals are the requests, by their positions, in which the client's own runs mostly had another value than the
	// new one: of a binding that is right elsewhere, these uses are none.
	Literals []uint64 `json:"literals,omitempty"`
}

// Evidence says in words what the state rests on.
func (p Proof) Evidence() string {
	var out []string
	if n := p.Followed + p.Repeated + p.Other; n > 0 {
		out = append(out, fmt.Sprintf("the client sent the new value in %d of %s of its own", p.Followed, runs(n)))
		if p.State == Proven && len(p.Literals) > 0 {
			out = append(out, fmt.Sprintf("but in %d of the requests another", len(p.Literals)))
		}
	}
	switch {
	case p.With.Of > 0 && p.Without.Of > 0:
		out = append(out, fmt.Sprintf("%d of %s with it, %d of %d without", p.With.Reproduced, runs(p.With.Of),
			p.Without.Reproduced, p.Without.Of))
	case p.With.Of > 0:
		out = append(out, fmt.Sprintf("%d of %s with it, none without", p.With.Reproduced, runs(p.With.Of)))
	case p.Without.Of > 0:
		out = append(out, fmt.Sprintf("%d of %s without it, none with", p.Without.Reproduced, runs(p.Without.Of)))
	}
	if p.Still > 0 && len(out) == 0 {
		out = append(out, fmt.Sprintf("the value was the same in %s", runs(p.Still)))
	}
	if len(out) == 0 {
		return "no run yet"
	}
	return strings.Join(out, "; ")
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// settle works out the state. What the client itself does outranks what replays tell.
func (p *Proof) settle() {
	against := p.Repeated + p.Other
	switch {
	case p.Followed > against:
		p.State = Proven
	case p.Followed < against:
		p.State = Refused
	case p.With.Of == 0 || p.Without.Of == 0:
		p.State = Unproven
	default:
		if p.State = weigh(p.With.sum, p.Without.sum); p.State == Refused && p.With.Of < 2 {
			// one run may have failed for another reason: another value of the same request that was wrong
			p.State = Unproven
		}
	}
}

// margin is the difference, as a part of the steps, that is more than chance: one answer in many may fail by itself.
const margin = 0.05

// weigh holds the steps with a binding against those without. The shape of bodies tells in favour alone: members that
// come and go are no reason to refuse.
func weigh(with, without tried) State {
	part := func(n int, of tried) float64 { return float64(n) / float64(of.steps) }
	outcome := part(with.reproduced, with) - part(without.reproduced, without)
	shape := part(with.alike, with) - part(without.alike, without)
	switch {
	case outcome > margin, outcome >= -margin && shape > margin:
		return Proven
	case outcome < -margin:
		return Refused
	}
	return Needless
}

// Prove works out what the runs of a recording say of bindings; the proofs come in the order of the bindings. steps are
// those of the whole recording, in order, with the observations of the runs; an error among them ends it. Replays under
// perturbations other than "bindings" are passed over. Only what lies between a producer and its last use is held in
// memory.
func Prove(bindings []exchange.Binding, runs []exchange.Run, steps iter.Seq2[exchange.Step, error]) ([]Proof, error) {
	p := newProver(bindings, runs)
	for s, err := range steps {
		if err != nil {
			return nil, fmt.Errorf("prove bindings: %w", err)
		}
		p.step(s)
	}
	for i := range p.live {
		p.finish(i)
	}
	for i := range p.proofs {
		p.proofs[i].settle()
	}
	return p.proofs, nil
}

// Kept returns the bindings that no run refused, without those of their uses that are literals. proofs are those of
// [Prove]; nil refuse nothing.
func Kept(bindings []exchange.Binding, proofs []Proof) []exchange.Binding {
	if len(proofs) == 0 {
		return bindings
	}
	out := make([]exchange.Binding, 0, len(bindings))
	for i, b := range bindings {
		if i < len(proofs) && proofs[i].State == Refused {
			continue
		}
		if i < len(proofs) && len(proofs[i].Literals) > 0 {
			b.Uses = slices.DeleteFunc(slices.Clone(b.Uses), func(u exchange.Ref) bool {
				_, literal := slices.BinarySearch(proofs[i].Literals, u.Seq)
				return literal
			})
		}
		if len(b.Uses) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// prover is a Prove at work.
type prover struct {
	bindings []exchange.Binding
	proofs   []Proof
	client   map[int]bool // by the number of each run that tells: whether the client itself ran
	// strange are such runs that lost and added more exchanges than have a counterpart, as where the client sent in
	// another order: many have a wrong one. That a new value is followed there all the same is no chance; that it is
	// not tells nothing.
	strange map[int]bool
	uses    []index // by seq, each binding once
	gives   []index // by seq
	live    map[int32]map[int]*trial
	shaped  bodyShape     // of the recorded answer that each run of a step is held against
	balance map[int32]int // of one step: how many more of the client's own runs sent the new value than did not
}

// trial is what one run says of one binding.
type trial struct {
	value         string // the run's own
	given         bool
	with, without tried
	client        [3]int // how often the client followed, repeated, did otherwise
}

// tried counts steps: all, those with the recorded outcome, and those with a body of the recorded shape too.
type tried struct{ steps, reproduced, alike int }

func newProver(bindings []exchange.Binding, runs []exchange.Run) *prover {
	p := &prover{bindings: bindings, proofs: make([]Proof, len(bindings)), client: map[int]bool{}, strange: map[int]bool{},
		live: map[int32]map[int]*trial{}, balance: map[int32]int{}}
	for _, r := range runs {
		if r.Kind != exchange.RunRepeat && !disturbed(r) {
			p.client[r.Number] = r.Kind != exchange.RunReplay
			p.strange[r.Number] = r.Lost+r.Added > r.Steps
		}
	}
	for i, b := range bindings {
		p.gives = append(p.gives, index{seq: b.Producer.Seq, binding: int32(i)})
		for n, u := range b.Uses {
			if n == 0 || b.Uses[n-1].Seq != u.Seq {
				p.uses = append(p.uses, index{seq: u.Seq, binding: int32(i)})
			}
		}
	}
	for _, list := range [][]index{p.gives, p.uses} {
		slices.SortFunc(list, func(a, b index) int {
			return cmp.Or(cmp.Compare(a.seq, b.seq),
				cmp.Compare(a.binding, b.binding))
		})
	}
	return p
}

// disturbed reports whether a replay was played under conditions that may spoil its outcome whatever it sent.
func disturbed(r exchange.Run) bool {
	return r.Kind == exchange.RunReplay &&
		slices.ContainsFunc(r.Conditions.Perturb, func(name string) bool { return name != exchange.PerturbBindings })
}

// step takes in the next step of the recording.
func (p *prover) step(s exchange.Step) {
	seq := s.Exchange.Seq
	using := entries(p.uses, seq)
	if len(using) > 0 && len(s.Observations) > 0 {
		p.judge(s, using)
	}
	for _, m := range using {
		if uses := p.bindings[m.binding].Uses; uses[len(uses)-1].Seq == seq {
			p.finish(m.binding)
		}
	}
	for _, m := range entries(p.gives, seq) {
		p.learn(m.binding, s.Observations)
	}
}

// learn takes in what each run has for the value of a binding.
func (p *prover) learn(binding int32, observations []*exchange.Observation) {
	b := &p.bindings[binding]
	for _, o := range observations {
		if _, tells := p.client[o.Run]; !tells {
			continue
		}
		value, ok := find(o.Response, b.Producer.Place, b.Value)
		if ok && value == b.Value {
			p.proofs[binding].Still++
			continue
		}
		if p.live[binding] == nil {
			p.live[binding] = map[int]*trial{}
		}
		p.live[binding][o.Run] = &trial{value: value, given: ok && message.Sendable(value)}
	}
}

// finish adds up what the runs said of a binding that has no more uses.
func (p *prover) finish(binding int32) {
	proof := &p.proofs[binding]
	for _, t := range p.live[binding] {
		t.with.addTo(&proof.With)
		t.without.addTo(&proof.Without)
		switch followed, repeated, other := t.client[0], t.client[1], t.client[2]; {
		case followed+repeated+other == 0:
		case followed > repeated+other:
			proof.Followed++
		case repeated >= other:
			proof.Repeated++
		default:
			proof.Other++
		}
	}
	delete(p.live, binding)
}

func (t tried) addTo(sum *Tally) {
	if t.steps == 0 {
		return
	}
	if sum.Of++; float64(t.reproduced) >= (1-margin)*float64(t.steps) {
		sum.Reproduced++
	}
	sum.sum.steps += t.steps
	sum.sum.reproduced += t.reproduced
	sum.sum.alike += t.alike
}

// judge looks at what was sent in a step that uses bindings, in each run, and at what came of it.
func (p *prover) judge(s exchange.Step, using []index) {
	seq := s.Exchange.Seq
	at := map[exchange.Place][]int32{} // the bindings by the places that they fill
	for _, m := range using {
		for _, u := range p.bindings[m.binding].Uses {
			if u.Seq == seq {
				at[u.Place] = append(at[u.Place], m.binding)
			}
		}
	}
	var recorded map[exchange.Place]string
	for _, o := range s.Observations {
		moved := false
		for _, m := range using {
			moved = moved || p.live[m.binding][o.Run] != nil
		}
		if !moved {
			continue
		}
		if recorded == nil {
			recorded = message.TextsAt(&s.Exchange.Request, at)
		}
		p.judgeRun(s.Exchange, o, using, p.sent(o, at, recorded))
	}
	for binding, n := range p.balance {
		if n < 0 {
			proof := &p.proofs[binding]
			proof.Literals = append(proof.Literals, seq)
		}
	}
	clear(p.balance)
}

// how says with which value a use was sent.
type how uint8

const (
	unmoved how = iota
	withOwn
	withRecorded
	otherwise
)

// sent tells, for each binding that moved in a run, how its uses in one request were sent.
func (p *prover) sent(o *exchange.Observation, at map[exchange.Place][]int32,
	recorded map[exchange.Place]string) map[int32]how {
	out := map[int32]how{}
	now := message.TextsAt(&o.Sent, at)
	for place, bindings := range at {
		text, sent := now[place]
		for _, b := range bindings {
			t := p.live[b][o.Run]
			if t == nil {
				continue
			}
			is := otherwise
			var swaps []message.Swap
			for _, other := range bindings {
				if x := p.live[other][o.Run]; other != b && x != nil && x.given {
					swaps = append(swaps, message.Swap{Before: p.bindings[other].Value, After: x.value})
				}
			}
			others := message.SwapAll(recorded[place], swaps)
			own := message.SwapAll(recorded[place], append(swaps, message.Swap{Before: p.bindings[b].Value, After: t.value}))
			switch {
			case !sent || !t.given:
			case text == own:
				is = withOwn
			case text == others || text == recorded[place]:
				is = withRecorded
			}
			if was, again := out[b]; again && was != is {
				is = otherwise
			}
			out[b] = is
		}
	}
	return out
}

// judgeRun notes what one request of a run says of the bindings that it uses.
func (p *prover) judgeRun(e *exchange.Exchange, o *exchange.Observation, using []index, sent map[int32]how) {
	byClient := p.client[o.Run]
	result := p.outcome(e, o)
	strange := 0
	for _, is := range sent {
		if is != withOwn {
			strange++
		}
	}
	for _, m := range using {
		t := p.live[m.binding][o.Run]
		is := sent[m.binding]
		switch {
		case t == nil || !t.given || is == unmoved, byClient && is != withOwn && p.strange[o.Run]:
		case byClient:
			t.client[is-withOwn]++
			if is == withOwn {
				p.balance[m.binding]++
			} else {
				p.balance[m.binding]--
			}
		case is == withOwn && strange == 0:
			t.with.add(result)
		case is == withRecorded && strange == 1: // each other one is the run's own
			t.without.add(result)
		}
	}
}

func (t *tried) add(result tried) {
	t.steps++
	t.reproduced += result.reproduced
	t.alike += result.alike
}

// outcome holds what a run was answered against what was recorded.
func (p *prover) outcome(e *exchange.Exchange, o *exchange.Observation) tried {
	switch {
	case e.Fault != nil && o.Fault != nil && e.Fault.Kind == o.Fault.Kind:
		return tried{reproduced: 1, alike: 1}
	case e.Response == nil || o.Response == nil || e.Response.Status != o.Response.Status:
		return tried{}
	}
	if p.shaped.of != e.Response {
		p.shaped = bodyShape{of: e.Response}
	}
	if !p.shaped.alike(o.Response) {
		return tried{reproduced: 1}
	}
	return tried{reproduced: 1, alike: 1}
}

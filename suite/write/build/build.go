package build

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/suite/write/secret"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Options say what becomes of a recording.
type Options struct {
	Mode suite.Mode // what becomes of assertions about volatile places; "" is [suite.Relax]
	// a test for each exchange, though another has the operation, the status and the shape of its answer
	All bool
	// SetUps says, by recorded exchange, which earlier ones have to be sent before it for its outcome to come true on a
	// fresh API, in recorded order. What it has no entry for is given what the recording's own data flow tells.
	SetUps map[uint64][]uint64
	// Answers are those of trials of the plan that the same options give without them. What they contradict is
	// weakened.
	Answers play.Answers
	// Given are credentials to be sent instead of recorded ones, by the recorded values.
	Given map[string]string
}

// maxSteps is how many exchanges one test may send of what it is about: a test that fails hides what comes after it, so
// a longer sequence is cut into its exchanges. maxSetUp is how many a test may send before.
const (
	maxSteps = 20
	maxSetUp = 12
)

// Plan makes the plan of a suite from a recording: a test per sequence, each of which makes what it needs and takes
// away what it made, so that it can run alone, before the others or after them.
//
// A value that a request uses is given by the exchange that gave it in the recording: where that is in no earlier step
// of the same test, it is sent first, and so is what changed the same resource since. Logging in is a set-up that tests
// share (Step.Once), but for those that end the session; so is making the account that one logs in to. Credentials are
// in Plan.Secrets alone.
//
// What an answer says of what other tests leave behind (a list that grew, the number of the next id) is weakened, as
// State, although it never moved between runs that sent the same as the recording.
func Plan(src suite.Source, o Options) (plan.Plan, error) {
	switch o.Mode {
	case "":
		o.Mode = suite.Relax
	case suite.Relax, suite.Comment, suite.Exact:
	default:
		return plan.Plan{}, fmt.Errorf("write suite: unknown mode %q", o.Mode)
	}
	if len(src.Steps) == 0 {
		return plan.Plan{}, errors.New("write suite: the recording is empty")
	}
	b := newBuilder(src, o)
	var tests []plan.Test
	all := b.drafts()
	for _, d := range all {
		for _, s := range d.tested {
			b.testOf[s.Exchange.Seq] = d.name
		}
	}
	for _, d := range all {
		sendable := func(s *exchange.Step) bool { return setup.Unsendable(s.Exchange) == "" }
		if !slices.ContainsFunc(d.tested, sendable) {
			b.leave(leftSent, d.tested)
			continue
		}
		if test := b.test(d); b.mode != suite.Comment && silent(test) {
			b.leave(leftSilent, d.tested)
		} else {
			tests = append(tests, test)
			b.leave(leftSent, slices.DeleteFunc(slices.Clone(d.tested), sendable))
		}
	}
	if len(tests) == 0 {
		return plan.Plan{}, errors.New("write suite: none of the recorded exchanges can be sent again; flaketap inspect exchanges lists them")
	}
	splitGroups(tests)
	p := plan.Plan{Target: b.target, Bound: b.values(tests), Secrets: b.secrets,
		Credentials: b.sentCredentials(), Tests: tests, Codings: b.codings()}
	p.Left = b.leftOut(p.Sent())
	secret.Name(&p, b.src, b.operationName)
	return p, nil
}

// builder makes one plan.
type builder struct {
	src      suite.Source
	mode     suite.Mode
	all      bool
	setUps   map[uint64][]uint64
	answers  play.Answers
	target   string // the base URL of most exchanges
	steps    map[uint64]*exchange.Step
	session  *setup.Session
	byValue  map[string][]*exchange.Binding
	sequence map[uint64]int // by exchange, the number of its sequence from 1
	secrets  map[string]string
	given    map[string]string // credentials that are sent instead of recorded ones, by those
	// the credentials that the client had before the recording, and their tokens by what is sent instead
	credentials []plan.Credential
	named       map[string]string
	// the requests that made an account which some login needs; true for what depends on nothing
	accounts map[uint64]bool
	state    state
	said     *said
	left     map[uint64]string     // by exchange, why no test is about it
	noise    noise                 // what requests tell of the recorded client
	testOf   map[uint64]string     // by exchange, the name of the test that is about it
	waits    map[uint64]*plan.Wait // by exchange, the reads that find the API done after a while, which tests send again
	// the first exchange of each operation that went well; nil until a name asks
	first map[exchange.Operation]*exchange.Exchange
}

func newBuilder(src suite.Source, o Options) *builder {
	if src.Redactor.Known == nil && !src.Redactor.Reveal {
		var secrets exchange.Secrets
		for _, step := range src.Steps {
			secrets.Step(step)
		}
		src.Redactor.Known = secrets.Known()
	}
	b := &builder{
		src: src, mode: o.Mode, all: o.All, setUps: o.SetUps, answers: o.Answers, given: o.Given,
		steps:    make(map[uint64]*exchange.Step, len(src.Steps)),
		byValue:  map[string][]*exchange.Binding{},
		sequence: map[uint64]int{},
		testOf:   map[uint64]string{},
		secrets:  map[string]string{},
		left:     map[uint64]string{},
	}
	targets := map[string]int{}
	all := make([]*exchange.Exchange, len(src.Steps))
	for i := range src.Steps {
		e := src.Steps[i].Exchange
		all[i], b.steps[e.Seq] = e, &src.Steps[i]
		base := baseURL(e)
		if targets[base]++; targets[base] > targets[b.target] {
			b.target = base
		}
	}
	moving := slices.DeleteFunc(slices.Clone(src.Bindings), func(v exchange.Binding) bool { return b.static(&v) })
	b.session = setup.NewSession(all, moving, src.Operations, b.src.Redactor)
	b.src.Bindings = b.session.Bindings()
	for i := range b.src.Bindings {
		v := &b.src.Bindings[i]
		b.byValue[v.Value] = append(b.byValue[v.Value], v)
	}
	for i, s := range src.Sequences {
		for _, seq := range s.Steps {
			b.sequence[seq] = i + 1
		}
	}
	b.readCredentials()
	b.noise = b.readNoise()
	b.said = newSaid(b.src.Bindings)
	b.state = b.readState()
	b.waits = b.readSlow()
	b.accounts = b.readAccounts()
	return b
}

func baseURL(e *exchange.Exchange) string { return cmp.Or(e.Scheme, "http") + "://" + e.Addr }

// operation returns what the map says of a recorded exchange's operation; nil where it says nothing.
func (b *builder) operation(e *exchange.Exchange) *mapfile.Operation {
	op, ok := b.src.Operations[e.Seq]
	if !ok || b.src.Map == nil {
		return nil
	}
	status := 0
	if e.Response != nil {
		status = e.Response.Status
	}
	return b.src.Map.Operation(op, status)
}

// operationName is what comments call a request: method and template, without the query and the values in it.
func (b *builder) operationName(e *exchange.Exchange) string {
	if op, ok := b.src.Operations[e.Seq]; ok {
		return b.src.Redactor.Show("", op.String())
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	return b.src.Redactor.Show("", e.Request.Method+" "+path)
}

// values lists what the tests keep, in recorded order.
func (b *builder) values(tests []plan.Test) []plan.Value {
	used := map[string]bool{}
	note := func(t plan.Text) {
		for _, p := range t {
			used[p.Bound] = true
		}
	}
	for _, t := range tests {
		for _, s := range t.Steps {
			note(s.Target)
			for _, h := range s.Headers {
				note(h.Value)
			}
			if s.Body != nil {
				note(s.Body.Text)
			}
			for _, c := range s.Checks {
				note(c.Text)
			}
			for _, c := range s.Captures {
				used[c.Name] = true
			}
		}
	}
	var out []plan.Value
	for i := range b.src.Bindings {
		v := &b.src.Bindings[i]
		if !used[v.Name] {
			continue
		}
		recorded := plan.Text{{Literal: v.Value}}
		if b.secretBinding(v) {
			recorded = plan.Text{b.secret(v.Value)}
		}
		out = append(out, plan.Value{Name: v.Name, Recorded: recorded, From: b.from(v.Producer)})
	}
	return append(out, b.saidValues()...)
}

// codings lists the content codings of the recorded answers.
func (b *builder) codings() []string {
	var out []string
	for _, s := range b.src.Steps {
		if r := s.Exchange.Response; r != nil && !r.Plain {
			for _, line := range r.Header.Values("Content-Encoding") {
				for c := range strings.SplitSeq(strings.ToLower(line), ",") {
					out = append(out, strings.TrimSpace(c))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

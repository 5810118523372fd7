package play

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Request is one request of a trial, as it goes out.
type Request struct {
	Base    string // the base URL; "" for the plan's own target, wherever that is now
	Method  string
	Target  string
	Headers [][2]string // names and values, a character for each byte
	Body    []byte      // nil where it has none
	Chunked bool
}

// Answers are what the steps of a plan answered in trials, by recorded exchange. The zero value has none.
type Answers struct {
	Host  string        // the authority of the API that is tried, which answers may name; "" where that is not known
	Ahead time.Duration // how far the clock of that API is ahead of this machine's

	tested, setUps map[uint64][]Answer
	vain           map[uint64]bool // the steps that were waited for in vain
	trials         int             // how many there were
}

// Answer is one answer of a trial.
type Answer struct {
	*exchange.Response
	Sent, At time.Time         // when it was asked for, and when it came, by the clock of the API
	Host     string            // the authority that was asked
	Values   map[string]string // what the test had by then of bound values, by name
	Given    map[string]string // those of them that its own answers, or those of shared set-ups, gave
	Trial    int               // its number, from 1 on
	Asked    Request
}

// Tested are the answers to a step that is tested, in the order in which they came.
func (a *Answers) Tested(seq uint64) []Answer { return a.tested[seq] }

// SetUps are the answers to a step that is a set-up.
func (a *Answers) SetUps(seq uint64) []Answer { return a.setUps[seq] }

// All visits the answers to all steps that are tested, a step's after another's, in no order.
func (a *Answers) All(visit func(Answer)) {
	for _, all := range a.tested {
		for _, r := range all {
			visit(r)
		}
	}
}

// InVain reports whether a step was waited for in vain.
func (a *Answers) InVain(seq uint64) bool { return a.vain[seq] }

func (a *Answers) add(s plan.Step, r Answer) {
	if a.tested == nil {
		a.tested, a.setUps = map[uint64][]Answer{}, map[uint64][]Answer{}
	}
	switch {
	case s.Role == plan.Tested || s.Single:
		a.tested[s.Seq] = append(a.tested[s.Seq], r)
	case s.Role == plan.SetUp:
		a.setUps[s.Seq] = append(a.setUps[s.Seq], r)
	}
}

// Order is the order in which a trial plays the tests of a plan.
type Order int

// The orders. What a test depends on shows where the others come after it, and between its requests. Abreast, each test
// sends one request in its turn, as if all ran at once. Shuffled, and each number above it up to 999, is an order of
// its own. In Cut+2k, each test sends k requests, and then, from the last to the first, the rest: so the others come
// between two of its requests, or find it where these two are. Cut+2k+1 does so from the last test on.
const (
	Forwards Order = iota
	Backwards
	Abreast
	Shuffled
	Cut Order = 1000
)

// of lists the numbers from 0 to n-1 in an order.
func (o Order) of(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	switch {
	case o == Backwards, o > Cut && (o-Cut)%2 == 1:
		slices.Reverse(out)
	case o >= Shuffled && o < Cut:
		rand.New(rand.NewPCG(uint64(o), 0)).Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// Try plays the tests of a plan as its forms do and adds what the tested steps answer. An error of send ends the test
// that it happens in; the others are still played. Try returns the first such error, with the number of the others.
func (a *Answers) Try(p plan.Plan, in Order, send func(Request) (*exchange.Response, error)) error {
	t := &trial{run: fmt.Sprintf("r%x", time.Now().UnixNano()), plan: p, answers: a, send: send,
		shared: map[string]string{}, done: map[uint64]bool{}, refused: map[uint64]bool{}}
	a.trials++
	failed := make([]error, len(p.Tests))
	switch {
	case in == Abreast:
		t.turns(in, failed, func(int) int { return 1 })
	case in >= Cut:
		t.turns(in, failed, func(turn int) int { return []int{int(in-Cut) / 2, math.MaxInt}[turn] })
	default:
		for _, i := range in.of(len(p.Tests)) {
			for range t.test(p.Tests[i], &failed[i]) {
			}
		}
	}
	return firstOfTests(p, failed, in)
}

// turns plays all tests at once, in turns of so many requests; where it is cut, each turn goes
// the other way than the one before.
func (t *trial) turns(in Order, failed []error, requests func(turn int) int) {
	var playing []func() (struct{}, bool)
	for _, i := range in.of(len(failed)) {
		next, stop := iter.Pull(t.test(t.plan.Tests[i], &failed[i]))
		defer stop()
		playing = append(playing, next)
	}
	for turn := 0; len(playing) > 0; turn++ {
		playing = slices.DeleteFunc(playing, func(next func() (struct{}, bool)) bool {
			for range requests(turn) {
				if _, more := next(); !more {
					return true
				}
			}
			return false
		})
		if in >= Cut {
			slices.Reverse(playing)
		}
	}
}

// firstOfTests is the first error of tests that were played in an order, with the number of the others.
func firstOfTests(p plan.Plan, failed []error, in Order) error {
	var first error
	more := 0
	for _, i := range in.of(len(failed)) {
		switch err := failed[i]; {
		case err != nil && first == nil:
			first = fmt.Errorf("try %s: %w", p.Tests[i].Name, err)
		case err != nil:
			more++
		}
	}
	if more > 0 {
		return fmt.Errorf("%w (and %d more tests)", first, more)
	}
	return first
}

// trial is one playing of a plan.
type trial struct {
	run     string // what is another in each run
	plan    plan.Plan
	answers *Answers
	send    func(Request) (*exchange.Response, error)
	shared  map[string]string // what shared set-ups gave
	done    map[uint64]bool   // the shared set-ups that were sent
	refused map[uint64]bool   // those of them without which there is nothing to be tried
}

// test plays one test, and yields after each request. The error of the last request that could not be sent goes to
// failed.
func (t *trial) test(test plan.Test, failed *error) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		p := &played{trial: t, values: map[string]string{}, given: map[string]bool{}, gone: map[string]bool{}}
		for _, v := range t.plan.Bound {
			if p.values[v.Name] = t.fill(v.Recorded, nil); v.Fresh {
				p.values[v.Name] = t.run
			}
		}
		for _, s := range test.Steps {
			if !p.due(s) {
				continue
			}
			if err := p.step(s); err != nil {
				*failed, p.over = err, true
			}
			if !yield(struct{}{}) {
				return
			}
		}
	}
}

// played is a test that is being played.
type played struct {
	*trial
	values map[string]string // by name
	given  map[string]bool   // which of them its answers gave
	gone   map[string]bool   // which of them name what the test has taken away
	over   bool              // nothing is to be sent but what cleans up
}

// due reports whether a step is sent.
func (p *played) due(s plan.Step) bool {
	p.over = p.over || p.refused[s.Seq]
	switch {
	case s.Left != "", s.Once && p.done[s.Seq], p.over && s.Role != plan.CleanUp:
		return false
	}
	return s.Role != plan.CleanUp ||
		hasAll(p.given, s.Target) && !slices.ContainsFunc(s.Given, func(name string) bool { return p.gone[name] })
}

// step sends a step and notes its answer.
func (p *played) step(s plan.Step) error {
	maps.Copy(p.values, p.sharedNow())
	asked := p.request(s, p.values)
	answer, sent, err := p.ask(s, asked)
	if err != nil {
		return err
	}
	p.done[s.Seq] = s.Once
	for _, name := range s.Gone {
		p.gone[name] = plan.Gone(answer.Status)
	}
	for _, c := range s.Captures {
		if value, ok := p.value(answer, c, p.values[c.Name]); ok && answer.Status < 400 {
			p.values[c.Name], p.given[c.Name], p.gone[c.Name] = value, true, false
			if s.Once {
				p.shared[c.Name] = value
			}
		}
	}
	otherwise := len(s.Checks) > 0 && len(s.Checks[0].Statuses) > 0 && answer.Status != s.Checks[0].Statuses[0]
	switch {
	// an earlier trial made it, and nothing has taken it away
	case s.Single && otherwise && !slices.Contains(s.Checks[0].Statuses, answer.Status):
		p.refused[s.Seq], p.over = true, true
	case p.expired(s, answer):
		p.over = true
	default:
		p.answers.add(s, Answer{asRecorded(answer, p.run), sent.Add(p.answers.Ahead),
			time.Now().Add(p.answers.Ahead), p.answers.Host, maps.Clone(p.values), p.known(), p.answers.trials, asked})
		p.over = p.over || s.Ends && otherwise
	}
	return nil
}

// known are the values that answers gave.
func (p *played) known() map[string]string {
	out := maps.Clone(p.shared)
	for name := range p.given {
		out[name] = p.values[name]
	}
	return out
}

// asRecorded is an answer without what its run put into names.
func asRecorded(r *exchange.Response, run string) *exchange.Response {
	payload, err := r.Payload()
	if err != nil || !bytes.Contains(r.Head, []byte(run)) && !bytes.Contains(payload, []byte(run)) {
		return r
	}
	return exchange.ParseResponse(exchange.Message{Head: bytes.ReplaceAll(r.Head, []byte(run), nil),
		Body: bytes.ReplaceAll(payload, []byte(run), nil), Plain: true})
}

// sharedNow are the values that shared set-ups gave, of other tests since this one began too, but for those that the
// test itself was given.
func (p *played) sharedNow() map[string]string {
	out := maps.Clone(p.shared)
	maps.DeleteFunc(out, func(name, _ string) bool { return p.given[name] })
	return out
}

// unauthorized refuses a credential, or the lack of one (RFC 9110, section 15.5.2).
const unauthorized = 401

// expired reports whether an answer refuses a credential that has expired by a clock which was moved: that says nothing
// of the test.
func (t *trial) expired(s plan.Step, r *exchange.Response) bool {
	return t.answers.Ahead != 0 && r.Status == unauthorized && len(s.Checks) > 0 &&
		!slices.Contains(s.Checks[0].Statuses, r.Status)
}

// ask sends a step, again and again where it is waited for, and says when it did so last.
func (t *trial) ask(s plan.Step, asked Request) (*exchange.Response, time.Time, error) {
	for end := time.Now().Add(s.Wait.Most()); ; time.Sleep(s.Wait.Pause()) {
		sent := time.Now()
		answer, err := t.send(asked)
		if err != nil || s.Wait == nil || t.answers.vain[s.Seq] || reached(s.Wait, answer) {
			return answer, sent, err
		}
		if !time.Now().Before(end) || inVain(s.Wait, answer) {
			t.answers.waitedInVain(s.Seq)
			return answer, sent, nil
		}
	}
}

// reached reports whether an answer is what is waited for.
func reached(w *plan.Wait, r *exchange.Response) bool {
	missing := len(w.Values)
	compare.Walk(r, func(place exchange.Place, raw string) {
		if slices.ContainsFunc(w.Values, func(v plan.Awaited) bool { return v.Place == place && string(v.JSON) == raw }) {
			missing--
		}
	})
	return r.Status == w.Status && missing <= 0
}

// inVain reports whether an answer tells that what is waited for will not come.
func inVain(w *plan.Wait, r *exchange.Response) bool {
	return r.Status == w.Status && slices.ContainsFunc(w.InVain, func(v plan.Awaited) bool {
		raw, ok := compare.At(r, v.Place)
		return ok && raw == string(v.JSON)
	})
}

func (a *Answers) waitedInVain(seq uint64) {
	if a.vain == nil {
		a.vain = map[uint64]bool{}
	}
	a.vain[seq] = true
}

// hasAll reports whether all bound values of a text were given.
func hasAll(given map[string]bool, t plan.Text) bool {
	for _, p := range t {
		if p.Bound != "" && !given[p.Bound] {
			return false
		}
	}
	return true
}

// value is what a capture keeps of an answer. A value of a list is looked for in all of it first.
func (t *trial) value(r *exchange.Response, c plan.Capture, known string) (string, bool) {
	value, ok := message.Value(r, c.Place)
	if !c.Find || value == known {
		return value, ok
	}
	parts := strings.Split(string(c.Place), "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = exchange.Wildcard
		}
	}
	anywhere := exchange.Place(strings.Join(parts, "/"))
	compare.Walk(r, func(place exchange.Place, raw string) {
		if plan.TextOf(raw) == known && anywhere.Matches(place) {
			value, ok = known, true
		}
	})
	return value, ok
}

func (t *trial) request(s plan.Step, values map[string]string) Request {
	r := Request{Base: s.Base, Method: s.Method, Target: t.fill(s.Target, values)}
	for _, h := range s.Headers {
		r.Headers = append(r.Headers, [2]string{h.Name, t.fill(h.Value, values)})
	}
	if s.Body != nil {
		if r.Chunked = s.Body.Chunked; s.Body.Bytes != nil {
			r.Body = s.Body.Bytes
		} else {
			r.Body = []byte(t.fill(s.Body.Text, values))
		}
	}
	return r
}

func (t *trial) fill(text plan.Text, values map[string]string) string {
	return Filled(text, values, t.plan.Secrets)
}

// Filled writes a text with its values, by name, and its secrets, by token.
func Filled(text plan.Text, values, secrets map[string]string) string {
	var b strings.Builder
	for _, p := range text {
		value := p.Literal
		switch {
		case p.Bound != "":
			value = values[p.Bound]
		case p.Secret != "":
			value = secrets[p.Secret]
		}
		b.WriteString(p.Escape.Apply(value))
	}
	return b.String()
}

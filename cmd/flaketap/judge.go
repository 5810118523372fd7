package main

import (
	"fmt"
	"iter"
	"os"
	"os/user"
	"runtime/debug"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility"
)

// judged is a recording with everything that is known of it: what the writers of maps, suites and reports start from.
type judged struct {
	reading   // the exchanges are outlines, see [flow.Outliner]; they are there where the steps are
	recording exchange.Recording
	runs      []exchange.Run
	steps     []exchange.Step // of judgeSteps; those of repeat runs are left out
	Map       *volatility.Map
	redactor  exchange.Redactor
	holder    *store.Holder // who still writes into the recording; nil where nobody does
}

// judge reads the recording in a database with its runs, and judges them. What is named is secret beside what is known to
// be, see [exchange.Secrets]; rules are what the user says of bindings and of places. The recording is gone through several
// times, and never is more of it in memory than an outline of each exchange: none of its bodies.
func judge(path string, reveal bool, rules userRules, named ...string) (*judged, error) {
	return judgeRecording(path, reveal, false, rules, named)
}

// judgeSteps does what judge does, and keeps the steps in memory.
func judgeSteps(path string, reveal bool, rules userRules, named ...string) (*judged, error) {
	return judgeRecording(path, reveal, true, rules, named)
}

func judgeRecording(path string, reveal, keep bool, rules userRules, named []string) (*judged, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, noRecording(err)
	}
	defer db.Close()
	j := &judged{holder: db.Holder()}
	if j.recording, err = db.Recording(); err != nil {
		return nil, err
	}
	if j.recording.Count == 0 {
		return nil, fmt.Errorf("judge %s: the recording holds no exchange", path)
	}
	if j.runs, err = db.Runs(); err != nil {
		return nil, err
	}
	found, err := j.outline(db, rules.bindings, keep)
	if err != nil {
		return nil, err
	}
	secrets := exchange.Secrets{Named: named, Stored: j.recording.Redacted()}
	damage, err := j.learn(db, rules.bindings, found, &secrets)
	if err != nil {
		return nil, err
	}
	if len(j.exchanges) == 0 && len(damage) > 0 {
		return nil, fmt.Errorf("judge %s: %w", path, damage[0])
	}
	j.redactor = exchange.Redactor{Key: j.recording.Key, Known: secrets.Known(), Reveal: reveal}
	j.concealOperations()
	if !keep {
		j.exchanges = nil
	}
	j.Map, err = volatility.Judge(j.recording, j.runs, j.read(db, keep), j.operations, j.bindings,
		volatility.Options{Redactor: j.redactor, Environment: environment()})
	if err != nil {
		return nil, err
	}
	for _, d := range damage {
		j.Map.Warnings = append(j.Map.Warnings, d.Error())
	}
	if j.redactor.Known.Full() {
		j.Map.Warnings = append(j.Map.Warnings, "too many secrets to know them all: some may be shown where nothing names them as such")
	}
	j.obey(rules.places)
	return j, nil
}

// outline goes over the exchanges, and finds what goes from one to another.
func (j *judged) outline(db *store.Store, rules flow.Rules, keep bool) ([]exchange.Binding, error) {
	var outliner flow.Outliner
	outlines := func(yield func(outlined, error) bool) {
		for e, err := range undamaged(db.Exchanges(), ignore) { // learn tells of damage
			o := outlined{whole: e}
			if err == nil {
				o.outline = outliner.Outline(e)
			}
			if !yield(o, err) {
				return
			}
		}
	}
	binder := flow.NewBinderWith(rules)
	for o, err := range ahead.Of(outlines, func(o outlined) int { return exchangeSize(o.whole) }) {
		if err != nil {
			return nil, err
		}
		binder.Add(o.whole)
		j.exchanges = append(j.exchanges, o.outline)
		spare(len(j.exchanges), keep)
	}
	return binder.Bindings(), nil
}

// outlined is an exchange with its outline, see [flow.Outliner].
type outlined struct{ whole, outline *exchange.Exchange }

// The bounds on how much more memory is used than is needed, in per cent.
const (
	leastSpare = 40
	mostSpare  = 150
	spareFor   = 5_000_000 // per cent times exchanges: what is kept of each adds up
)

// spare has memory collected the sooner the more exchanges there are, called with each number of them. Few need little,
// and would have it collected all the time; where steps are kept, what they hold is not known.
func spare(exchanges int, keep bool) {
	switch {
	case keep && exchanges == manySteps:
		debug.SetGCPercent(leastSpare)
	case !keep && exchanges&(exchanges-1) == 0:
		debug.SetGCPercent(min(max(spareFor/exchanges, leastSpare), mostSpare))
	}
}

// learn goes over the steps for what has to be known before any is judged: which bindings the runs refuse, and the
// secrets. It returns what cannot be read.
func (j *judged) learn(db *store.Store, rules flow.Rules, found []exchange.Binding, secrets *exchange.Secrets) (damage []*store.DamageError, err error) {
	steps := func(yield func(exchange.Step, error) bool) {
		read := undamaged(db.Steps(), func(d *store.DamageError) { damage = append(damage, d) })
		for s, err := range ahead.Of(read, stepSize) {
			if err == nil {
				secrets.Step(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
	var proofs []flow.Proof
	if len(j.runs) > 0 && len(found) > 0 {
		proofs, err = flow.Prove(found, j.runs, ahead.Of(steps, stepSize))
	} else {
		for _, err = range steps {
			if err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	j.bindings = flow.Kept(found, proofs)
	j.operations = rules.Operations(j.exchanges, j.bindings)
	return damage, nil
}

func ignore(*store.DamageError) {}

// exchangeSize is how many bytes of memory the messages of an exchange take, about.
func exchangeSize(e *exchange.Exchange) int {
	size := len(e.Request.Head) + len(e.Request.Body)
	if e.Response != nil {
		size += len(e.Response.Head) + len(e.Response.Body)
	}
	return size
}

func stepSize(s exchange.Step) int {
	size := exchangeSize(s.Exchange)
	for _, o := range s.Observations {
		size += len(o.Sent.Head) + len(o.Sent.Body)
		if o.Response != nil {
			size += len(o.Response.Head) + len(o.Response.Body)
		}
	}
	return size
}

// read yields the steps that can be read. Where they are kept, they are without the observations of repeat runs: what
// is kept tells what the API answers to the recorded requests, one after the other.
func (j *judged) read(db *store.Store, keep bool) iter.Seq2[exchange.Step, error] {
	repeat := map[int]bool{}
	for _, r := range j.runs {
		repeat[r.Number] = r.Kind == exchange.RunRepeat
	}
	return func(yield func(exchange.Step, error) bool) {
		for s, err := range undamaged(db.Steps(), ignore) {
			if keep && err == nil {
				kept := s
				kept.Observations = slices.DeleteFunc(slices.Clone(s.Observations), func(o *exchange.Observation) bool { return repeat[o.Run] })
				j.steps = append(j.steps, kept)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// environment names what belongs to this machine, where the API under test commonly runs too.
func environment() []string {
	var out []string
	if host, err := os.Hostname(); err == nil {
		out = append(out, host)
	}
	if u, err := user.Current(); err == nil {
		out = append(out, u.Username)
	}
	return append(out, os.TempDir())
}

package main

import (
	"fmt"
	"iter"
	"os"
	"os/user"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility"
)

// judged is a recording with everything that is known of it: what the writers of maps, suites and reports start from.
type judged struct {
	reading
	recording exchange.Recording
	steps     []exchange.Step
	Map       *volatility.Map
	redactor  exchange.Redactor
	holder    *store.Holder // who still writes into the recording; nil where nobody does
}

// judge reads the recording in a database with its runs, and judges them. What is named is secret beside what is known to
// be, see [exchange.Secrets]; rules are what the user says of bindings.
func judge(path string, reveal bool, rules flow.Rules, named ...string) (*judged, error) {
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
	runs, err := db.Runs()
	if err != nil {
		return nil, err
	}
	secrets := exchange.Secrets{Named: named, Stored: j.recording.Redacted()}
	var damage []*store.DamageError
	note := func(d *store.DamageError) { damage = append(damage, d) }
	for s, err := range undamaged(db.Steps(), note) {
		if err != nil {
			return nil, err
		}
		secrets.Step(s)
		j.steps = append(j.steps, s)
		j.exchanges = append(j.exchanges, s.Exchange)
	}
	if len(j.steps) == 0 && len(damage) > 0 {
		return nil, fmt.Errorf("judge %s: %w", path, damage[0])
	}
	if err := j.trace(rules, runs, each(j.steps)); err != nil {
		return nil, err
	}
	j.redactor = exchange.Redactor{Key: j.recording.Key, Known: secrets.Known(), Reveal: reveal}
	j.concealOperations()
	j.Map, err = volatility.Judge(j.recording, runs, each(j.steps), j.operations, j.bindings,
		volatility.Options{Redactor: j.redactor, Environment: environment()})
	j.dropRepeats(runs)
	if err != nil {
		return nil, err
	}
	for _, d := range damage {
		j.Map.Warnings = append(j.Map.Warnings, d.Error())
	}
	if j.redactor.Known.Full() {
		j.Map.Warnings = append(j.Map.Warnings, "too many secrets to know them all: some may be shown where nothing names them as such")
	}
	return j, nil
}

// dropRepeats leaves only those observations in the steps that tell what the API answers to the recorded requests, one
// after the other. What repeat runs tell is in the map.
func (j *judged) dropRepeats(runs []exchange.Run) {
	repeat := map[int]bool{}
	for _, r := range runs {
		repeat[r.Number] = r.Kind == exchange.RunRepeat
	}
	for i := range j.steps {
		s := &j.steps[i]
		s.Observations = slices.DeleteFunc(s.Observations, func(o *exchange.Observation) bool { return repeat[o.Run] })
	}
}

// each yields the steps as the judge wants them.
func each(steps []exchange.Step) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
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

package analysis

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Beside is a recording of the same client that was put beside those that were judged: no judgement rests on it.
type Beside struct {
	Run int // its number among the runs of the result
	// Added are its exchanges that the judged recording has no counterpart of, and Operations what they are requests
	// of: those that the map knows alone.
	Added      []*exchange.Exchange
	Operations map[uint64]exchange.Operation // by Seq
}

// PutBeside adds a recording in another database file to the result, whose steps were kept, as a further run: its
// number is the last one, and its answers stand behind the observations of each step. The map says nothing of it. It
// refuses what [JudgeAll] refuses, and a recording of which no request is one of those judged.
func (r *Result) PutBeside(path string) (*Beside, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		return nil, err
	}
	switch {
	case rec.Count == 0:
		return nil, fmt.Errorf("read run %s: it contains no exchanges", path)
	case bytes.Equal(rec.Key, r.Recording.Key):
		return nil, fmt.Errorf("read run %s: it is the recording that it is to be compared with", path)
	case rec.Redacted() || r.Recording.Redacted():
		return nil, fmt.Errorf("read run %s: tokens stand in the place of secrets, other ones in each recording: "+
			"record without --redact-at-rest", path)
	}
	var now []*exchange.Exchange
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		r.secrets.Exchange(e)
		now = append(now, e)
	}
	r.Redactor.Known = r.secrets.Known()
	return r.beside(filepath.Base(path), rec, now)
}

// beside aligns the exchanges of a further recording with the steps.
func (r *Result) beside(name string, rec exchange.Recording, now []*exchange.Exchange) (*Beside, error) {
	recorded := make([]*exchange.Exchange, len(r.Steps))
	at := map[uint64]int{}
	for i, s := range r.Steps {
		recorded[i], at[s.Exchange.Seq] = s.Exchange, i
	}
	first, last := rec.Passes[0], rec.Passes[len(rec.Passes)-1]
	run := exchange.Run{Number: 1, Kind: exchange.RunClient, Label: cmp.Or(first.Label, name), Started: rec.Started,
		Ended: last.Ended, Target: first.Target, Conditions: exchange.Conditions{Start: first.Start}}
	if n := len(r.Runs); n > 0 {
		run.Number = r.Runs[n-1].Number + 1
	}
	out := &Beside{Run: run.Number}
	for _, p := range align.Exchanges(recorded, now) {
		switch e := p.Run; {
		case e == nil:
			run.Lost++
		case p.Recorded == nil:
			run.Added++
			out.Added = append(out.Added, e)
		default:
			run.Steps++
			s := &r.Steps[at[p.Recorded.Seq]]
			s.Observations = append(s.Observations, &exchange.Observation{Run: run.Number, Seq: p.Recorded.Seq, Start: e.Start,
				Latency: e.Latency, Sent: e.Request, Response: e.Response, Fault: e.Fault})
		}
	}
	if run.Steps == 0 {
		return nil, fmt.Errorf("read run %s: none of its requests is one of those judged", name)
	}
	r.Runs = append(r.Runs, run)
	out.Operations = r.operationsOf(out.Added)
	return out, nil
}

// operationsOf says which requests are of an operation that the map knows.
func (r *Result) operationsOf(added []*exchange.Exchange) map[uint64]exchange.Operation {
	var outliner flow.Outliner
	outlines := make([]*exchange.Exchange, len(added))
	for i, e := range added {
		outlines[i] = outliner.Outline(e)
	}
	out := r.rules.Operations(outlines, nil)
	in := operationsIn(r.Map)
	for _, e := range added {
		out[e.Seq] = in(e, out[e.Seq])
	}
	return out
}

// operationsIn tells the operation that a map has for an exchange: the one of its name, else the one with the fewest
// parameters whose template its path fits, else the name itself.
func operationsIn(m *mapfile.Map) func(e *exchange.Exchange, name exchange.Operation) exchange.Operation {
	known := map[exchange.Operation]bool{}
	for _, op := range m.Operations {
		known[op.Operation] = true
	}
	return func(e *exchange.Exchange, name exchange.Operation) exchange.Operation {
		if known[name] {
			return name
		}
		found, fewest := name, -1
		for _, op := range m.Operations {
			if n := strings.Count(op.Template, "{"); op.Host == name.Host && (fewest < 0 || n < fewest) &&
				isOf(&e.Request, op.Operation) {
				found, fewest = op.Operation, n
			}
		}
		return found
	}
}

// JudgedBy opens the recording in a database file, keeps its steps, and puts a map that was written before in the
// place of its judgement: what the recording shows is held against the map alone.
func JudgedBy(path string, m *mapfile.Map, o Options) (*Result, error) {
	r, err := JudgeWithSteps(path, o)
	if err != nil {
		return nil, err
	}
	r.Map = m
	in := operationsIn(m)
	for _, s := range r.Steps {
		r.Operations[s.Exchange.Seq] = in(s.Exchange, r.Operations[s.Exchange.Seq])
	}
	return r, nil
}

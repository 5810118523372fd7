package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/store"
)

// mark gives the runs of a plan what they are recognised by, should they have to be resumed.
func (p *plan) mark(now time.Time) {
	id := strconv.FormatInt(now.UnixNano(), 36)
	for i := range p.runs {
		r := &p.runs[i].run
		r.Plan, r.Part, r.Parts = id, i+1, len(p.runs)
	}
}

// resume takes off a plan the runs that were finished before the last replay was stopped, and has the one that was cut
// off go on.
func (p *plan) resume(stored []exchange.Run, player *replay.Player) error {
	id, parts := "", 0
	for _, r := range stored {
		if r.Plan != "" {
			id, parts = r.Plan, r.Parts
		}
	}
	switch {
	case id == "":
		return errors.New("there is no interrupted replay to resume")
	case parts != len(p.runs):
		return console.Advise(fmt.Errorf("the interrupted replay had %s, but these flags plan %d",
			console.Count(parts, "run"), len(p.runs)), sameFlags)
	}
	finished := map[int]bool{}
	cut := map[int]exchange.Run{}
	for _, r := range stored {
		if r.Plan != id || r.Part < 1 || r.Part > parts {
			continue
		}
		own := &p.runs[r.Part-1].run
		if own.Kind != r.Kind || !slices.Equal(own.Conditions.Perturb, r.Conditions.Perturb) {
			return console.Advise(fmt.Errorf("run %d of the interrupted replay was of a different kind than these flags plan",
				r.Part), sameFlags)
		}
		if err := p.runs[r.Part-1].unlike(r, player); err != nil {
			return console.Advise(fmt.Errorf("run %d of the interrupted replay %w", r.Part, err), sameFlags)
		}
		if r.Ended.IsZero() {
			cut[r.Part] = r
		} else {
			finished[r.Part] = true
		}
	}
	for i := range p.runs {
		run := &p.runs[i].run
		run.Plan, run.Part, run.Parts = id, i+1, parts
		if r, is := cut[i+1]; is {
			p.runs[i].resumed = &r
		}
	}
	p.runs = slices.DeleteFunc(p.runs, func(r planned) bool { return finished[r.run.Part] })
	return nil
}

// unlike says in what a stored run of a plan was played otherwise than a player is going to play it: half of a run
// against one API and half against another, or runs that begin otherwise than those before them, say nothing of either.
// Where flaketap runs the API itself, its port may be another in each run.
func (r *planned) unlike(stored exchange.Run, p *replay.Player) error {
	defer r.Apply(p)()
	if r.order != nil { // as playOrder does
		p.Workers, p.Pace = 0, 0
	}
	now := exchange.Run{Conditions: exchange.Conditions{Start: r.run.Conditions.Start}}
	state(&now, p)
	was, is := stored.Conditions, now.Conditions
	switch {
	case was.Start != is.Start:
		return fmt.Errorf("began %s, but with these flags it begins %s", was.Start, is.Start)
	case was.Workers != is.Workers:
		return fmt.Errorf("had %s, but these flags give it %d",
			console.Count(max(was.Workers, 1), "worker"), max(is.Workers, 1))
	case was.Pace != is.Pace:
		return fmt.Errorf("had the pace %s, but these flags give it %s", cmp.Or(was.Pace, "asap"), cmp.Or(is.Pace, "asap"))
	case p.Service == nil && stored.Target != now.Target:
		return fmt.Errorf("went to %s, but these flags send it to %s",
			cmp.Or(stored.Target, recordedPlace), cmp.Or(now.Target, recordedPlace))
	}
	return nil
}

// observed counts the steps that have an observation. Some have several, which a run counts one by one.
func observed(steps iter.Seq2[exchange.Step, error]) (n int, err error) {
	for step, err := range steps {
		if err != nil {
			return n, err
		}
		if len(step.Observations) > 0 {
			n++
		}
	}
	return n, nil
}

// explained reports whether the command line says already what to do about an error.
func explained(err error) bool {
	return console.Advice(err) != "" || strings.Contains(err.Error(), "x509: ") ||
		errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, fs.ErrPermission)
}

// resumable adds to the error that ended a run how to go on, where something was stored that can be gone on with. The
// looks of --bound are no part of a plan: they follow it, and are taken again.
func resumable(db *store.Store, run exchange.Run, err error) error {
	runs, rerr := db.Runs()
	if err == nil || rerr != nil || explained(err) {
		return err
	}
	for _, r := range slices.Backward(runs) {
		switch {
		case r.Plan == "":
		case run.Plan == "":
			return console.Advise(err, "--resume with the same flags repeats that part")
		case r.Plan == run.Plan:
			return console.Advise(err, "--resume with the same flags continues it")
		}
	}
	return err
}

const recordedPlace = "where it was recorded"

const sameFlags = "give --resume the same flags as then, or begin anew without it"

// goOn has a player go on with a run that was cut off, where the API still has what the first part did to it. One that
// flaketap runs itself has not, a recording without secrets does not tell what to carry over, and one that was played
// in another order is played as a whole: those are played anew.
func (r *planned) goOn(db *store.Store, p *replay.Player, redacted bool) bool {
	if r.resumed == nil || p.Service != nil || p.ResetEach || redacted || r.order != nil {
		return false
	}
	p.Earlier = db.RunSteps(r.resumed.Number)
	return true
}

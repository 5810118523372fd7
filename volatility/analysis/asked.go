package analysis

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Asking is what the API asked external services for, so that what it asked for one exchange can be compared from run
// to run.
type Asking struct {
	// For has, by the Seq of an external, that of the exchange that it was asked for: of the recording, or of its
	// counterpart in the run.
	For      map[uint64]uint64
	ByClient map[int]bool // the runs in which the client itself sent
}

// Asked says what the API asked services for, in the recording and in runs.
//
// Left out is what is not known; runs in which something was perturbed, or requests were repeated; and, of runs of the
// client itself, exchanges that it sent otherwise than then. Nothing is in it where no run is left, and where tokens
// stand for secrets, of which nobody knows whether they moved.
func Asked(db *store.Store) (a Asking, err error) {
	recording, err := db.Recording()
	if err != nil {
		return a, err
	}
	runs, err := db.Runs()
	if err != nil {
		return a, err
	}
	counts := map[int]bool{0: true}
	a.ByClient = map[int]bool{}
	for _, r := range runs {
		if len(r.Conditions.Perturb) == 0 && (r.Kind == exchange.RunReplay || r.Kind == exchange.RunClient) {
			counts[r.Number], a.ByClient[r.Number] = true, r.Kind == exchange.RunClient
		}
	}
	if len(counts) == 1 || recording.Redacted() {
		return a, nil
	}
	all, err := causesOf(db)
	if err != nil {
		return a, err
	}
	otherwise, err := sentOtherwise(db, a.ByClient)
	if err != nil {
		return a, err
	}
	a.For = map[uint64]uint64{}
	for _, x := range all {
		if x.cause != 0 && counts[x.run] && !otherwise[sending{x.cause, x.run}] {
			a.For[x.sent.Seq] = x.cause
		}
	}
	return a, nil
}

// sending is the counterpart of an exchange in a run.
type sending struct {
	seq uint64
	run int
}

// sentOtherwise returns what the client sent otherwise in runs of its own than in the recording.
func sentOtherwise(db source, byClient map[int]bool) (map[sending]bool, error) {
	out := map[sending]bool{}
	if !slices.Contains(slices.Collect(maps.Values(byClient)), true) {
		return out, nil
	}
	for s, err := range store.Readable(db.Steps(), nil) {
		if err != nil {
			return nil, err
		}
		was := exchange.Exact(s.Exchange)
		for _, o := range s.Observations {
			sent := exchange.Exchange{Target: s.Exchange.Target, Request: o.Sent}
			if byClient[o.Run] && exchange.Exact(&sent) != was {
				out[sending{o.Seq, o.Run}] = true
			}
		}
	}
	return out, nil
}

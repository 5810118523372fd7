package triage

import (
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Sources are the files that a CI run is judged by. Earlier or Map is needed.
type Sources struct {
	Run     string       // the recording of the run; "" for none
	Earlier []string     // those of earlier runs
	Last    int          // how many of these count, the newest; 0 for all
	Map     *mapfile.Map // that was written earlier; nil for none
}

// Open judges the recordings, and puts that of the run beside them, for results that are read already.
func Open(f *flaky.Input, s Sources, o analysis.Options) (*Input, error) {
	in := &Input{Flaky: f, Basis: Basis{Map: s.Map != nil, Recorded: s.Run != ""}}
	run := flaky.NotKnown
	var err error
	switch {
	case len(s.Earlier) > 0:
		if f.Judged, err = analysis.JudgeAllWithSteps(s.Earlier, s.Last, o); err != nil {
			return nil, err
		}
		in.Basis.Executions = 1 + len(f.Judged.Runs)
		if s.Map != nil {
			f.Judged.Map.Remember(s.Map)
		}
		if s.Run == "" {
			break
		}
		if in.Beside, err = f.Judged.PutBeside(s.Run); err != nil {
			return nil, err
		}
		run, f.Added = in.Beside.Run, in.Beside.Added
	case s.Run != "":
		if f.Judged, err = analysis.JudgedBy(s.Run, s.Map, o); err != nil {
			return nil, err
		}
		run, in.Alone = 0, true
	default:
		f.Judged = &analysis.Result{Map: s.Map}
	}
	for i := range f.Results {
		f.Results[i].Run = run
	}
	return in, nil
}

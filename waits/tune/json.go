package tune

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/volatility/confidence"
	"github.com/flaketap/flaketap/waits/suggest"
)

// The JSON of an answer; docs/waits.md describes it.
type (
	answerJSON struct {
		Version     int          `json:"version"`
		File        string       `json:"file"`
		Line        int          `json:"line"`
		Kind        string       `json:"kind"`
		Form        string       `json:"form"`
		Millis      float64      `json:"ms"`
		Written     string       `json:"written"`
		Test        string       `json:"test,omitempty"`
		Against     float64      `json:"against_ms"`
		Named       bool         `json:"named"`
		Validations int          `json:"validations"`
		Screen      int          `json:"screen"`
		Workers     int          `json:"workers"`
		Runs        int          `json:"runs"`
		Strategies  []resultJSON `json:"strategies"`
		Best        string       `json:"best"`
		Interrupted bool         `json:"interrupted"`
		Patch       string       `json:"patch"`
	}
	resultJSON struct {
		Strategy string      `json:"strategy"`
		Unusable string      `json:"unusable,omitempty"`
		Millis   float64     `json:"ms"`
		Written  string      `json:"written"`
		Holds    bool        `json:"holds"`
		Passed   int         `json:"passed"`
		Failed   bool        `json:"failed"`
		Words    string      `json:"words,omitempty"`
		Bound    float64     `json:"bound"`
		Runs     int         `json:"runs"`
		Saves    float64     `json:"saves_ms"`
		Took     float64     `json:"run_ms"`
		Evidence string      `json:"evidence,omitempty"`
		Tried    []tallyJSON `json:"tried"`
	}
	tallyJSON struct {
		Millis float64 `json:"ms"`
		Passed int     `json:"passed"`
		Failed bool    `json:"failed"`
	}
)

// WriteJSON writes an answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error {
	out := answerJSON{Version: 1, File: filepath.ToSlash(a.Wait.File), Line: a.Wait.Line, Kind: string(a.Wait.Kind),
		Form: a.Wait.Form, Millis: suggest.Millis(a.Wait.Time), Written: a.Wait.Expr, Test: a.Wait.Test,
		Against: suggest.Millis(a.High),
		Named:   a.High > 0 && a.Suggestion == nil, Validations: a.Validations, Screen: a.Screen,
		Workers: a.Workers, Runs: a.Runs,
		Strategies: []resultJSON{}, Interrupted: a.Interrupted, Patch: string(a.Patch())}
	if best := a.Best(); best != nil {
		out.Best = best.Strategy
	}
	for i := range a.Results {
		out.Strategies = append(out.Strategies, a.Results[i].json(a.Validations))
	}
	if err := outfile.JSON(w, out); err != nil {
		return fmt.Errorf("write times: %w", err)
	}
	return nil
}

func (r *Result) json(validations int) resultJSON {
	out := resultJSON{Strategy: r.Strategy, Unusable: r.Unusable, Millis: suggest.Millis(r.Time), Written: r.Written,
		Holds: r.Holds(validations), Passed: r.Passed, Failed: r.Failed, Words: r.Words, Bound: 1, Runs: r.Runs,
		Saves: suggest.Millis(r.Saves), Took: suggest.Millis(r.Took.Round(time.Millisecond)), Evidence: r.Evidence,
		Tried: []tallyJSON{}}
	if !r.Failed {
		out.Bound = confidence.Bound(0, r.Passed)
	}
	for _, t := range r.Tried {
		out.Tried = append(out.Tried, tallyJSON{suggest.Millis(t.Value), t.Passed, t.Failed})
	}
	return out
}

package tune

import (
	"encoding/json"
	"errors"
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
	// Report is the answer.
	Report struct {
		Flaketap    string     `json:"flaketap"` // "waits-tune"
		Version     int        `json:"version"`
		File        string     `json:"file"`
		Line        int        `json:"line"`
		Kind        string     `json:"kind"`
		Form        string     `json:"form"`
		Millis      float64    `json:"ms"`
		Written     string     `json:"written"`
		Test        string     `json:"test,omitempty"`
		Against     float64    `json:"against_ms"`
		Named       bool       `json:"named"`
		Validations int        `json:"validations"`
		Screen      int        `json:"screen"`
		Workers     int        `json:"workers"`
		Runs        int        `json:"runs"`
		Strategies  []Strategy `json:"strategies"`
		Best        string     `json:"best"`
		Interrupted bool       `json:"interrupted"`
		Patch       string     `json:"patch"`
	}
	// Strategy is what came of one.
	Strategy struct {
		Strategy string  `json:"strategy"`
		Unusable string  `json:"unusable,omitempty"`
		Millis   float64 `json:"ms"`
		Written  string  `json:"written"`
		Holds    bool    `json:"holds"`
		Passed   int     `json:"passed"`
		Failed   bool    `json:"failed"`
		Words    string  `json:"words,omitempty"`
		Bound    float64 `json:"bound"`
		Runs     int     `json:"runs"`
		Saves    float64 `json:"saves_ms"`
		Took     float64 `json:"run_ms"`
		Evidence string  `json:"evidence,omitempty"`
		Tried    []Tried `json:"tried"`
	}
	// Tried is what came of one time.
	Tried struct {
		Millis float64 `json:"ms"`
		Passed int     `json:"passed"`
		Failed bool    `json:"failed"`
	}
)

// format is what the JSON of an answer says that it is.
const format = "waits-tune"

// ReadReport reads an answer, as WriteJSON wrote it.
func ReadReport(data []byte) (*Report, error) {
	r := &Report{}
	switch err := json.Unmarshal(data, r); {
	case err != nil:
		return nil, fmt.Errorf("read times: %w", err)
	case r.Flaketap != format:
		return nil, errors.New("read times: this is no JSON of flaketap waits tune")
	case r.Version != 1:
		return nil, fmt.Errorf("read times: they are of version %d, and this flaketap reads version 1", r.Version)
	}
	return r, nil
}

// WriteJSON writes an answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error {
	out := Report{Flaketap: format, Version: 1, File: filepath.ToSlash(a.Wait.File), Line: a.Wait.Line,
		Kind: string(a.Wait.Kind), Form: a.Wait.Form, Millis: suggest.Millis(a.Wait.Time), Written: a.Wait.Expr,
		Test:    a.Wait.Test,
		Against: suggest.Millis(a.High),
		Named:   a.High > 0 && a.Suggestion == nil, Validations: a.Validations, Screen: a.Screen,
		Workers: a.Workers, Runs: a.Runs,
		Strategies: []Strategy{}, Interrupted: a.Interrupted, Patch: string(a.Patch())}
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

func (r *Result) json(validations int) Strategy {
	out := Strategy{Strategy: r.Strategy, Unusable: r.Unusable, Millis: suggest.Millis(r.Time), Written: r.Written,
		Holds: r.Holds(validations), Passed: r.Passed, Failed: r.Failed, Words: r.Words, Bound: 1, Runs: r.Runs,
		Saves: suggest.Millis(r.Saves), Took: suggest.Millis(r.Took.Round(time.Millisecond)), Evidence: r.Evidence,
		Tried: []Tried{}}
	if !r.Failed {
		out.Bound = confidence.Bound(0, r.Passed)
	}
	for _, t := range r.Tried {
		out.Tried = append(out.Tried, Tried{suggest.Millis(t.Value), t.Passed, t.Failed})
	}
	return out
}

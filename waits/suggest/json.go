package suggest

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/waits"
)

// The JSON of an answer; docs/waits.md describes it.
type (
	answerJSON struct {
		Version int        `json:"version"`
		Waits   []waitJSON `json:"waits"`
		Lacks   []string   `json:"lacks"`
	}
	waitJSON struct {
		File        string           `json:"file"`
		Line        int              `json:"line"`
		Kind        string           `json:"kind"`
		Form        string           `json:"form"`
		Millis      float64          `json:"ms"`
		Written     string           `json:"written"`
		Constant    string           `json:"constant,omitempty"`
		Test        string           `json:"test,omitempty"`
		Failed      *failedJSON      `json:"failed,omitempty"`
		Asked       bool             `json:"asked"`
		Suggestions []suggestionJSON `json:"suggestions"`
	}
	failedJSON struct {
		Test string `json:"test"`
		Runs int    `json:"runs"`
		Of   int    `json:"of"`
		Line int    `json:"line,omitempty"`
	}
	suggestionJSON struct {
		Millis     float64      `json:"ms"`
		Constant   string       `json:"constant,omitempty"`
		Similarity float64      `json:"similarity"`
		Sources    []sourceJSON `json:"sources"`
	}
	sourceJSON struct {
		Why        string  `json:"why"`
		File       string  `json:"file,omitempty"`
		Line       int     `json:"line,omitempty"`
		Written    string  `json:"written"`
		Similarity float64 `json:"similarity"`
		Commit     string  `json:"commit,omitempty"`
		Subject    string  `json:"subject,omitempty"`
		From       float64 `json:"from_ms,omitempty"`
	}
)

// WriteJSON writes an answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error {
	out := answerJSON{Version: 1, Waits: make([]waitJSON, 0, len(a.Waits)), Lacks: append([]string{}, a.Lacks...)}
	for i := range a.Waits {
		out.Waits = append(out.Waits, a.Waits[i].json())
	}
	if err := outfile.JSON(w, out); err != nil {
		return fmt.Errorf("write waits: %w", err)
	}
	return nil
}

func (x *Wait) json() waitJSON {
	out := waitJSON{File: filepath.ToSlash(x.File), Line: x.Line, Kind: string(x.Kind), Form: x.Form,
		Millis: Millis(x.Time), Written: x.Expr, Constant: x.Name, Test: x.Test, Asked: x.Asked,
		Suggestions: []suggestionJSON{}}
	if x.Failed.Times > 0 {
		out.Failed = &failedJSON{x.Failed.Test, x.Failed.Times, x.Failed.Of, x.Failed.Line}
	}
	for _, s := range x.Suggestions {
		one := suggestionJSON{Millis: Millis(s.Time), Constant: s.Name, Similarity: rounded(s.Similarity)}
		for _, source := range s.Sources {
			one.Sources = append(one.Sources, sourceOf(source))
		}
		out.Suggestions = append(out.Suggestions, one)
	}
	return out
}

func sourceOf(s waits.Source) sourceJSON {
	out := sourceJSON{Why: string(s.Why), File: filepath.ToSlash(s.File), Line: s.Line, Written: s.Text,
		Similarity: rounded(s.Similarity), From: Millis(s.From)}
	if s.Commit != nil {
		out.Commit, out.Subject = s.Commit.Hash, s.Commit.Subject
	}
	return out
}

// Millis is a time as the JSON of waits has it: in milliseconds, with their fractions.
func Millis(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }

func rounded(f float64) float64 { return float64(int(f*1000+0.5)) / 1000 }

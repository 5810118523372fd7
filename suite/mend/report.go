package mend

import (
	"io"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/script"
)

// Report is the JSON of --report; docs/patching.md describes it.
type Report struct {
	Flaketap string       `json:"flaketap"`
	Version  int          `json:"version"`
	Files    []FileReport `json:"files"`
}

// FileReport is what became of one file. Kept, weakened, rebound and disabled are assertions, and add up with what is
// unknown and kept to Assertions; added are assertions too, which the suite lacked; mended, skipped and grafted count
// changes of tests.
type FileReport struct {
	File       string           `json:"file"`
	Tests      int              `json:"tests"`
	Calls      int              `json:"calls"`
	Matched    int              `json:"matched"`
	Assertions int              `json:"assertions"`
	Kept       int              `json:"kept"`
	Unseen     int              `json:"unseen"`
	Weakened   int              `json:"weakened"`
	Rebound    int              `json:"rebound"`
	Disabled   int              `json:"disabled"`
	Mended     int              `json:"mended"`
	Skipped    int              `json:"skipped"`
	Grafted    int              `json:"grafted"`
	Renewed    int              `json:"renewed"`
	Awaited    int              `json:"awaited"`
	Added      int              `json:"added"`
	Changes    []ChangeReport   `json:"changes"`
	Unknown    []UnknownReport  `json:"unknown"`
	NotJudged  []UnknownReport  `json:"not_judged"` // no answer to them can be read
	Unwaited   []UnwaitedReport `json:"unwaited"`   // reads that came too early, and are not sent again
	// the tests that fail for what was there before them, and are not given that back
	Unhelped []UnhelpedReport `json:"unhelped"`
	// the tests that no execution came to the end of
	Unreached []UnreachedReport `json:"unreached"`
}

// ChangeReport is one change.
type ChangeReport struct {
	Line     int            `json:"line"`
	Test     string         `json:"test"`
	Kind     string         `json:"kind"`
	Place    exchange.Place `json:"place"`
	Category string         `json:"category"`
	Failed   int            `json:"failed"`
	Of       int            `json:"of"`
	Reason   string         `json:"reason"`
	Before   string         `json:"before"`
	After    string         `json:"after"`
	// Leaves are the paths of what a set-up makes each time that it is sent, and does not take away.
	Leaves []string `json:"leaves,omitempty"`
}

// UnknownReport is an assertion that is kept without a judgement: it is of no known form, or what it looks at cannot be
// read.
type UnknownReport struct {
	Line   int    `json:"line"`
	Test   string `json:"test"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// UnwaitedReport is a read that came too early in some executions, and at which no wait can be written.
type UnwaitedReport struct {
	Line   int    `json:"line"`
	Test   string `json:"test"`
	Failed int    `json:"failed"`
	Of     int    `json:"of"`
	Reason string `json:"reason"` // no wait is written
}

// UnhelpedReport is a test that is not given back what it depends on.
type UnhelpedReport struct {
	Test     string   `json:"test"`
	Reason   string   `json:"reason"`
	Requests []string `json:"requests"` // of the session, that it would take, as far as they are known
}

// WriteReport writes what [Round.Patch] changed, and why, as JSON: a [Report].
func (r *Round) WriteReport(w io.Writer) error {
	out := Report{Flaketap: "patch-report", Version: 1, Files: []FileReport{}}
	for _, f := range r.patched {
		file := f.report(r.o.Source.Redactor)
		for _, u := range r.unhelped {
			if u.file == f.path {
				file.Unhelped = append(file.Unhelped, u.report(r.o.Source.Redactor))
			}
		}
		out.Files = append(out.Files, file)
	}
	return outfile.JSON(w, out)
}

func (u *unhelped) report(redactor exchange.Redactor) UnhelpedReport {
	out := UnhelpedReport{Test: u.test, Reason: redactor.Show("", u.why), Requests: []string{}}
	for _, request := range u.takes {
		out.Requests = append(out.Requests, redactor.Show("", request))
	}
	return out
}

func (f *patchedFile) report(redactor exchange.Redactor) FileReport {
	show := func(s string) string { return redactor.Show("", s) }
	out := FileReport{File: f.name, Tests: f.Tests, Calls: f.Calls, Matched: f.Matched, Assertions: f.Assertions,
		Kept:   f.Kept,
		Unseen: f.Unseen, Changes: []ChangeReport{}, Unwaited: []UnwaitedReport{}, Unhelped: []UnhelpedReport{},
		Unreached: append([]UnreachedReport{}, f.unreached...)}
	counts := map[suite.ChangeKind]*int{suite.Weakened: &out.Weakened, suite.Rebound: &out.Rebound,
		suite.Disabled: &out.Disabled,
		suite.Mended:   &out.Mended, suite.Skipped: &out.Skipped, suite.Grafted: &out.Grafted, suite.Renewed: &out.Renewed,
		suite.Added: &out.Added, suite.Awaited: &out.Awaited}
	for _, c := range f.Changes {
		if n := counts[c.Kind]; n != nil {
			*n++
		}
		change := ChangeReport{Line: c.Line, Test: c.Test, Kind: string(c.Kind), Place: redactor.ShowPlace(c.Place),
			Category: string(c.Category), Failed: c.Failed, Of: c.Of, Reason: show(c.Reason), Before: show(c.Before),
			After: show(c.After)}
		for _, path := range c.Leaves {
			change.Leaves = append(change.Leaves, show(path))
		}
		out.Changes = append(out.Changes, change)
	}
	for _, u := range f.Unwaited {
		out.Unwaited = append(out.Unwaited, UnwaitedReport{u.Line, u.Test, u.Failed, u.Of, u.Why})
	}
	listed := func(some []script.Assertion) []UnknownReport {
		all := []UnknownReport{}
		for _, a := range some {
			all = append(all, UnknownReport{a.Line, a.Test, show(a.Text), a.Reason})
		}
		return all
	}
	out.Unknown, out.NotJudged = listed(f.Unknown), listed(f.Unread)
	return out
}

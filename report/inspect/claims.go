package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// claimRecord is the JSON of what the executions of a suite show of one of its statements.
type claimRecord struct {
	File      string           `json:"file"`
	Test      string           `json:"test"`
	Line      int              `json:"line"`
	Statement string           `json:"statement"`
	Place     exchange.Place   `json:"place"` // "" where the statement is no assertion about one place
	Exchange  uint64           `json:"exchange"`
	Finding   suite.Finding    `json:"finding"`
	Failed    int              `json:"failed"`
	Of        int              `json:"of"`
	Category  mapfile.Category `json:"category"`
	Reason    string           `json:"reason"`
}

// Claims says of each assertion of a suite what its executions show: source is a recording of the suite, with its runs.
// What a fuzzing session answered, where that is known, tells what was true once from what never was. Files are those
// of the suite, in every form that package suite reads; one without tests is passed over, and an error where none has
// any.
func Claims(files []string, source suite.Source, session []*exchange.Exchange, o Output) error {
	l := o.listing(report.Column{Name: "LINE", Max: 60}, report.Column{Name: "FINDING"},
		report.Column{Name: "FAILED", Right: true},
		report.Column{Name: "CATEGORY"}, report.Column{Name: "STATEMENT", Max: 70}, report.Column{Name: "WHY"})
	counts := map[suite.Finding]int{}
	var none *script.SyntaxError
	held := 0
	for _, file := range files {
		err := o.claimsOf(l, file, source, session, counts)
		switch {
		case errors.As(err, &none) && none.NoTests:
			continue
		case err != nil:
			return err
		}
		held++
	}
	if held == 0 && none != nil {
		return none
	}
	if err := l.Close(); err != nil {
		return err
	}
	var parts []string
	for _, f := range []suite.Finding{suite.Holding, suite.Moving, suite.Stale, suite.GeneratorBug, suite.Unseen,
		suite.Unexplained} {
		parts = append(parts, fmt.Sprintf("%d %s", counts[f], f))
	}
	o.Console.Say("flaketap: %s", strings.Join(parts, ", "))
	return nil
}

func (o *Output) claimsOf(l *report.Listing, file string, source suite.Source, session []*exchange.Exchange,
	counts map[suite.Finding]int) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read suite: %w", err)
	}
	tests, err := suite.ReadAmong(file, data, mend.OnDisk)
	if err != nil {
		return err
	}
	m := masker{source.Redactor}
	for _, v := range suite.Bind(tests, source, session).Verdicts() {
		counts[v.Finding]++
		if o.enough(l) {
			continue
		}
		r := claimRecord{File: v.File, Test: v.Test, Line: v.Line, Statement: m.text("", v.Text),
			Place: m.redactor.ShowPlace(v.Place), Exchange: v.Seq,
			Finding: v.Finding, Failed: v.Failed, Of: v.Of, Category: v.Category, Reason: m.text("", v.Reason)}
		err := l.Add(r, fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line), string(r.Finding),
			report.Share(r.Failed, r.Of), string(r.Category),
			strings.Join(strings.Fields(r.Statement), " "), r.Reason)
		if err != nil {
			return err
		}
	}
	return nil
}

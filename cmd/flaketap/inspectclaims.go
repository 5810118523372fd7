package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// maxClaimFiles bounds the files of one inspect claims.
const maxClaimFiles = 1000

// claimRecord is the JSON of what the executions of a suite show of one of its statements.
type claimRecord struct {
	File      string              `json:"file"`
	Test      string              `json:"test"`
	Line      int                 `json:"line"`
	Statement string              `json:"statement"`
	Place     exchange.Place      `json:"place"` // "" where the statement is no assertion about one place
	Exchange  uint64              `json:"exchange"`
	Finding   suite.Finding       `json:"finding"`
	Failed    int                 `json:"failed"`
	Of        int                 `json:"of"`
	Category  volatility.Category `json:"category"`
	Reason    string              `json:"reason"`
}

// claims says of each assertion of a suite what its executions show: the recording and its runs are executions of it. With
// --session, what the fuzzing session answered tells what was true once from what never was.
func (in *inspection) claims(files []string) error {
	if len(files) == 0 {
		return console.Usage(errors.New("inspect claims needs the FILEs of a suite: EvoMaster's Python tests"))
	}
	j, err := analysis.JudgeWithSteps(in.c.String("db"), in.analysisOptions(in.c))
	if err != nil {
		return noRecording(err)
	}
	in.redactor = j.Redactor
	session, err := sessionOf(in.c.String("session"))
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "LINE", Max: 60}, report.Column{Name: "FINDING"}, report.Column{Name: "FAILED", Right: true},
		report.Column{Name: "CATEGORY"}, report.Column{Name: "STATEMENT", Max: 70}, report.Column{Name: "WHY"})
	counts := map[suite.Finding]int{}
	for _, file := range files {
		if err := in.claimsOf(l, file, sourceFrom(j), session, counts); err != nil {
			return err
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	var parts []string
	for _, f := range []suite.Finding{suite.Holding, suite.Moving, suite.Stale, suite.Slip, suite.Unseen, suite.Unexplained} {
		parts = append(parts, fmt.Sprintf("%d %s", counts[f], f))
	}
	in.say(in.c, "flaketap: %s", strings.Join(parts, ", "))
	return nil
}

func (in *inspection) claimsOf(l *report.Listing, file string, source suite.Source, session []*exchange.Exchange, counts map[suite.Finding]int) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read suite: %w", err)
	}
	script, err := suite.Read(file, data)
	if err != nil {
		return err
	}
	for _, v := range suite.Hold(script, source, session).Verdicts() {
		counts[v.Finding]++
		if in.enough(l) {
			continue
		}
		r := claimRecord{File: v.File, Test: v.Test, Line: v.Line, Statement: in.text("", v.Text), Place: in.redactor.ShowPlace(v.Place), Exchange: v.Seq,
			Finding: v.Finding, Failed: v.Failed, Of: v.Of, Category: v.Category, Reason: in.text("", v.Reason)}
		err := l.Add(r, fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line), string(r.Finding), fmt.Sprintf("%d/%d", r.Failed, r.Of), string(r.Category),
			strings.Join(strings.Fields(r.Statement), " "), r.Reason)
		if err != nil {
			return err
		}
	}
	return nil
}

// sessionOf reads the exchanges of the recording of a fuzzing session; none where no file is named.
func sessionOf(path string) ([]*exchange.Exchange, error) {
	if path == "" {
		return nil, nil
	}
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, noRecording(err)
	}
	defer db.Close()
	var all []*exchange.Exchange
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

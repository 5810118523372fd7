package form

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The parts of SARIF 2.1.0 (OASIS, 27 March 2020) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Name  string    `json:"name"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Baseline     string            `json:"baselineState,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// fingerprint is the name of the id of a problem among the fingerprints of its result. What it is made of does not
// change under this name.
const fingerprint = "flaketapId/v1"

// SARIF writes a result for each place that moves, and for each assertion about one. A rule is a category; an assertion
// has the line that it stands in, a place the operation that answers it.
func SARIF(w io.Writer, f *findings.Findings) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "flaketap", Rules: []sarifRule{}}}, Results: []sarifResult{}}
	index := map[string]int{}
	for i, c := range report.Categories() {
		index[string(c)] = i
		help := report.Advise(&mapfile.Field{Judgement: mapfile.Jitter, Category: c}, nil).Do
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(c), "Moves" + string(c),
			sarifText{"The value " + report.Says(c) + "."}, sarifText{strings.ToUpper(help[:1]) + help[1:] + "."}})
	}
	fresh := freshIDs(f)
	for _, p := range problems(f) {
		r := sarifResult{RuleID: p.rule, Level: "note", Message: sarifText{report.Show(p.message, maxMessage)},
			Locations: []sarifLocation{p.location()}, Fingerprints: map[string]string{fingerprint: p.id}}
		i, known := index[p.rule]
		if !known {
			r.RuleID, i = string(mapfile.Unk), index[string(mapfile.Unk)]
		}
		r.RuleIndex = i
		if p.grave {
			r.Level = "warning"
		}
		if f.Since != nil {
			if r.Baseline = "unchanged"; fresh[p.id] {
				r.Baseline = "new"
			}
		}
		run.Results = append(run.Results, r)
	}
	return report.JSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// freshIDs are the ids of what the earlier map did not know to move.
func freshIDs(f *findings.Findings) map[string]bool {
	out := map[string]bool{}
	for _, list := range [][]findings.Place{f.Common, f.Places} {
		for _, p := range list {
			out[p.ID] = p.Since != ""
		}
	}
	for _, t := range f.Tests {
		for _, c := range t.Claims {
			out[c.ID()] = out[c.PlaceID]
		}
	}
	return out
}

func (p problem) location() sarifLocation {
	if p.file == "" {
		return sarifLocation{Logical: []sarifLogical{{p.title, "resource"}}}
	}
	l := sarifLocation{Logical: []sarifLogical{{p.title, "function"}},
		Physical: &sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: filepath.ToSlash(p.file)}).String()}}}
	if p.line > 0 {
		l.Physical.Region = &sarifRegion{p.line}
	}
	return l
}

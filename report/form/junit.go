package form

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// What JUnit XML has of a report.
type (
	junitFile struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// JUnit writes the sequences, of which those fail that were not reproduced, and what moves, each a failure: for what
// shows test results and their history.
func JUnit(w io.Writer, f *findings.Findings) error {
	sequences := junitSuite{Name: "sequences"}
	for _, s := range f.Sequences {
		var failure *junitFailure
		if s.Risk == findings.NotReproduced {
			failure = &junitFailure{string(s.Risk), "answered with another status, or not at all, in " + otherwise(f, s)}
		}
		sequences.add("sequences", report.ShowEnds(s.Name, maxText), failure)
	}
	moving := junitSuite{Name: "what moves"}
	for _, p := range problems(f) {
		name := p.place
		if p.file != "" {
			name = fmt.Sprintf("%s:%d", report.ShowEnds(p.file, maxText), p.line)
		}
		moving.add(p.operation, name, &junitFailure{p.rule, report.Show(p.message, maxMessage)})
	}
	out := junitFile{Name: "flaketap report", Suites: []junitSuite{sequences, moving}}
	for _, s := range out.Suites {
		out.Tests, out.Failures = out.Tests+s.Tests, out.Failures+s.Failures
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(class, name string, failure *junitFailure) {
	if s.Tests++; failure != nil {
		s.Failures++
	}
	s.Cases = append(s.Cases, junitCase{class, name, failure})
}

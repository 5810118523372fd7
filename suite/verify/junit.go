package verify

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The report as JUnit XML, for what shows test results: each test of each suite, and each mutant that the first one
// killed.
type (
	junitFile struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
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
		Message string `xml:"message,attr"`
	}
)

func (s *junitSuite) add(class, name, failure string) {
	c := junitCase{Class: class, Name: name}
	if s.Tests++; failure != "" {
		s.Failures++
		c.Failure = &junitFailure{failure}
	}
	s.Cases = append(s.Cases, c)
}

// JUnit writes the report as JUnit XML: a test suite for each suite, in which a test fails that failed in any run, and
// one of the mutants that the first suite kills, in which those fail that survive the last, and one of the variants of
// the API, in which those fail that the last suite does not notice.
func (v *Verification) JUnit(w io.Writer) error {
	f := junitFile{Name: "flaketap verify"}
	for _, s := range v.suites {
		one := junitSuite{Name: s.Name}
		for _, t := range s.tests {
			failure := ""
			if t.Failed > 0 {
				failure = fmt.Sprintf("failed in %d of %d runs: %s", t.Failed, t.Ran, v.shown(t.Message))
			}
			one.add(t.Suite, t.Name, failure)
		}
		f.Suites = append(f.Suites, one)
	}
	if len(v.faults.Kinds) > 0 {
		f.Suites = append(f.Suites, v.junitMutants())
	}
	if v.asked > 0 {
		f.Suites = append(f.Suites, v.junitVariants())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(f); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (v *Verification) junitMutants() junitSuite {
	out := junitSuite{Name: "planted faults"}
	survived := map[*plantedMutant]bool{}
	for _, p := range v.survivors() {
		survived[p] = true
	}
	for _, p := range v.mutants {
		failure := ""
		if survived[p] {
			failure = p.summary(v.suites)
		}
		if survived[p] || p.verdicts[0].killed() {
			out.add("mutants", p.String(), failure)
		}
	}
	return out
}

func (v *Verification) junitVariants() junitSuite {
	out := junitSuite{Name: "variants of the API"}
	for _, one := range v.variants {
		failure := ""
		if one.failed != "" || !one.verdicts[len(one.verdicts)-1].killed() {
			failure = v.shown(one.summary(v.suites))
		}
		out.add("variants", v.shown(one.Name), failure)
	}
	return out
}

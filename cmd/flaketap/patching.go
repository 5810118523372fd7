package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/urfave/cli/v2"
)

// patching is what one patch makes of the files of a suite.
type patching struct {
	source  suite.Source
	mode    suite.Mode
	session []*exchange.Exchange
	tests   []heldTests
	grafts  map[string]map[string]suite.Grafting // by file and test
	patched []patchedFile
	refused []error // files that are damaged, or of a form that is not known
}

// heldTests is a file of tests, held against the recording.
type heldTests struct {
	file int // which of the suite's
	path string
	*suite.Held
}

// patchedFile is a file of tests, and what became of it.
type patchedFile struct {
	name string
	suite.Patched
}

// hold reads the files of tests and holds them against the recording, which may be one of the session where no other is
// known.
func (p *patching) hold(files []suiteFile, mayBeSession bool) {
	var scripts []*suite.Script
	for i, f := range files {
		if !f.test() {
			continue
		}
		s, err := suite.Read(f.path, f.data)
		if err != nil {
			p.refused = append(p.refused, err) // left alone, byte for byte
			continue
		}
		scripts = append(scripts, s)
		p.tests = append(p.tests, heldTests{file: i, path: f.path})
	}
	p.source.Session = mayBeSession && ofSession(len(p.source.Steps), scripts)
	for i, s := range scripts {
		p.tests[i].Held = suite.Hold(s, p.source, p.session)
	}
	p.withoutTests()
}

// lean looks for what the tests lean on in the session that they came from: the one in a database, else the recording
// itself, which is taken for the session by whoever finds no execution of the suite in it.
func (p *patching) lean(t *tool, c *cli.Context) error {
	session := p.session
	if session == nil {
		for _, s := range p.source.Steps {
			session = append(session, s.Exchange)
		}
	}
	p.grafts = map[string]map[string]suite.Grafting{}
	found, err := t.setUps(c, session, cmp.Or(c.String("session"), c.String("db")))
	if err != nil {
		return err
	}
	found.ranBy(p.tests)
	for _, f := range p.tests {
		p.grafts[f.path] = map[string]suite.Grafting{}
		for _, l := range f.Leanings() {
			if p.grafts[f.path][l.Test], err = found.of(c.Context, l); err != nil {
				return err
			}
		}
	}
	found.say(t, c)
	return nil
}

// patch patches each file of tests; the others stay as they are.
func (p *patching) patch(files []suiteFile) []suite.File {
	out := make([]suite.File, len(files))
	for i, f := range files {
		out[i] = suite.File{Name: f.name, Data: f.data, Perm: f.perm}
	}
	for _, f := range p.tests {
		patched := f.Patch(suite.PatchOptions{Mode: p.mode, Grafts: p.grafts[f.path]})
		out[f.file].Data = patched.Data
		p.patched = append(p.patched, patchedFile{out[f.file].Name, patched})
	}
	return out
}

// withoutTests forgets those that were refused as they hold no tests at all, which what lies beside tests does; unless
// nothing else is there.
func (p *patching) withoutTests() {
	var damaged []error
	for _, err := range p.refused {
		var syntax *suite.SyntaxError
		if !errors.As(err, &syntax) || !syntax.NoTests {
			damaged = append(damaged, err)
		}
	}
	if len(p.tests)+len(damaged) > 0 {
		p.refused = damaged
	}
}

// summary counts what was done.
func (p *patching) summary() string {
	var assertions, kept, unknown int
	kinds := map[suite.ChangeKind]int{}
	for _, f := range p.patched {
		assertions, kept, unknown = assertions+f.Assertions, kept+f.Kept, unknown+len(f.Unknown)
		for _, c := range f.Changes {
			kinds[c.Kind]++
		}
	}
	parts := []string{console.Count(len(p.patched), "file"), console.Count(assertions, "assertion"), fmt.Sprintf("%d of them kept as they are", kept)}
	for _, k := range []suite.ChangeKind{suite.Weakened, suite.Rebound, suite.Disabled, suite.Mended, suite.Skipped} {
		if kinds[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", kinds[k], k))
		}
	}
	if n := kinds[suite.Grafted]; n > 0 {
		parts = append(parts, console.Count(n, "test")+" given a set-up")
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d of no known form, which --report lists", unknown))
	}
	return strings.Join(parts, ", ")
}

// patchReport is the JSON of --report; docs/patching.md describes it.
type patchReport struct {
	Flaketap string       `json:"flaketap"`
	Version  int          `json:"version"`
	Files    []fileReport `json:"files"`
}

// fileReport is what became of one file. Kept, weakened, rebound and disabled are assertions, and add up with what is
// unknown and kept to Assertions; mended, skipped and grafted count changes of tests.
type fileReport struct {
	File       string          `json:"file"`
	Tests      int             `json:"tests"`
	Calls      int             `json:"calls"`
	Matched    int             `json:"matched"`
	Assertions int             `json:"assertions"`
	Kept       int             `json:"kept"`
	Unseen     int             `json:"unseen"`
	Weakened   int             `json:"weakened"`
	Rebound    int             `json:"rebound"`
	Disabled   int             `json:"disabled"`
	Mended     int             `json:"mended"`
	Skipped    int             `json:"skipped"`
	Grafted    int             `json:"grafted"`
	Changes    []changeReport  `json:"changes"`
	Unknown    []unknownReport `json:"unknown"`
}

type changeReport struct {
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
}

type unknownReport struct {
	Line   int    `json:"line"`
	Test   string `json:"test"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// writeReport writes what was changed, where a file is named.
func (p *patching) writeReport(path string, redactor exchange.Redactor) error {
	if path == "" {
		return nil
	}
	r := patchReport{Flaketap: "patch-report", Version: 1, Files: []fileReport{}}
	for _, f := range p.patched {
		r.Files = append(r.Files, f.report(redactor))
	}
	s, err := outfile.Stage(path, 0o644, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	})
	if err != nil {
		return err
	}
	return s.Put()
}

// checkReport refuses a file of --report that may not be written, before any work is done.
func checkReport(c *cli.Context) error {
	path := c.String("report")
	if path == "" {
		return nil
	}
	if err := outfile.NotInput(path, inputs(c)); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !c.Bool("force") {
		return fmt.Errorf("%s is there already; --force overwrites it", path)
	}
	return nil
}

func (f *patchedFile) report(redactor exchange.Redactor) fileReport {
	show := func(s string) string { return redactor.Show("", s) }
	out := fileReport{File: f.name, Tests: f.Tests, Calls: f.Calls, Matched: f.Matched, Assertions: f.Assertions, Kept: f.Kept,
		Unseen: f.Unseen, Changes: []changeReport{}, Unknown: []unknownReport{}}
	counts := map[suite.ChangeKind]*int{suite.Weakened: &out.Weakened, suite.Rebound: &out.Rebound, suite.Disabled: &out.Disabled,
		suite.Mended: &out.Mended, suite.Skipped: &out.Skipped, suite.Grafted: &out.Grafted}
	for _, c := range f.Changes {
		if n := counts[c.Kind]; n != nil {
			*n++
		}
		out.Changes = append(out.Changes, changeReport{c.Line, c.Test, string(c.Kind), redactor.ShowPlace(c.Place), string(c.Category), c.Failed, c.Of,
			show(c.Reason), show(c.Before), show(c.After)})
	}
	for _, a := range f.Unknown {
		out.Unknown = append(out.Unknown, unknownReport{a.Line, a.Test, show(a.Text), a.Reason})
	}
	return out
}

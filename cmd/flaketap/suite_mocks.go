package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/mocked"
)

// notWithMocks are the flags of suite that are about a recording.
var notWithMocks = []string{"db", "all", "strengthen", "target", "start", "ready", "reset", "report"}

// mockSuiteOptions is what the flags of suite --mocks ask for.
type mockSuiteOptions struct {
	found string // the folder that mock search wrote
	form  string // one of write.MockNames
	dir   string // to write into
	mode  suite.Mode
	talk  *console.Console
}

// run writes a suite of what mock search has found.
func (o mockSuiteOptions) run() error {
	all, redactor, err := archive.Read(o.found)
	if err != nil {
		return notOfSearch(err)
	}
	proven := slices.DeleteFunc(behaviors(all), func(b mocked.Behavior) bool { return len(b.Trials) == 0 })
	if left := len(all) - len(proven); left > 0 {
		o.talk.Say("flaketap: left out %s that the search, ended early, has not proven: the same search goes on",
			console.Count(left, "behavior"))
	}
	plan, err := mocked.Plan(proven, mocked.Options{Mode: o.mode, Redactor: redactor})
	if err != nil {
		return err
	}
	files, err := write.Write(o.form, plan)
	if err != nil {
		return err
	}
	if err := outfile.WriteAll(o.dir, files, nil); err != nil {
		return err
	}
	o.talk.Say("flaketap: %s written to %s; flaketap mock serve --start CMD -- runs them, as %s/README.md says",
		console.Count(len(plan.Tests), "test"), o.dir, o.dir)
	return nil
}

// notOfSearch says of a folder that is not one of mock search's what is wanted.
func notOfSearch(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return console.Advise(err, "--mocks wants the folder that flaketap mock search --out DIR writes")
	}
	return err
}

// behaviors are what was found as tests are made of it.
func behaviors(all []archive.Behavior) (out []mocked.Behavior) {
	for _, b := range all {
		one := mocked.Behavior{Name: b.Name, Stubs: b.Stubs, Trials: b.Trials}
		for _, f := range b.Findings {
			one.Findings = append(one.Findings, string(f))
		}
		out = append(out, one)
	}
	return out
}

// mockSuiteOptions reads the flags of suite --mocks.
func (t *tool) mockSuiteOptions(c *cli.Context) (o mockSuiteOptions, err error) {
	o = mockSuiteOptions{found: c.String("mocks"), form: c.String("format"), talk: t.consoleOptions(c)}
	if err := t.alone(c); err != nil {
		return o, err
	}
	for _, name := range notWithMocks {
		if c.IsSet(name) {
			return o, console.Usage(fmt.Errorf("use either --mocks or --%s, not both: with --mocks the tests are made of what mock search found", name))
		}
	}
	if !slices.Contains(write.MockNames(), o.form) {
		return o, console.Usage(fmt.Errorf("unknown --format %q: with --mocks, want one of %s", o.form, strings.Join(write.MockNames(), ", ")))
	}
	if o.mode, err = modeOption(c, suite.Relax, suite.Comment, suite.Exact); err != nil {
		return o, err
	}
	if o.dir, err = folderOption(c, "out"); err == nil && o.dir == "" {
		err = console.Usage(errors.New("--out DIR is required"))
	}
	return o, err
}

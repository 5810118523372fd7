package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
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
	to    mocked.Suite
}

// run writes a suite of what mock search has found.
func (o mockSuiteOptions) run() error {
	all, redactor, err := archive.Read(o.found)
	if err != nil {
		return notOfSearch(err)
	}
	return o.to.Write(all, redactor)
}

// notOfSearch says of a folder that is not one of mock search's what is wanted.
func notOfSearch(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return console.Advise(err, "--mocks wants the folder that flaketap mock search --out DIR writes")
	}
	return err
}

// mockSuiteOptions reads the flags of suite --mocks.
func (t *tool) mockSuiteOptions(c *cli.Context) (o mockSuiteOptions, err error) {
	o = mockSuiteOptions{found: c.String("mocks"), to: mocked.Suite{Form: c.String("format"), Console: t.consoleOptions(c)}}
	if err := t.alone(c); err != nil {
		return o, err
	}
	for _, name := range notWithMocks {
		if c.IsSet(name) {
			return o, console.Usage(fmt.Errorf("use either --mocks or --%s, not both: with --mocks the tests are made of what mock search found", name))
		}
	}
	if !slices.Contains(write.MockNames(), o.to.Form) {
		return o, console.Usage(fmt.Errorf("unknown --format %q: with --mocks, want one of %s", o.to.Form, strings.Join(write.MockNames(), ", ")))
	}
	if o.to.Mode, err = modeOption(c, suite.Relax, suite.Comment, suite.Exact); err != nil {
		return o, err
	}
	if o.to.Dir, err = folderOption(c, "out"); err == nil && o.to.Dir == "" {
		err = console.Usage(errors.New("--out DIR is required"))
	}
	return o, err
}

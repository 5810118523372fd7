package main

import (
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
)

// emit writes what a command makes to the file of --out, or to stdout, and says what was written to a file; what is ""
// where the command itself says more.
func (t *tool) emit(c *cli.Context, what string, write func(io.Writer) error) error {
	path := c.String("out")
	if err := checkOut(c); err != nil { // it may have come since the command began
		return err
	}
	if err := outfile.Write(path, t.out, write); err != nil {
		return err
	}
	if what != "" && path != "" && path != outfile.Stdout {
		t.say(c, "flaketap: %s written to %s", what, path)
	}
	return nil
}

// checkOut refuses, before any work is done, a file of --out that may not be written.
func checkOut(c *cli.Context) error {
	if c.Bool("force") {
		return outfile.Check(c.String("out"), inputs(c))
	}
	return outfile.CheckNew(c.String("out"), inputs(c))
}

// checkOutDir refuses, before any work is done, a folder of --out that may not be written.
func checkOutDir(c *cli.Context, dir string) error {
	switch {
	case dir == "":
		return console.Usage(errors.New("--out DIR is required"))
	case c.Bool("force"):
		return nil
	}
	return outfile.CheckFolder(dir)
}

// inputs lists the files that a command reads: its recording, its settings, and its arguments.
func inputs(c *cli.Context) []string {
	config := c.String("config")
	if config == "" {
		config = defaultConfig
	}
	return append([]string{c.String("db"), config}, c.Args().Slice()...)
}

// outputFiles are the files of a suite, to be written.
func outputFiles(files []suite.File) []outfile.File {
	out := make([]outfile.File, len(files))
	for i, f := range files {
		out[i] = outfile.File(f)
	}
	return out
}

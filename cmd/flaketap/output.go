package main

import (
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
)

// output is where a command writes what it makes. The zero value of path is stdout.
type output struct {
	path   string   // of a file; "" and outfile.Stdout mean stdout
	force  bool     // a file that is there is overwritten
	inputs []string // the files that the command reads, none of which is overwritten
	stdout io.Writer
	talk   *console.Console // is told what was written to a file
}

// outputOptions reads --out, where it names a file, and --force. It refuses, before any work is done, a file that may
// not be written.
func (t *tool) outputOptions(c *cli.Context) (output, error) {
	o := output{path: c.String("out"), force: c.Bool("force"), inputs: inputOptions(c), stdout: t.out,
		talk: t.consoleOptions(c)}
	return o, o.check()
}

// isFile reports whether the output is a file, not stdout.
func (o output) isFile() bool { return o.path != "" && o.path != outfile.Stdout }

// check refuses a file that may not be written.
func (o output) check() error {
	if o.force {
		return outfile.Check(o.path, o.inputs)
	}
	return outfile.CheckNew(o.path, o.inputs)
}

// emit writes what a command makes, and says what was written to a file; what is "" where the command itself says more.
func (o output) emit(what string, write func(io.Writer) error) error {
	if err := o.check(); err != nil { // it may have come since the command began
		return err
	}
	if err := outfile.Write(o.path, o.stdout, write); err != nil {
		return err
	}
	if what != "" && o.isFile() {
		o.talk.Say("flaketap: %s written to %s", what, o.path)
	}
	return nil
}

// claim begins a file that is written as a command goes on, with what it is before there is anything, so that another
// one which is started with it meanwhile is refused. What is there already stays until there is something to keep.
// release takes the file away again, where nothing came of it.
func (o output) claim(empty func(io.Writer) error) (claimed output, release func(), err error) {
	claimed, release = o, func() {}
	if !o.isFile() {
		return claimed, release, nil
	}
	if _, err := os.Lstat(o.path); err == nil {
		return claimed, release, o.check()
	}
	if err := outfile.Write(o.path, o.stdout, empty); err != nil {
		return claimed, release, err
	}
	claimed.force = true
	return claimed, func() { os.Remove(o.path) }, nil
}

// keep writes what a command has made so far over what it wrote before. A device or a pipe, and stdout, get all of it
// once, from emit.
func (o output) keep(write func(io.Writer) error) error {
	if info, err := os.Stat(o.path); !o.isFile() || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	return outfile.Write(o.path, o.stdout, write)
}

// folderOption reads a flag that names a folder to write into, and refuses, before any work is done, one that nothing
// can be written into, or that already holds something, unless --force is given. "" means that the flag is not given.
func folderOption(c *cli.Context, name string) (string, error) {
	dir := c.String(name)
	if dir == "" || c.Bool("force") {
		return dir, outfile.CheckWritable(dir)
	}
	return dir, outfile.CheckFolder(dir)
}

// inputOptions lists the files that a command reads: its recording, its settings, and its arguments.
func inputOptions(c *cli.Context) []string {
	config := c.String("config")
	if config == "" {
		config = cmdline.DefaultConfig
	}
	dbs := []string{c.String("db")}
	if many := c.StringSlice("db"); len(many) > 0 {
		dbs = many
	}
	return slices.Concat(dbs, []string{config}, c.Args().Slice())
}

package mend

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
)

// Output is where a patched suite goes. The zero value prints the difference.
type Output struct {
	Dir     string   // a folder to write it into
	InPlace bool     // the files themselves are changed
	Report  string   // a file for what was changed; "" for none
	DB      string   // the recording, which is not to be written to
	Inputs  []string // it, and whatever else is read
}

// CheckWays refuses more than one of the ways in which a command writes what it made: --out, --in-place and --diff.
func CheckWays(out, inPlace, diff bool) error {
	if out && inPlace || out && diff || inPlace && diff {
		return errors.New("use only one of --out, --in-place, --diff")
	}
	return nil
}

// Write patches the files and puts them where the user wants them, none before all are made, and then the report. The
// difference goes to stdout.
func (o Output) Write(files []File, round *Round, stdout io.Writer) error {
	if err := o.WriteFiles(files, round.Patch(), stdout); err != nil {
		return err
	}
	if o.Report == "" {
		return nil
	}
	s, err := outfile.Stage(o.Report, 0o644, round.WriteReport)
	if err != nil {
		return err
	}
	return s.Put()
}

// WriteFiles writes patched files, or prints how they differ from those that were read.
func (o Output) WriteFiles(files []File, patched []suite.File, stdout io.Writer) error {
	switch {
	case o.Dir != "":
		read := slices.Clone(o.Inputs)
		for _, f := range files {
			read = append(read, f.Path)
		}
		return outfile.WriteAll(o.Dir, patched, read)
	case o.InPlace:
		for i, f := range files {
			patched[i].Name = filepath.ToSlash(f.Path)
		}
		return outfile.WriteAll("", patched, []string{o.DB})
	}
	for i, f := range files {
		if _, err := stdout.Write(diff.Diff("a/"+f.Name, f.Data, "b/"+f.Name, patched[i].Data)); err != nil {
			return fmt.Errorf("write difference: %w", err)
		}
	}
	return nil
}

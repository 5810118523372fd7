package tune

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/mend"
)

// Output is where the tuned file goes.
type Output struct {
	InPlace bool   // the suite's own file is changed
	Dir     string // it goes there, under the name that it has in the suite
	Diff    bool   // the difference is printed, as it is with none of these
	Format  string // of what came of it: text or json
	Stdout  io.Writer
	Talk    *console.Console
}

func (o Output) check() error {
	if err := mend.CheckWays(o.Dir != "", o.InPlace, o.Diff); err != nil {
		return err
	}
	if o.Format != "text" && o.Format != "json" {
		return fmt.Errorf("unknown --format %q: want one of text, json", o.Format)
	}
	return nil
}

// Best is the strategy that is written; nil where none holds. Of a tuning that was interrupted it is the best so far:
// one that passed the screening at least.
func (a *Answer) Best() *Result {
	for _, least := range []int{a.Validations, a.Screen} {
		for i := range a.Results {
			if a.Results[i].Holds(least) {
				return &a.Results[i]
			}
		}
		if !a.Interrupted {
			break
		}
	}
	return nil
}

// Patch is the difference between the file and the tuned one; nil where nothing holds.
func (a *Answer) Patch() []byte {
	best := a.Best()
	if best == nil {
		return nil
	}
	name := filepath.ToSlash(a.Wait.File)
	return diff.Diff("a/"+name, a.file.text, "b/"+name, best.text)
}

// write writes the tuned file, or the difference, and what came of the tuning: for people to stdout, or to talk where
// stdout has the difference. The error is also that there is nothing that could be relied on.
func (a *Answer) write(o Output) error {
	var err error
	unwritten := o.writeFile(a) // what was found is shown all the same: it took long
	switch patch := a.Patch(); {
	case o.Format == "json":
		err = a.WriteJSON(o.Stdout)
	case unwritten == nil && (o.InPlace || o.Dir != ""):
		err = a.WriteText(o.Stdout)
	default:
		if _, err = o.Stdout.Write(patch); err == nil && !o.Talk.Quiet {
			err = a.WriteText(o.Talk.Err)
		}
	}
	switch {
	case unwritten != nil:
		return unwritten
	case err != nil:
		return err
	}
	return a.failed()
}

// writeFile writes the tuned file, where it goes to one.
func (o Output) writeFile(a *Answer) error {
	best := a.Best()
	if best == nil || !o.InPlace && o.Dir == "" {
		return nil
	}
	if now, err := os.ReadFile(a.file.path); err != nil || !bytes.Equal(now, a.file.text) {
		return fmt.Errorf("%s has changed since it was tuned, and is left alone", a.file.path)
	}
	out := outfile.File{Name: filepath.ToSlash(a.file.path), Data: best.text, Perm: a.file.perm}
	if o.InPlace {
		return outfile.WriteAll("", []outfile.File{out}, nil)
	}
	out.Name = filepath.ToSlash(a.file.name)
	return outfile.WriteAll(o.Dir, []outfile.File{out}, []string{a.file.path})
}

// failed says why an answer is none to rely on; nil where it is.
func (a *Answer) failed() error {
	switch {
	case a.Interrupted && a.Best() == nil:
		return errors.New("interrupted before any time held")
	case a.Interrupted:
		return errors.New("interrupted: this is the best so far")
	case a.Best() == nil:
		return errors.New("nothing holds that could be tried; the suite stays as it is")
	}
	return nil
}

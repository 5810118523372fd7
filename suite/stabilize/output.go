package stabilize

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/mend"
)

// Output is where the stable suite and the report of it go.
type Output struct {
	InPlace bool   // the suite's own files are changed
	Dir     string // the stable suite goes there; "" with neither: the difference is printed
	Report  string // a file; "" for report.json in the folder beside the recording, until Check sets it
}

// DefaultOutput is the folder for the stable form of a suite where the user names no other.
func DefaultOutput(suite string) string {
	name := filepath.Clean(suite)
	return strings.TrimSuffix(name, filepath.Ext(name)) + "-stable"
}

// Check refuses, before any work is done, what may not be written: what is there and is not ours, unless the user wants
// to begin anew, and inputs. It completes the output.
func (out *Output) Check(o Options, inputs []string) error {
	if out.Dir != "" && outfile.Within(out.Dir, o.Suite) {
		return fmt.Errorf("--out %s is inside the suite %s; choose a folder outside of the suite, or use --in-place",
			out.Dir, o.Suite)
	}
	own := filepath.Join(Folder(o.DB), "report.json")
	anew := o.Fresh || Output{Dir: out.Dir, Report: cmp.Or(out.Report, own)}.cutOff(o.DB)
	if out.Dir != "" && !anew {
		if err := outfile.CheckFolder(out.Dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{out.Dir, filepath.Dir(cmp.Or(out.Report, o.DB))} {
		if dir == "" {
			continue
		}
		if err := outfile.CheckWritable(dir); err != nil {
			return err
		}
	}
	switch {
	case out.Report == "":
		out.Report = own
		return nil
	case anew:
		return outfile.Check(out.Report, inputs)
	default:
		return outfile.CheckNew(out.Report, inputs)
	}
}

// writing is the file that is there while the stable suite and the report are written: it names both.
func writing(db string) string { return filepath.Join(Folder(db), "writing") }

func (out Output) name(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\n%s\n", out.Dir, out.Report)
	return err
}

// cutOff reports whether the same command was cut off while it wrote: what is there then is its own.
func (out Output) cutOff(db string) bool {
	was, err := os.ReadFile(writing(db))
	var now bytes.Buffer
	return err == nil && out.name(&now) == nil && bytes.Equal(was, now.Bytes())
}

// Write writes the suite in its last form, the report, and the table: to stdout, or to talk where stdout has the
// difference.
func (out Output) Write(o Options, done *Result, stdout io.Writer, talk *console.Console) error {
	if err := outfile.Write(writing(o.DB), nil, out.name); err != nil {
		return err
	}
	if err := out.writeSuite(o, done.files, stdout, talk); err != nil {
		return err
	}
	report, err := outfile.Stage(out.Report, 0o644, done.JSON)
	if err != nil {
		return err
	}
	if err := errors.Join(report.Put(), os.Remove(writing(o.DB))); err != nil {
		return err
	}
	switch {
	case out.Dir != "":
		if err := done.Text(stdout); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "the suite in its last form is in %s; run it on a fresh start of the API, as was done here\n",
			console.OneLine(out.Dir))
		return err
	case out.InPlace:
		return done.Text(stdout)
	case talk.Quiet:
		return nil
	}
	return done.Text(talk.Err)
}

// writeSuite writes the files of the stable suite, or how they differ from the user's.
func (out Output) writeSuite(o Options, files []mend.File, stdout io.Writer, talk *console.Console) error {
	switch {
	case out.Dir != "":
		var read []string
		for _, f := range o.Files {
			read = append(read, f.Path)
		}
		if err := mend.RemoveLinks(out.Dir, o.Links); err != nil {
			return err
		}
		if err := outfile.WriteAll(out.Dir, outputFiles(files), read); err != nil {
			return err
		}
		return mend.PutLinks(out.Dir, o.Links)
	case out.InPlace:
		if err := outfile.WriteAll("", outputFiles(ownPlaces(o, files, talk)), []string{o.DB}); err != nil {
			return err
		}
		return ChangedInPlace(o.DB)
	}
	return printDifference(o.Files, files, stdout)
}

func outputFiles(files []mend.File) []outfile.File {
	out := make([]outfile.File, len(files))
	for i, f := range files {
		out[i] = outfile.File{Name: f.Name, Data: f.Data, Perm: f.Perm}
	}
	return out
}

// ownPlaces names files by where the user has them. What is a link there is left out: others may use what it leads to.
func ownPlaces(o Options, files []mend.File, talk *console.Console) (out []mend.File) {
	were := map[string]mend.File{}
	for _, f := range o.Files {
		were[f.Name] = f
	}
	for _, f := range files {
		was := were[f.Name]
		if slices.ContainsFunc(o.Links, func(l mend.Link) bool { return l.Name == f.Name }) {
			if !bytes.Equal(was.Data, f.Data) {
				talk.Say("flaketap: left alone %s: it is a link; its patched text is in %s",
					console.OneLine(was.Path), Folder(o.DB))
			}
			continue
		}
		f.Name = filepath.ToSlash(was.Path)
		out = append(out, f)
	}
	return out
}

// printDifference prints how the files of the stable suite differ from those of the user.
func printDifference(were, files []mend.File, stdout io.Writer) error {
	now := map[string][]byte{}
	for _, f := range files {
		now[f.Name] = f.Data
	}
	for _, f := range were {
		if _, err := stdout.Write(diff.Diff("a/"+f.Name, f.Data, "b/"+f.Name, now[f.Name])); err != nil {
			return fmt.Errorf("write difference: %w", err)
		}
	}
	return nil
}

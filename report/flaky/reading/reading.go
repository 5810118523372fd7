// Package reading reads from files what explanations of failures are made of: the results of runners, and the suite.
package reading

import (
	"errors"
	"io/fs"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/verify"
)

// Results adds what runners left in files and folders; each file is an execution of its own, which may be any run.
// Where a path has something that can be read, the rest of it is damaged.
func Results(in *flaky.Input, paths []string) (damaged, err error) {
	for _, path := range paths {
		files, err := verify.ResultsIn(path)
		for _, f := range files {
			in.Results = append(in.Results, flaky.Execution{Run: flaky.NotKnown, Results: f.Results})
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = console.Advise(err, "it is what the test runner writes, as pytest does with --junitxml=FILE")
		}
		if err != nil && len(files) == 0 {
			return nil, err
		}
		damaged = errors.Join(damaged, err)
	}
	return damaged, nil
}

// maxSource bounds the files of a suite that are kept for the lines that failed, in bytes.
const maxSource = 4 << 20

// Suite adds the files of a suite: all of them for the lines that failed, and the assertions of those that can be read.
// What is damaged is said; files that are excluded are none of it.
func Suite(in *flaky.Input, paths, exclude []string, talk *console.Console) error {
	for _, path := range paths {
		read, err := mend.ReadFiles([]string{path}, mend.FileOptions{Exclude: exclude, Beside: true, Any: true})
		if err != nil {
			return err
		}
		for _, f := range read.All {
			if len(f.Data) <= maxSource {
				in.Sources = append(in.Sources, flaky.SourceFile{Path: f.Path, Data: f.Data})
			}
			if !suite.Readable(f.Name) {
				continue
			}
			s, err := suite.ReadAmong(f.Path, f.Data, mend.OnDisk)
			var syntax *script.SyntaxError
			switch {
			case err == nil:
				in.Files = append(in.Files, s)
			case !errors.As(err, &syntax) || !syntax.NoTests:
				talk.Warn("flaketap: %s", console.OneLine(err.Error()))
			}
		}
	}
	return nil
}

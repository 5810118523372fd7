package stabilize

import (
	"fmt"
	"path/filepath"

	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// OutputFolder is where the runs of the work on a database leave what they print, and their results.
func OutputFolder(db string) string { return filepath.Join(Folder(db), "output") }

// FirstResults returns the results of the suite as it was, run by run: the first run is the recording in the database,
// the others are its runs, in their order. They are as their runner left them where that is still there, else without
// the details. There are none where the database is not one of stabilize.
func FirstResults(db string) ([][]results.Detailed, error) {
	runs, err := work{dir: Folder(db), first: db}.runs(1)
	if err != nil {
		return nil, err
	}
	out := make([][]results.Detailed, len(runs))
	for i, x := range runs {
		files, err := verify.ResultsIn(filepath.Join(OutputFolder(db), runName(1, i+1), "left"))
		if err == nil && len(files) == 1 && len(files[0]) == len(x.Results) {
			out[i] = files[0]
			continue
		}
		for _, r := range x.Results {
			out[i] = append(out[i], r.Details())
		}
	}
	return out, nil
}

// runName names a run of a round.
func runName(round, run int) string { return fmt.Sprintf("round-%d-run-%02d", round, run) }

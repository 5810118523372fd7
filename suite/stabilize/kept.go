package stabilize

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// OutputFolder is where the runs of the work on a database leave what they print, and their results.
func OutputFolder(db string) string { return filepath.Join(Folder(db), "output") }

// KeptResults returns the results of the runs that a database was put together of, run by run: the first is the
// recording in it, the others are its runs, in their order. It is that of the work, whose suite is the one that was
// given, or that of a later round. The results are as their runner left them where that is still there, else without
// the details. There are none where the database is not one of stabilize.
func KeptResults(db string) ([][]results.Detailed, error) {
	w, number := workOf(db)
	judged := series{round: number}
	probed, err := w.probed(number)
	if err != nil {
		return nil, err
	}
	judged.muted = probed.used()
	runs, err := w.runs(judged)
	if err != nil {
		return nil, err
	}
	out := make([][]results.Detailed, len(runs))
	for i, x := range runs {
		out[i] = w.detailed(judged, i+1, x)
	}
	return out, nil
}

// detailed are the results of a run as its runner left them where that is still there, else without the details.
func (w work) detailed(of series, run int, x execution) (out []results.Detailed) {
	files, err := verify.ResultsIn(filepath.Join(w.dir, "output", of.name(run), "left"))
	if err == nil && len(files) == 1 && len(files[0].Results) == len(x.Results) {
		return files[0].Results
	}
	for _, r := range x.Results {
		out = append(out, r.Details())
	}
	return out
}

// KeptAddresses are those at which the first run that was done found the recorder, and the recorder the API: "" where
// no run was done. Answers often hold them, so that work is resumed at the same ones.
func KeptAddresses(db string) (recorder, api string, err error) {
	w, first := work{dir: Folder(db), first: db}, series{round: 1}
	runs, err := w.runs(first)
	if err != nil || len(runs) == 0 {
		return "", "", err
	}
	kept, err := store.OpenReadOnly(w.run(first, 1) + ".db")
	if err != nil {
		return "", "", err
	}
	defer kept.Close()
	recording, err := kept.Recording()
	if err != nil || len(recording.Passes) == 0 {
		return "", "", err
	}
	return recording.Passes[0].Listen, recording.Passes[0].Target, nil
}

// workOf returns the work that a database is of, and which round's it is.
func workOf(db string) (w work, round int) {
	folder := filepath.Dir(db)
	if number, is := strings.CutPrefix(filepath.Base(folder), "round-"); is && filepath.Base(db) == composed {
		if n, err := strconv.Atoi(number); err == nil {
			return work{dir: filepath.Dir(folder)}, n
		}
	}
	return work{dir: Folder(db), first: db}, 1
}

// composed is the name of the database of a round after the first.
const composed = "runs.db"

// Patched reports whether a recording is that of a suite which stabilize has patched already, by where it lies.
func Patched(db string) bool {
	_, number := workOf(db)
	return number > 1
}

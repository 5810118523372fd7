package verify

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/flaketap/flaketap/suite/results"
)

// Left is what a runner left in one file.
type Left struct {
	Results []results.Detailed
	Written time.Time // when the file was last written
}

// ResultsIn reads the results in a file, or in each of the files below a folder that hold some. The error is that of a
// file which is damaged or of no known form, or says that nothing is there; of a folder, the other files are read all
// the same.
func ResultsIn(path string) ([]Left, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	var out []Left
	var damage []error
	for _, file := range filesBelow(path) {
		all, err := readDetailed(file)
		if len(all) > 0 {
			l := Left{Results: all}
			if info, err := os.Stat(file); err == nil {
				l.Written = info.ModTime()
			}
			out = append(out, l)
		}
		if err != nil && (!info.IsDir() || !errors.Is(err, results.ErrUnknown)) {
			damage = append(damage, err)
		}
	}
	if len(out) == 0 && len(damage) == 0 {
		damage = append(damage, fmt.Errorf("read results %s: %w", path, results.ErrUnknown))
	}
	return out, errors.Join(damage...)
}

func readDetailed(file string) ([]results.Detailed, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	defer f.Close()
	return results.ReadDetailed(f, file)
}

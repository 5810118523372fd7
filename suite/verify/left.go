package verify

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/flaketap/flaketap/suite/results"
)

// Left is what a runner left in one file.
type Left struct {
	Results []results.Detailed
	Written time.Time // when the file was last written
}

// vague is how much earlier than by its results a test may have begun that were put together of how long tests took.
const vague = time.Second

// Dated returns the results with when their tests ran, of a runner that began at a time. Where they do not say when
// that was, as those of JUnit itself and of Surefire, the tests ran one after the other, after their runner began, and
// before the file was written. What took longer than that is of another run, or ran at once: its times stay zero.
func (l Left) Dated(began time.Time) []results.Detailed {
	if l.Written.IsZero() || slices.ContainsFunc(l.Results, func(r results.Detailed) bool { return !r.Start.IsZero() }) {
		return l.Results
	}
	var all time.Duration
	for _, r := range l.Results {
		all += r.Duration
	}
	if l.Written.Sub(began) < all {
		return l.Results
	}
	start, end := began, l.Written.Add(-all)
	for i := range l.Results {
		r := &l.Results[i]
		end = end.Add(r.Duration)
		r.Start, r.End, r.Rough = start.Add(-vague), end, true
		start = start.Add(r.Duration)
	}
	return l.Results
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

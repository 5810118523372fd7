package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Assertions are the numbers of a report of flaketap patch, over all its files: of assertions, and of tests.
type Assertions struct {
	Tests      int `json:"tests"`
	Assertions int `json:"assertions"` // in the suite as it was
	Kept       int `json:"kept"`
	Weakened   int `json:"weakened"`
	Rebound    int `json:"rebound"` // compared with what an earlier answer gave
	Disabled   int `json:"disabled"`
	Unknown    int `json:"unknown"` // not understood, and left as they are
	Mended     int `json:"mended"`  // bugs of the generator that were fixed
	Skipped    int `json:"skipped"` // tests that pass on a fresh start only
	Grafted    int `json:"grafted"` // tests that were given a set-up
}

// maxPatchReport bounds a report of patch, in bytes.
const maxPatchReport = 256 << 20

// ReadAssertionsOf reads a file for [ReadAssertions]; nil where none is named.
func ReadAssertionsOf(path string) (*Assertions, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read --patch-report: %w", err)
	}
	defer f.Close()
	a, err := ReadAssertions(f)
	if err != nil {
		return nil, fmt.Errorf("read --patch-report %s: %w", path, err)
	}
	return a, nil
}

// ReadAssertions counts what a report says that flaketap patch --report wrote.
func ReadAssertions(r io.Reader) (*Assertions, error) {
	var report struct {
		Flaketap string `json:"flaketap"`
		Version  int    `json:"version"`
		Files    []struct {
			Assertions
			Unknown []json.RawMessage `json:"unknown"`
		} `json:"files"`
	}
	if err := json.NewDecoder(io.LimitReader(r, maxPatchReport)).Decode(&report); err != nil {
		return nil, fmt.Errorf("read patch report: %w", err)
	}
	if report.Flaketap != "patch-report" || report.Version != 1 {
		return nil, errors.New("read patch report: not a patch report")
	}
	var sum Assertions
	for _, f := range report.Files {
		sum.Tests, sum.Assertions, sum.Kept, sum.Weakened = sum.Tests+f.Tests, sum.Assertions+f.Assertions.Assertions,
			sum.Kept+f.Kept, sum.Weakened+f.Weakened
		sum.Rebound, sum.Disabled, sum.Unknown = sum.Rebound+f.Rebound, sum.Disabled+f.Disabled, sum.Unknown+len(f.Unknown)
		sum.Mended, sum.Skipped, sum.Grafted = sum.Mended+f.Mended, sum.Skipped+f.Skipped, sum.Grafted+f.Grafted
	}
	return &sum, nil
}

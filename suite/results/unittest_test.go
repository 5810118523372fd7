package results

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What unittest prints of tests that pass, fail, print, are described, skipped, or have subtests, of two versions.
func TestReadUnittest(t *testing.T) {
	for _, version := range []string{"3.8", "3.11"} {
		t.Run(version, func(t *testing.T) {
			data, err := os.ReadFile("testdata/unittest-" + version + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			all, err := ReadDetailed(strings.NewReader(string(data)), "stderr.txt")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range all {
				got = append(got, strings.Join(strings.Fields(strings.Join([]string{r.ID().String(), string(r.Outcome), r.Where.String(), r.Message}, " ")), " "))
			}
			slices.Sort(got) // before Python 3.11 a class that cannot be set up is told at the end
			want := []string{
				"test_all.Broken › setUpClass error /suite/test_all.py:40 OSError: no API",
				"test_all.Shop › test_described fail /suite/test_all.py:9 AssertionError: 1 != 2",
				"test_all.Shop › test_errs error /suite/test_all.py:23 KeyError: 'x'",
				"test_all.Shop › test_expected pass",
				"test_all.Shop › test_ok pass",
				"test_all.Shop › test_prints pass",
				"test_all.Shop › test_prints_no_end pass",
				"test_all.Shop › test_skipped skip",
				"test_all.Shop › test_subs fail /suite/test_all.py:20 AssertionError: 0 != 1",
				"test_all.Shop › test_unexpected fail unexpected success",
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			// A run that breaks off leaves the test it was in without an end.
			cut := string(data[:strings.Index(string(data), "no end")])
			all, err = ReadDetailed(strings.NewReader(cut), "stderr.txt")
			if last := all[len(all)-1]; err != nil || last.Name != "test_prints_no_end" || last.Outcome != Error {
				t.Errorf("%+v, %v", last, err)
			}
		})
	}
	if _, err := Read(strings.NewReader("....\n----\nRan 4 tests in 0.001s\n\nOK\n"), "f"); err == nil {
		t.Error("without -v it names no test")
	}
}

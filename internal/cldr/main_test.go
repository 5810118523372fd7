package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrite writes the names of one language that is covered well, and none of one that is not.
func TestWrite(t *testing.T) {
	core, dates := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(core, "coverageLevels.json"): `{"coverageLevels":{"de":"modern","xx":"basic"}}`,
		filepath.Join(dates, "package.json"):       `{"version":"1.2.3","license":"Unicode-3.0"}`,
		filepath.Join(dates, "main", "de", "ca-gregorian.json"): `{"main":{"de":{"dates":{"calendars":{"gregorian":{
			"months":{"format":{"wide":{"3":"März","4":"4月"},"abbreviated":{"3":"März","9":"Sept."}}},
			"days":{"format":{"wide":{"mon":"Montag"}}}}}}}}}`,
		filepath.Join(dates, "main", "de", "dateFields.json"): `{"main":{"de":{"dates":{"fields":{"minute":{"displayName":"Minute",
			"relativeTime-type-past":{"relativeTimePattern-count-other":"vor {0} Minuten"}}}}}}}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := write(&out, []string{core, dates}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "names.LICENSE.\n")
	if want := "month 3|märz\nmonth-short 3|märz\nmonth-short 9|sept\npast minute|vor {} minuten\nweekday 1|montag\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := write(&out, nil); err == nil {
		t.Error("no folders are no error")
	}
}

package git

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/past"
)

func FuzzDecodeIndex(f *testing.F) {
	x := &index{Head: "abc", Commits: []past.Commit{{Hash: "abc", Subject: "s", Edits: []past.Edit{{File: "a.js", Changes: []past.Change{{Now: 1, New: "cy.wait(1)"}}}}}}}
	whole, err := encodeIndex(x)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decodeIndex(data)
		if err != nil {
			return
		}
		again, err := encodeIndex(x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := decodeIndex(again)
		if diff := cmp.Diff(x, y); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

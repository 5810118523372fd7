package exchange

import (
	"encoding/json"
	"slices"
	"testing"
)

func FuzzSteps(f *testing.F) {
	f.Add([]byte{3, 1, 2, 9}, "1-3 9")
	f.Add([]byte{}, "")
	f.Add([]byte{255, 255, 0}, "2-1")
	f.Fuzz(func(t *testing.T, in []byte, text string) {
		var seqs []uint64
		for _, b := range in {
			seqs = append(seqs, uint64(b))
		}
		s := StepsOf(seqs)
		for seq := range uint64(300) {
			if s.Has(seq) != slices.Contains(seqs, seq) {
				t.Errorf("of %v it says %t of %d", seqs, s.Has(seq), seq)
			}
		}
		for i, one := range s.spans {
			if i > 0 && one.first <= s.spans[i-1].last+1 {
				t.Errorf("of %v spans %v and %v have no gap", seqs, s.spans[i-1], one)
			}
		}
		written, err := json.Marshal(Played{Steps: s})
		if err != nil {
			t.Fatal(err)
		}
		var again Played
		if err := json.Unmarshal(written, &again); err != nil || !slices.Equal(again.Steps.spans, s.spans) {
			t.Errorf("%s comes back as %v: %v", written, again.Steps, err)
		}
		var any Steps
		if any.UnmarshalText([]byte(text)) == nil {
			out, _ := any.MarshalText()
			var same Steps
			if err := same.UnmarshalText(out); err != nil || !slices.Equal(same.spans, any.spans) {
				t.Errorf("%q is read, and %q is not: %v", text, out, err)
			}
		}
	})
}

package trial

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

func TestPairs(t *testing.T)     { nearlyTheSame(t, 5) }
func TestEvalPairs(t *testing.T) { nearlyTheSame(t, 101) }

// fewLines is the handful of lines by which a lock may differ from the one that it is written over.
const fewLines = 30

// nearlyTheSame records the same client of the same API so many times, on other days, at other hours, with other ids and
// other answers by chance, and compares the locks of each two that follow each other: written apart; the second one over
// the first; and all of them one over the other, as a lock in git is.
func nearlyTheSame(t *testing.T, n int) {
	t.Helper()
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			maps := make([]*mapfile.Map, n)
			t.Run("recordings", func(t *testing.T) {
				for i := range n {
					t.Run(fmt.Sprint(i+1), func(t *testing.T) {
						t.Parallel()
						maps[i] = judge(t, play(t, api.again(uint64(i+1))), 10)
					})
				}
			})
			var apart, over, kept sameness
			changes, last := map[mapfile.ChangeKind]int{}, maps[0]
			for i, second := range maps[1:] {
				first := maps[i]
				apart.add(t, lockOf(t, first), lockOf(t, second))
				over.add(t, lockOf(t, first), lockOf(t, second.Settle(first)))
				next := second.Settle(last)
				kept.add(t, lockOf(t, last), lockOf(t, next))
				last = next
				for _, c := range mapfile.Diff(first, second).Changes {
					for _, k := range c.Kinds {
						changes[k]++
					}
				}
			}
			t.Logf("| %s | %d | %s | %s | %s |", api.name, n-1, apart, over, kept)
			t.Logf("a lock has %d lines; differences of maps: %v", len(lockOf(t, last)), changes)
			if over.most > fewLines || kept.most > fewLines {
				t.Errorf("locks differ in %d and %d lines", over.most, kept.most)
			}
			if kept.pairs >= 100 && kept.equal < kept.pairs*90/100 {
				t.Errorf("%d of %d locks are equal", kept.equal, kept.pairs)
			}
		})
	}
}

// sameness counts the pairs of locks that are equal, and the lines in which the others differ.
type sameness struct{ pairs, equal, lines, most int }

func (s *sameness) add(t *testing.T, old, new []string) {
	t.Helper()
	lines := differing(old, new)
	for _, l := range lines {
		t.Log(l)
	}
	s.pairs++
	s.lines += len(lines)
	s.most = max(s.most, len(lines))
	if len(lines) == 0 {
		s.equal++
	}
}

func (s sameness) String() string {
	return fmt.Sprintf("%d equal, else %.1f lines", s.equal, float64(s.lines)/float64(max(1, s.pairs-s.equal)))
}

// lockOf returns the lines of a map's lock.
func lockOf(t *testing.T, m *mapfile.Map) []string {
	t.Helper()
	var b bytes.Buffer
	if err := m.EncodeLock(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// differing returns the lines that one of two locks has alone, with a sign as in a diff.
func differing(old, new []string) []string {
	var out []string
	for _, l := range old {
		if !slices.Contains(new, l) {
			out = append(out, "-"+l)
		}
	}
	for _, l := range new {
		if !slices.Contains(old, l) {
			out = append(out, "+"+l)
		}
	}
	return out
}

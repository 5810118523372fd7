package rank_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/waits/rank"
)

func text(s string) rank.Text { return rank.TextOf(strings.Fields(s), nil, 0) }

func TestSimilar(t *testing.T) {
	x := rank.New([]rank.Text{text("cy wait upload file"), text("cy wait menu"), text("cy wait"), text("other")})
	got := x.Similar(text("cy wait upload"))
	if !(got[0] > got[2] && got[2] > got[1] && got[1] > 0 && got[3] == 0) {
		t.Errorf("similarities are %v", got)
	}
	if got := x.Similar(text("cy wait menu")); math.Abs(got[1]-1) > 1e-9 {
		t.Errorf("a text is like itself by %v", got[1])
	}
	if got := x.Similar(text("unheard of")); got[0] != 0 {
		t.Errorf("a text without shared words is alike by %v", got[0])
	}
}

// A word counts the more, the fewer texts have it.
func TestRarity(t *testing.T) {
	x := rank.New([]rank.Text{text("wait menu"), text("upload menu"), text("wait a"), text("wait b")})
	if got := x.Similar(text("wait upload")); got[1] <= got[0] {
		t.Errorf("the frequent word makes alike by %v, the rare one by %v", got[0], got[1])
	}
}

// Words around count less than a line's own.
func TestAround(t *testing.T) {
	x := rank.New([]rank.Text{text("upload"), text("menu")})
	got := x.Similar(rank.TextOf([]string{"upload"}, []string{"menu"}, .5))
	if got[0] <= got[1] || got[1] == 0 {
		t.Errorf("similarities are %v", got)
	}
}

// Similarity is between 0 and 1, the same both ways, and the same each time.
func TestSimilarRules(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 6)
	rapid.Check(t, func(t *rapid.T) {
		var texts []rank.Text
		for _, ws := range rapid.SliceOfN(words, 1, 5).Draw(t, "texts") {
			texts = append(texts, rank.TextOf(ws, nil, 0))
		}
		x := rank.New(texts)
		for i := range texts {
			there, again := x.Similar(texts[i]), x.Similar(texts[i])
			for j := range texts {
				back := x.Similar(texts[j])[i]
				if s := there[j]; s < 0 || s > 1 || math.Abs(s-back) > 1e-9 || s != again[j] || i == j && s < 1-1e-9 {
					t.Fatalf("%v and %v: %v, %v, %v", texts[i], texts[j], s, back, again[j])
				}
			}
		}
	})
}

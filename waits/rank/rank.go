// Package rank says how alike texts are: by the cosine of their words, each weighed by how few of the texts have it
// (tf-idf).
package rank

import (
	"math"
	"slices"
	"strings"
)

// Text is one of which the words count, each with a weight; in the order of the words.
type Text []word

// word is one of a text.
type word struct {
	text   string
	weight float64
}

// TextOf is a text of words that count in full, and of others that count less.
func TextOf(own, around []string, less float64) Text {
	all := make(Text, 0, len(own)+len(around))
	for _, w := range own {
		all = append(all, word{w, 1})
	}
	for _, w := range around {
		all = append(all, word{w, less})
	}
	slices.SortStableFunc(all, func(a, b word) int { return strings.Compare(a.text, b.text) })
	t := all[:0]
	for _, w := range all {
		if n := len(t); n > 0 && t[n-1].text == w.text {
			t[n-1].weight += w.weight
		} else {
			t = append(t, w)
		}
	}
	return t
}

// Index holds texts, to find those that are like another one.
type Index struct {
	n        int
	postings map[string][]posting
	lengths  []float64
}

// posting is a text that has a word.
type posting struct {
	text   int
	weight float64
}

// New makes an index of texts, which are known by their places from there on.
func New(texts []Text) *Index {
	x := &Index{n: len(texts), postings: map[string][]posting{}, lengths: make([]float64, len(texts))}
	for i, t := range texts {
		for _, w := range t {
			x.postings[w.text] = append(x.postings[w.text], posting{i, w.weight})
		}
	}
	for i, t := range texts {
		x.lengths[i] = x.length(t)
	}
	return x
}

// rarity is the weight of a word: the fewer texts have it, the more it says.
func (x *Index) rarity(word string) float64 {
	return math.Log(1 + float64(x.n+1)/float64(len(x.postings[word])+1))
}

func (x *Index) length(t Text) float64 {
	sum := 0.0
	for _, w := range t {
		v := w.weight * x.rarity(w.text)
		sum += v * v
	}
	return math.Sqrt(sum)
}

// Similar gives for each text how alike it is to another one, from 0 to 1.
func (x *Index) Similar(t Text) []float64 {
	out := make([]float64, x.n)
	length := x.length(t)
	for _, w := range t {
		r := x.rarity(w.text)
		for _, p := range x.postings[w.text] {
			out[p.text] += w.weight * p.weight * r * r
		}
	}
	for i := range out {
		if by := length * x.lengths[i]; by > 0 {
			out[i] = min(1, out[i]/by)
		}
	}
	return out
}

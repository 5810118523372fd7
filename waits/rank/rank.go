// Package rank says how alike texts are: by the cosine of their words, each weighed by how few of the texts have it
// (tf-idf).
package rank

import (
	"math"
	"slices"
)

// Text is one of which the words count, each with a weight.
type Text map[string]float64

// TextOf is a text of words that count in full, and of others that count less.
func TextOf(own, around []string, less float64) Text {
	t := Text{}
	for _, w := range own {
		t[w]++
	}
	for _, w := range around {
		t[w] += less
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
		for word, weight := range t {
			x.postings[word] = append(x.postings[word], posting{i, weight})
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
	for _, word := range sorted(t) {
		w := t[word] * x.rarity(word)
		sum += w * w
	}
	return math.Sqrt(sum)
}

// Similar gives for each text how alike it is to another one, from 0 to 1.
func (x *Index) Similar(t Text) []float64 {
	out := make([]float64, x.n)
	length := x.length(t)
	for _, word := range sorted(t) {
		r := x.rarity(word)
		for _, p := range x.postings[word] {
			out[p.text] += t[word] * p.weight * r * r
		}
	}
	for i := range out {
		if by := length * x.lengths[i]; by > 0 {
			out[i] = min(1, out[i]/by)
		}
	}
	return out
}

// sorted are the words of a text in order, so that sums are the same each time.
func sorted(t Text) []string {
	words := make([]string, 0, len(t))
	for w := range t {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

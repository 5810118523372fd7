package search

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// filler is a value that a field may have: that of the request's member of the same name, one that the API is known to
// take, or a plain one of its kind.
func (h *hunt) filler(f field) any {
	if v, there := h.given.Named[tree.Name(f.place)]; there {
		if f.kind.Takes(v) {
			return v
		}
		if text, is := v.(string); is && (f.kind == kind.Number || f.kind == kind.Integer) {
			if n, err := strconv.ParseFloat(text, 64); err == nil && n-n == 0 {
				return n
			}
		}
	}
	if len(f.values) > 0 {
		return f.values[0]
	}
	k := f.kind
	if k == kind.Unknown || k == kind.Any {
		k = h.words.kindOf(tree.Name(f.place))
	}
	if (k == kind.String || k == kind.Unknown) && typical.Dated(tree.Name(f.place)) {
		return typical.Future
	}
	return typical.Filler(k)
}

// perField is how many values of one source go first.
const perField = 6

// values are what a field is tried with: those that are likely to matter, and the others.
func (h *hunt) values(e Endpoint, f field) (likely, others []any) {
	add := func(v any) {
		if !tree.Contains(likely, v) {
			likely = append(likely, v)
		}
	}
	for _, v := range slices.Concat(f.values, f.compared) {
		add(v)
	}
	for _, word := range f.listed {
		add(word)
	}
	for _, v := range h.compared(f) {
		add(v)
	}
	k := f.kind
	if (k == kind.Unknown || k == kind.Any) && f.works != nil {
		k = kind.Of(f.works)
		others = typical.Usual() // it may take any type
	}
	texts, numbers := h.words.near(e, tree.Name(f.place), perField)
	if k == kind.Unknown || k == kind.Any {
		for _, v := range f.usual() {
			add(v)
		}
	}
	if k == kind.Number || k == kind.Integer || k == kind.Unknown || k == kind.Any {
		for _, n := range h.numbers(numbers) {
			add(n)
		}
	}
	if k == kind.String || k == kind.Unknown || k == kind.Any {
		for _, v := range texts {
			add(v)
		}
		for _, v := range h.given.Texts[:min(len(h.given.Texts), perField)] {
			add(v)
		}
		add("x")
		add("")
		if typical.Dated(tree.Name(f.place)) {
			add(typical.Past)
			add(typical.Future)
			add(typical.Future[:10])
		}
		others = append(others, typical.Long())
		for _, v := range h.words.Values() {
			if !tree.Contains(likely, v) {
				others = append(others, v)
			}
		}
	}
	for _, v := range typical.Plain(k) {
		add(v)
	}
	add(nil)
	if k != kind.Unknown && k != kind.Any {
		add(typical.Wrong(k))
	}
	return likely, others
}

// usual are the values that a field of no known type is tried with: of one that is read those first by which its type
// shows.
func (f field) usual() []any {
	if f.kind == kind.Unknown && f.source == FromReads {
		return slices.Concat(typical.Probed(), typical.Usual())
	}
	return typical.Usual()
}

// compared are values by what the files compare the name of a field with, or look it up in: of numbers both sides.
func (h *hunt) compared(f field) (out []any) {
	if h.words == nil {
		return nil
	}
	texts, numbers := h.words.paired(tree.Name(f.place))
	for _, text := range append(texts, h.words.lookedUp(tree.Name(f.place))...) {
		if f.kind.Takes(text) {
			out = append(out, text)
		}
	}
	for _, n := range numbers {
		for _, v := range []any{n + 1, n - 1, n} {
			if f.kind.Takes(v) && !lines.IsStatus(n) { // a status has the name of many a field
				out = append(out, v)
			}
		}
	}
	return out[:min(len(out), 2*perField)]
}

// numbers are what a numeric field is tried with, where some numbers stand near its name.
func (h *hunt) numbers(near []float64) []float64 {
	out := []float64{0}
	for _, n := range near {
		out = append(out, n+1, n-1, n)
	}
	out = append(out, -1, 1e12, 1, 100, 0.5)
	for _, n := range h.given.Numbers() {
		out = append(out, n, n+1)
	}
	return out
}

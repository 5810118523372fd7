package wordings

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Told is what the error of a parser, or of the code behind it, says of a field of the answer that it did not take.
type Told struct {
	Place exchange.Place // below the body; elements of lists are *
	// From is where the place begins.
	From   From
	Kind   kind.Kind
	Values []any // that it may have
	Fits   any   // a value that the error asks for: one at a bound, or in a form; nil: it names none
	Plain  bool  // the words are no parser's
}

// Parsed reports whether a parser says it that knows the place in the answer.
func (t Told) Parsed() bool { return t.From == Root && !t.Plain }

// From is where the place that an error names begins.
type From int

// Where a place may begin.
const (
	Root    From = iota // at the answer
	Inner               // at some object of the answer, which may be the answer itself
	Missing             // at something that is not there
)

// wording is how one kind of error is worded.
type wording struct {
	language string
	re       func() *regexp.Regexp
	read     func(m []string) []Told // of the texts that the expression captures
}

// behindName is the wording of an error with a name of any length before its words. Only what stands right before these
// is read: else each byte of a long word would be tried as the first one of a name.
type behindName struct {
	wording        // which ends the text
	words   string // that it ends with
}

// longestName bounds what is read of a name before the words of an error.
const longestName = 200

// endings are the pieces of a text that end with some words, each with what may be a name before it; no byte is in two
// of them.
func endings(text, words string) (out []string) {
	for {
		before, after, found := strings.Cut(text, words)
		if !found {
			return out
		}
		out = append(out, before[max(0, len(before)-longestName):]+words)
		text = after
	}
}

// Bounds of what is read for errors.
const (
	maxErrorText = 64 << 10
	maxTold      = 60
)

// ReadErrors is what the errors in a text say of fields: in the words of parsers in many languages, as they are or
// within strings of JSON. Each place is there once, with all that is said of it.
func ReadErrors(text []byte) []Told {
	if len(text) > maxErrorText {
		text = text[len(text)-maxErrorText:]
	}
	var all []Told
	texts, parser := unfolded(text), false
	for _, t := range texts {
		for _, list := range [][]wording{pydanticWordings, tracebacks, wordings} {
			more, matched := readAll(t, list)
			all, parser = Merged(all, more), parser || matched
		}
		for _, b := range behindNames {
			for _, piece := range endings(t, b.words) {
				more, matched := readAll(piece, []wording{b.wording})
				all, parser = Merged(all, more), parser || matched
			}
		}
	}
	for i, t := range texts {
		if !parser && (i > 0 || !json.Valid(text)) { // of JSON, the texts within are sentences
			more, _ := readAll(t, sentences)
			all = Merged(all, more)
		}
	}
	whole := slices.Clone(all)
	all = slices.DeleteFunc(all, func(t Told) bool { // what is told whole is not told in part
		return t.From != Root && slices.ContainsFunc(whole, func(o Told) bool {
			return o.From < t.From && strings.HasSuffix(string(o.Place), string(t.Place[len(exchange.PlaceBody):]))
		})
	})
	return all[:min(len(all), maxTold)]
}

// readAll reads a text by all wordings of a list, and reports whether one of them is in it.
func readAll(text string, list []wording) (all []Told, matched bool) {
	for _, w := range list {
		for _, m := range w.re().FindAllStringSubmatch(text, maxTold) {
			all, matched = Merged(all, w.read(m)), true
		}
	}
	return all, matched
}

// unfolded is a text, and the strings within it where it is JSON, which may be JSON again.
func unfolded(text []byte) []string {
	all := []string{string(text)}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if depth == 0 || len(all) > 50 {
			return
		}
		switch v := v.(type) {
		case string:
			if len(v) > 4 {
				all = append(all, v)
			}
		case []any:
			if lines := texts(v); len(lines) > 1 && len(lines) == len(v) { // as those of a trace
				all = append(all, strings.Join(lines, "\n"))
			}
			for _, in := range v {
				walk(in, depth-1)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) { // where there are too many, the same ones are read each time
				walk(v[name], depth-1)
			}
		}
	}
	for line := range bytes.Lines(text) { // a log may have a value of JSON in each line
		var v any
		if len(line) > 1 && (line[0] == '{' || line[0] == '[') && json.Unmarshal(line, &v) == nil {
			walk(v, tree.MaxDepth)
		}
	}
	slices.Sort(all[1:]) // so that the order of lines and members makes no difference
	return all
}

// texts are those of the elements of a list that are texts.
func texts(list []any) (out []string) {
	for _, v := range list {
		if text, is := v.(string); is {
			out = append(out, text)
		}
	}
	return out
}

// Merged adds what is told to what was told of the same places.
func Merged(all, more []Told) []Told {
	for _, t := range more {
		if t.Place == "" {
			continue
		}
		i := slices.IndexFunc(all, func(o Told) bool { return o.Place == t.Place && o.From == t.From })
		if i < 0 {
			all = append(all, t)
			continue
		}
		if all[i].Kind == kind.Unknown {
			all[i].Kind = t.Kind
		}
		if all[i].Values == nil {
			all[i].Values = t.Values
		}
		if all[i].Fits == nil {
			all[i].Fits = t.Fits
		}
	}
	return all
}

// placeOf is the place that a path leads to, as items[0].price, items.0.price, /items/0/price, or $.items[0].price.
func placeOf(path string) exchange.Place {
	p := exchange.PlaceBody
	for _, s := range tree.Steps(strings.TrimPrefix(path, "$"), tree.MaxDepth+1) {
		p = tree.Below(p, s)
	}
	return p
}

// classKind is the same for places that Java and Go parse: what has a name of its own is an object.
func classKind(name string) kind.Kind {
	if k := kind.Named(name); k != kind.Unknown {
		return k
	}
	return kind.Object
}

var inQuotation = lazy.Regexp(`'([^']{0,60})'|"([^"]{0,60})"|([\w.-]{1,60})`)

// listed are the values of a list in words: 'a', 'b' or 'c'.
func listed(text string) (out []any) {
	for _, m := range inQuotation().FindAllStringSubmatch(text, 30) {
		v := m[1] + m[2] + m[3]
		if n, ok := number(v); ok && m[3] != "" {
			out = append(out, n)
		} else if m[3] != "or" && m[3] != "and" {
			out = append(out, v)
		}
	}
	return out
}

// number reads a number that JSON can have: not NaN, which is none, and none that is infinite.
func number(text string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

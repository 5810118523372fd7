package handset

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Everywhere returns the edits that put a variable in the place of a text in each literal that holds it by itself,
// those within some pieces of the file aside; false where one cannot be cut there. The text needs no escapes.
func Everywhere(source string, literals []Literal, text, variable string, but []script.Span, w Words) ([]script.Edit,
	bool) {
	var out []script.Edit
	for _, l := range literals {
		if slices.ContainsFunc(but, func(s script.Span) bool { return s.Start <= l.Start && l.End <= s.End }) {
			continue
		}
		var holes []Hole
		for _, piece := range pieces(source, l) {
			for _, at := range apart(source[piece[0]:piece[1]], text) {
				holes = append(holes, Hole{piece[0] + at, piece[0] + at + len(text), variable})
			}
		}
		if len(holes) == 0 {
			continue
		}
		whole := holes[0].From == l.From && holes[0].To == l.To
		written, ok := "", false
		switch {
		case l.Number && whole:
			written, ok = w.Number(variable), true
		case l.Number:
			continue // another number
		case whole && !l.Template && l.Plain:
			written, ok = variable, true
		case l.Cut:
			written, ok = w.Text(source, l, holes)
		}
		if !ok {
			return nil, false
		}
		out = append(out, script.Edit{Start: l.Start, End: l.End, Text: written})
	}
	return out, true
}

// apart lists where a text stands in another with no letter, digit or sign of a name that would go on beside it.
func apart(s, text string) (out []int) {
	if text == "" {
		return nil
	}
	for from := 0; ; {
		n := strings.Index(s[from:], text)
		if n < 0 {
			return out
		}
		at := from + n
		end := at + len(text)
		from = end
		if at > 0 && goesOn(s[at-1]) || end < len(s) && goesOn(s[end]) {
			continue
		}
		out = append(out, at)
	}
}

func goesOn(c byte) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	return letter || c >= '0' && c <= '9' || strings.IndexByte("_-@", c) >= 0
}

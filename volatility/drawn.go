package volatility

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// drawnShapes are the notations of values that are usually drawn.
const drawnShapes = notation.ShapeUUID4 | notation.ShapeUUID | notation.ShapeHex | notation.ShapeBase64 |
	notation.ShapeIPv4

// looksDrawn: the values of several answers differ with nothing in common but their form.
func looksDrawn(t *fieldStats, _ conditions) []mapfile.Evidence {
	v := &t.values
	switch {
	case t.keys.any:
		return saysOf(mapfile.SignShape, "keys")
	case t.kinds.value == 0, t.place == exchange.PlaceStatus:
	case v.only(notation.String):
		if name := notation.FormatOf(v.shapes & drawnShapes); name != "" {
			return saysOf(mapfile.SignShape, name)
		}
		switch {
		case v.shapes&notation.ShapeRandom != 0:
			return saysOf(mapfile.SignShape, "random")
		case v.shapes&notation.ShapeDigits != 0, v.all(isNumeral):
			return saysOf(mapfile.SignShape, "number")
		}
		// no paths, no times
		if all := v.texts(); drawnTogether(all) && !strings.ContainsAny(strings.Join(all, ""), "/@:") {
			return saysOf(mapfile.SignShape, "random")
		}
		if numbersVary(v.texts()) {
			return saysOf(mapfile.SignShape, "number-within")
		}
		return drawnWithin(v)
	case v.only(notation.Integer, notation.Number):
		return saysOf(mapfile.SignShape, "number")
	case v.only(notation.Boolean):
		return saysOf(mapfile.SignShape, "boolean")
	}
	return nil
}

// drawnWithin: what varies within a text was drawn.
func drawnWithin(v *values) []mapfile.Evidence {
	if !v.templated() {
		return nil
	}
	for _, g := range v.template.Gaps() {
		if len(g.Seen) > 0 {
			if _, timed := notation.TextMoment(g.Seen[0]); timed {
				continue
			}
		}
		sh := ^notation.Shapes(0)
		for _, s := range g.Seen {
			sh &= notation.ShapesOf(s)
		}
		if len(g.Seen) > 1 && sh&notation.ShapeRandom != 0 || drawnTogether(g.Seen) {
			return saysOf(mapfile.SignShape, "random-within")
		}
	}
	return nil
}

// numbersVary reports whether short texts differ in numbers alone: 120/80, 1013.2 hPa.
func numbersVary(all []string) bool {
	const numeral = "0123456789.,"
	form := ""
	for i, s := range all {
		one := strings.Map(func(r rune) rune {
			if strings.ContainsRune(numeral, r) {
				return -1
			}
			return r
		}, s)
		if i > 0 && one != form || len(one) == len(s) || len(one) > 12 {
			return false
		}
		form = one
	}
	return len(all) > 1
}

// isNumeral reports whether a text is a number, with a fraction or without.
func isNumeral(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "-0123456789.") == ""
}

// minWord is the length from which on words have their digits and capitals counted: names are shorter.
const minWord = 10

// drawnTogether reports whether texts of one length were drawn from an alphabet of letters and digits, by what they are
// like together: of those drawn, one in a few has hardly a digit, or no capital after a small letter, by chance.
func drawnTogether(all []string) bool {
	digits, capitals := 0, 0
	for _, s := range all {
		if len(s) != len(all[0]) {
			return false
		}
		d, c := oddities(s)
		digits, capitals = digits+d, capitals+c
	}
	// Names in a program have capitals as well, though fewer.
	return len(all) > 1 && (digits > 0 && digits+capitals >= 2*len(all) || capitals >= 3*len(all))
}

// oddities counts what names have none of: digits, and capitals after small letters. A text that is no long word with
// letters in it has none either.
func oddities(s string) (digits, capitals int) {
	if len(s) < minWord || strings.ContainsAny(s, " \t\n") {
		return 0, 0
	}
	letters := 0
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
		switch {
		case i == 0:
		case notation.IsDigit(c):
			digits++
		case c >= 'A' && c <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z':
			capitals++
		}
	}
	if letters < 2 {
		return 0, 0
	}
	return digits, capitals
}

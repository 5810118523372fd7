package volatility

import (
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
		case v.shapes&notation.ShapeDigits != 0, v.all(notation.IsNumeral):
			return saysOf(mapfile.SignShape, "number")
		}
		// no paths, no times
		if all := v.texts(); notation.DrawnTogether(all) && !strings.ContainsAny(strings.Join(all, ""), "/@:") {
			return saysOf(mapfile.SignShape, "random")
		}
		if notation.NumbersVary(v.texts()) {
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
		var common notation.Common
		for i, s := range g.Seen {
			common.Add(s, notation.ShapesOf(s), i+1)
		}
		if len(g.Seen) > 1 && common.Shapes&notation.ShapeRandom != 0 || notation.DrawnTogether(g.Seen) {
			return saysOf(mapfile.SignShape, "random-within")
		}
	}
	return nil
}

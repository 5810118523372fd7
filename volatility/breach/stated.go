package breach

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// statements holds the answer against what the map states of its places.
func (j *judging) statements() {
	if j.op == nil {
		return
	}
	related := map[exchange.Place][]string{} // the values of the places that relations speak of, by general place
	for _, f := range j.op.Fields {
		for _, r := range f.Holds.Relations {
			related[f.Place] = nil
			for _, p := range r.Of {
				related[p] = nil
			}
		}
	}
	j.now.Parts(func(place exchange.Place, raw string) {
		f := j.op.At(place)
		if f == nil {
			return
		}
		if _, wanted := related[f.Place]; wanted {
			related[f.Place] = append(related[f.Place], raw)
		}
		if j.apart(place) || place == exchange.PlaceStatus || f.Judgement == mapfile.Drift && !f.AppliesTo(j.print) {
			return
		}
		switch says := j.refuses(f, raw); {
		case says != "":
			j.breaks(f, place, raw, says)
		case j.recorded == nil && f.Volatile(): // whether it differs is not known
			j.add(Finding{Place: place, Kind: Moves, Field: f, Is: raw})
		}
	})
	for _, f := range j.op.Fields {
		for _, r := range f.Holds.Relations {
			if err := contradicts(f.Place, r, related); err != nil && !j.apart(f.Place) {
				j.breaks(f, f.Place, strings.Join(related[f.Place], ", "), err.Error())
			}
		}
	}
}

// breaks notes that a value is not what the map states.
func (j *judging) breaks(f *mapfile.Field, place exchange.Place, raw, says string) {
	found := Finding{Place: place, Kind: Broken, Field: f, Is: raw, Says: "is " + says, Of: f.Of}
	switch {
	case !f.Volatile():
		found.Kind, found.Was = Never, string(f.Holds.Equal)
		j.count(&found)
	case f.Category == mapfile.State && further(says):
		found.Kind = State
	}
	j.add(found)
}

// further reports whether what a value breaks is how far it was ever seen to go: what follows the state goes on.
func further(says string) bool {
	for _, s := range []string{"less than", "more than", "fewer than", "shorter than", "longer than"} {
		if strings.HasPrefix(says, s) {
			return true
		}
	}
	return false
}

// refuses says what of a value is not what holds of its place; "" where all is.
func (j *judging) refuses(f *mapfile.Field, raw string) string {
	if err := f.Holds.Satisfied(raw, j.Now.Start); err != nil {
		return err.Error()
	}
	if raw[:min(1, len(raw))] == "[" {
		if n, ok := elements(raw); ok {
			if err := f.Holds.SatisfiedLength(n); err != nil {
				return err.Error()
			}
		}
	}
	if echo := exchange.Place(f.Holds.Echo); echo != "" && echo != "/header/host" {
		if value, ok := message.ValueAt(&j.Now.Request, echo); ok && value != textOf(raw) {
			return "not " + string(echo) + " of the request"
		}
	}
	return ""
}

// contradicts returns what of a relation does not hold of the values of an answer; nil where it does, or nothing can be
// said.
func contradicts(place exchange.Place, r relation.Relation, values map[exchange.Place][]string) error {
	var of [][]string
	for _, p := range r.Of {
		of = append(of, values[p])
	}
	return r.CheckAll(values[place], of, elements)
}

// elements counts those of an array; false for what is none.
func elements(raw string) (int, bool) {
	n, err := jsontree.Parse(raw, jsontree.Bounds{Depth: compare.MaxDepth})
	if err != nil || raw[0] != '[' {
		return 0, false
	}
	return len(n.Children), true
}

// textOf is what a raw token stands for.
func textOf(raw string) string {
	if raw != "" && raw[0] == '"' {
		return jsontree.Unquote(raw)
	}
	return raw
}

package volatility

import (
	"slices"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// says is the evidence of one sign that needs no detail, or has none; saysOf that of one with a detail.
func says(s mapfile.Sign) []mapfile.Evidence { return saysOf(s, "") }

func saysOf(s mapfile.Sign, detail string) []mapfile.Evidence {
	return []mapfile.Evidence{s.Of(detail)}
}

// The shapes and names that decide more than a category.
const (
	shapeJWT      = "jwt"
	shapeBcrypt   = "bcrypt"
	nameLifecycle = "state" // of the fields that say how far the life of a thing has come
	orderOfWords  = "words"
	clockElapsed  = "elapsed"
	clockSteady   = "steady"

	clockCountdown = "countdown"
	clockAge       = "age"
	clockProgress  = "progress"
)

// explanation is one answer to why a place moves: see [mapfile.Explanation], which it becomes. Its weight is a strength
// until all that explain the place are known.
type explanation struct {
	category mapfile.Category
	weight   float64
	evidence []mapfile.Evidence
}

// draft is what the map will say of a place, while it is being found out.
type draft struct {
	field        *mapfile.Field
	stats        *fieldStats        // what was counted
	why          *fieldStats        // what of that tells why it moves, see explainedBy
	evidence     []mapfile.Evidence // the strongest first
	explanations []explanation
	strength     float64 // of the explanation that gave the category; 0 where none did
}

// has reports whether something speaks for the judgement.
func (d *draft) has(e mapfile.Evidence) bool { return slices.Contains(d.evidence, e) }

// write gives the field the codes of the evidence, as show shows them.
func (d *draft) write(show func(string) string) {
	codes := func(all []mapfile.Evidence) []string {
		out := make([]string, len(all))
		for i, e := range all {
			out[i] = show(e.String())
		}
		return out
	}
	d.field.Evidence = codes(d.evidence)
	d.field.Explanations = make([]mapfile.Explanation, len(d.explanations))
	for i, e := range d.explanations {
		d.field.Explanations[i] = mapfile.Explanation{Category: e.category, Weight: e.weight, Evidence: codes(e.evidence)}
	}
}

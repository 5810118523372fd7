package volatility

import (
	"slices"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/verdict"
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

// explanation is one answer to why a place moves. Its weight is a strength until all that explain the place are known.
type explanation = verdict.Explanation

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

// place returns what the closing passes need to know of the draft.
func (d *draft) place() *verdict.Place {
	t, v := d.stats, &d.stats.values
	return &verdict.Place{Field: d.field, Evidence: d.evidence, Explanations: d.explanations, Strength: d.strength,
		Changes: t.kinds.value, Repeats: t.links.made.list, OneGap: v.templated() && len(v.template.Gaps()) == 1}
}

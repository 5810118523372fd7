package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// evidence is one thing that speaks for a judgement. The judgement decides on evidence; the code that the map shows of
// it ("near-clock:day") is made at the very end, and never read back.
type evidence struct {
	sign   sign
	detail string // of what, or which: a unit, a shape, a name, a place; "" where the sign says it all
}

// String returns the code that the map writes: docs/map.md lists them.
func (e evidence) String() string {
	if e.detail == "" {
		return string(e.sign)
	}
	return string(e.sign) + ":" + e.detail
}

// says is the evidence of one sign that needs no detail, or has none; saysOf that of one with a detail.
func says(s sign) []evidence { return []evidence{{sign: s}} }

func saysOf(s sign, detail string) []evidence { return []evidence{{s, detail}} }

// sign is a kind of evidence.
type sign string

// The signs: what the observations show of a place that moved.
const (
	signMoved          sign = "moved"           // k/n observations differ
	signOrderOnly      sign = "order-only"      // of elements; of words
	signFollowsClock   sign = "follows-clock"   // the value, elapsed time, a steady rate
	signFollowsAddress sign = "follows-address" // nothing but the Host changed
	signContinuedOnly  sign = "continued-only"  // runs that started anew agree
	signRunsAgree      sign = "runs-agree"
	signCounter        sign = "counter"
	signSameShift      sign = "same-shift" // all numbers differ by the same
	signNoReturn       sign = "no-return"
	signOneRun         sign = "one-run"
	signMovesWithInput sign = "moves-with-input" // a digest of what moved beside it
	signMovedOnlyBy    sign = "moved-only-by"    // a condition of runs
	signClient         sign = "client"           // the client's own doing; of which request
	signNotation       sign = "notation"         // the same value, written otherwise
)

// What values look like, or are called.
const (
	signShape   sign = "shape"
	signPattern sign = "pattern" // within a text
	signName    sign = "name"
	signMessage sign = "message"
	signLooks   sign = "looks" // of a place that never moved
)

// What is left to say of a place that moves for no reason that was found.
const (
	signSometimesNull    sign = "sometimes-null"
	signSometimesAbsent  sign = mapfile.CodeSometimesAbsent
	signSometimesResized sign = "sometimes-resized"
	signSometimesFails   sign = "sometimes-fails"
	signSometimesRetyped sign = "sometimes-retyped"
	signClosedSet        sign = "closed-set"
)

// What explains a place that never moved.
const (
	signNearClock     sign = "near-clock" // within a unit of it
	signAsMade        sign = "as-made"    // a date that the answer to a write gave
	signMadeInSession sign = "made-in-session"
	signNonce         sign = "nonce" // k of n repetitions within the recording
	signHoldsHost     sign = "holds-host"
	signAddressDialed sign = "address-dialed"
	signEnvironment   sign = "environment"
)

// What other places, or the request, say of a place.
const (
	signEcho      sign = "echo"
	signBound     sign = "bound"
	signParts     sign = "parts"
	signMovesWith sign = "moves-with"
	signPartOf    sign = "part-of"
	signBeside    sign = "beside"
)

// The shapes and names that decide more than a category.
const (
	shapeJWT      = "jwt"
	shapeBcrypt   = "bcrypt"
	nameLifecycle = "state" // of the fields that say how far the life of a thing has come
	orderOfWords  = "words"
	clockElapsed  = "elapsed"
	clockSteady   = "steady"
)

// clockUnit is the unit of a clock that a value shows, by the worth of its last digit.
type clockUnit string

// The units, the largest first.
const (
	unitWeek     clockUnit = "week"
	unitDay      clockUnit = "day"
	unitMinute   clockUnit = "minute"
	unitSecond   clockUnit = "second"
	unitFraction clockUnit = "fraction"
)

// nearClock is the evidence that a value is what a clock showed, to the unit.
func nearClock(u clockUnit) evidence { return evidence{signNearClock, string(u)} }

// explanation is one answer to why a place moves: see [mapfile.Explanation], which it becomes. Its weight is a strength
// until all that explain the place are known.
type explanation struct {
	category mapfile.Category
	weight   float64
	evidence []evidence
}

// draft is what the map will say of a place, while it is being found out.
type draft struct {
	field        *mapfile.Field
	stats        *fieldStats // what was counted
	evidence     []evidence  // the strongest first
	explanations []explanation
}

// has reports whether something speaks for the judgement.
func (d *draft) has(e evidence) bool { return slices.Contains(d.evidence, e) }

// write gives the field the codes of the evidence, as show shows them.
func (d *draft) write(show func(string) string) {
	codes := func(all []evidence) []string {
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

// byCode orders evidence by what the map writes.
func byCode(a, b evidence) int { return cmp.Compare(a.String(), b.String()) }

package mapfile

import "strings"

// Evidence is one thing that speaks for a judgement. The judgement decides on such values, and so does who reads a map;
// the codes in which a [Field] lists them ("near-clock:day") are what [Evidence.String] makes of them, and
// [ParseEvidence] reads them back.
type Evidence struct {
	Sign   Sign
	Detail string // of what, or which: a unit, a shape, a name, a place; "" where the sign says it all
}

// Alone is the evidence of a sign that says it all.
func (s Sign) Alone() Evidence { return Evidence{Sign: s} }

// Of is the evidence of a sign with a detail; "" for none.
func (s Sign) Of(detail string) Evidence { return Evidence{Sign: s, Detail: detail} }

// String returns the code that a map has: docs/map.md lists them.
func (e Evidence) String() string {
	if e.Detail == "" {
		return string(e.Sign)
	}
	return string(e.Sign) + ":" + e.Detail
}

// ParseEvidence reads a code of a map. Any text is one: of a map that a later version wrote, the sign may be one that
// is not known here.
func ParseEvidence(code string) Evidence {
	sign, detail, _ := strings.Cut(code, ":")
	if detail == "" {
		return Evidence{Sign: Sign(code)}
	}
	return Evidence{Sign: Sign(sign), Detail: detail}
}

// Speaking returns all that speaks for the judgement of a field, and for what else would explain it.
func (f *Field) Speaking() []Evidence {
	var out []Evidence
	add := func(codes []string) {
		for _, code := range codes {
			out = append(out, ParseEvidence(code))
		}
	}
	add(f.Evidence)
	for _, e := range f.Explanations {
		add(e.Evidence)
	}
	return out
}

// Sign is a kind of evidence.
type Sign string

// The signs: what the observations show of a place that moved.
const (
	SignMoved          Sign = "moved"           // k/n observations differ
	SignOrderOnly      Sign = "order-only"      // of elements; of words
	SignFollowsClock   Sign = "follows-clock"   // the value, elapsed time, a steady rate
	SignFollowsAddress Sign = "follows-address" // nothing but the Host changed
	SignContinuedOnly  Sign = "continued-only"  // runs that started anew agree
	SignEventual       Sign = "eventual"        // within how long a read came right by itself
	SignPerClient      Sign = "per-client"      // each new client has its own, and keeps it
	SignAtOnce         Sign = "at-once"         // how many requests sent at once moved it
	SignCached         Sign = "cached"          // for how long, as the answer says
	SignRunsAgree      Sign = "runs-agree"
	SignCounter        Sign = "counter"
	SignCountsRequests Sign = "counts-requests" // from each request of a run to the next
	SignLimited        Sign = "limited"         // the status that says so
	SignSameShift      Sign = "same-shift"      // all numbers differ by the same
	SignNoReturn       Sign = "no-return"
	SignOneRun         Sign = "one-run"
	SignMovesWithInput Sign = "moves-with-input" // a digest of what moved beside it
	// which value of an external service's answer: "rates.example.com/latest#/usd"
	SignFollowsExternal Sign = "follows-external"
	SignMovedOnlyBy     Sign = "moved-only-by" // a condition of runs
	SignByMachine       Sign = "by-machine"    // each machine has its own
	SignClockStep       Sign = "clock-step"    // the least step of the clock that moved it, exchange.ClockStep
	SignClient          Sign = "client"        // the client's own doing; of which request
	SignNotation        Sign = "notation"      // the same value, written otherwise
)

// What values look like, or are called.
const (
	SignShape   Sign = "shape"
	SignPattern Sign = "pattern" // within a text
	SignName    Sign = "name"
	SignMessage Sign = "message"
	SignLooks   Sign = "looks" // of a place that never moved
)

// What is left to say of a place that moves for no reason that was found.
const (
	SignSometimesNull    Sign = "sometimes-null"
	SignSometimesAbsent  Sign = "sometimes-absent"
	SignSometimesResized Sign = "sometimes-resized"
	SignSometimesFails   Sign = "sometimes-fails"
	SignSometimesRetyped Sign = "sometimes-retyped"
	SignClosedSet        Sign = "closed-set"
)

// What explains a place that never moved.
const (
	SignNearClock     Sign = "near-clock" // within a unit of it
	SignAsMade        Sign = "as-made"    // a date that the answer to a write gave
	SignMadeInSession Sign = "made-in-session"
	SignNonce         Sign = "nonce" // k of n repetitions within the recording
	SignHoldsHost     Sign = "holds-host"
	SignAddressDialed Sign = "address-dialed"
	SignEnvironment   Sign = "environment"
)

// What other places, or the request, say of a place.
const (
	SignEcho      Sign = "echo"
	SignBound     Sign = "bound"
	SignSameAs    Sign = "same-as" // which place has the same value, and better evidence
	SignParts     Sign = "parts"
	SignMovesWith Sign = "moves-with"
	SignPartOf    Sign = "part-of"
	SignBeside    Sign = "beside"
)

// ClockUnit is the unit of a clock that a value shows, by the worth of its last digit.
type ClockUnit string

// The units, the largest first.
const (
	UnitYear     ClockUnit = "year"
	UnitMonth    ClockUnit = "month"
	UnitWeek     ClockUnit = "week"
	UnitDay      ClockUnit = "day"
	UnitHour     ClockUnit = "hour"
	UnitMinute   ClockUnit = "minute"
	UnitSecond   ClockUnit = "second"
	UnitFraction ClockUnit = "fraction"
	UnitElapsed  ClockUnit = "elapsed" // of a duration: the time that had passed
)

// NearClock is the evidence that a value is what a clock showed, to the unit.
func NearClock(u ClockUnit) Evidence { return SignNearClock.Of(string(u)) }

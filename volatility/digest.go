package volatility

import (
	"math/bits"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
)

// digestShapes are those of values that may be computed from others.
const digestShapes = notation.ShapeHex | notation.ShapeBase64

// digestMoves counts, in observations, whether a value that may be a digest moved when, and only when, something in the
// body did that it may be the digest of.
type digestMoves struct{ together, alone, still, quiet int }

// computed reports whether it did so each time, often enough for a value that is drawn anew or never to show itself.
func (n digestMoves) computed() bool {
	return n.together >= 2 && n.quiet >= 2 && n.alone == 0 && n.still == 0
}

func (n *digestMoves) absorb(u digestMoves) {
	n.together += u.together
	n.alone += u.alone
	n.still += u.still
	n.quiet += u.quiet
}

// compareDigests holds the values of the step that may be digests against what moved in the body beside them. Answers
// in a row say nothing: what a session drew when it began stays in them, as all else does.
func (w *stepAnalysis) compareDigests() {
	if w.inRow || len(w.digests) == 0 || len(w.same) == 0 || len(w.same) > maxTogether {
		return
	}
	all := uint64(1)<<len(w.same) - 1
	for _, t := range w.digests {
		own, others := uint64(0), uint64(0)
		if t.mark.step == w.judge.steps {
			own = t.mark.changed
		}
		for _, c := range w.changes {
			if c.stats != t && c.stats.place.Within(exchange.PlaceBody) && !c.stats.values.mayBeDigest() {
				others |= c.stats.mark.changed
			}
		}
		t.digest.together += bits.OnesCount64(own & others)
		t.digest.alone += bits.OnesCount64(own &^ others)
		t.digest.still += bits.OnesCount64(others &^ own)
		t.digest.quiet += bits.OnesCount64(all &^ own &^ others)
	}
}

// mayBeDigest reports whether all values have the alphabet and the one length of a digest.
func (v *values) mayBeDigest() bool {
	return v.strings > 0 && v.shapes&digestShapes != 0 && v.minLen == v.maxLen && v.minLen >= 8
}

package marked

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Spec is a file, by its text.
type Spec string

// SpecOf is the spec with a text.
func SpecOf(text string) Spec {
	sum := sha256.Sum256([]byte(text))
	return Spec(hex.EncodeToString(sum[:8]))
}

// Sleep is a sleep of a spec.
type Sleep struct {
	Spec Spec
	Line int // from 1
}

// Phase is what a spec says by a mark.
type Phase string

// The marks of a sleep, in their order, and those of a spec.
const (
	Rests  Phase = "rest"   // nothing is done from here on
	Acts   Phase = "act"    // what stands before the sleep is done, and then the sleep
	Over   Phase = "over"   // the sleep is over
	Begins Phase = "begins" // the first test begins
	Passed Phase = "passed" // a test is over, and passed; any other word: it is over, and did not
)

// Mark is the name of the mark of a sleep.
func (s Sleep) Mark(p Phase) string {
	return exchange.OwnMark + string(s.Spec) + ":" + strconv.Itoa(s.Line) + ":" + string(p)
}

// Mark is the name of a mark of a spec.
func (s Spec) Mark(p Phase) string { return Sleep{Spec: s}.Mark(p) }

// parse reads the name of a mark.
func parse(name string) (s Sleep, p Phase, ok bool) {
	parts := strings.Split(strings.TrimPrefix(name, exchange.OwnMark), ":")
	if len(parts) != 3 {
		return s, p, false
	}
	line, err := strconv.Atoi(parts[1])
	return Sleep{Spec(parts[0]), line}, Phase(parts[2]), err == nil
}

package setup

import (
	"crypto/sha256"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// Alike is the same text for exchanges that send the same, but for values that came from answers to requests which are
// alike themselves: each round of a client that makes a thing, and reads it, sends alike requests, though the thing has
// another id each time. What their answers differ in beside these ids does not follow from what was sent.
func (s *Session) Alike(seq uint64) string {
	if known, ok := s.provenance[seq]; ok {
		return known
	}
	e := s.exchange(seq)
	if e == nil {
		return fmt.Sprint(seq)
	}
	s.provenance[seq] = fmt.Sprint(seq) // where a value seems to come from itself
	var fills []message.Fill
	from := sha256.New()
	for _, t := range s.takes[seq] {
		if t.Place.InHeader() || len(fills) == message.MaxMarkers {
			continue
		}
		fills = append(fills, message.Fill{Place: t.Place, Before: t.Value, After: message.Marker(len(fills), t.Value)})
		_, _ = fmt.Fprintf(from, "%s %s %s\x00", t.Place, t.Producer.Place, s.Alike(t.Producer.Seq))
	}
	asked := s.asked(e)
	if len(fills) > 0 {
		filled := *e
		filled.Request = message.Filled(&e.Request, fills...)
		asked.fp = exchange.Exact(&filled)
	}
	s.provenance[seq] = fmt.Sprintf("%x %q %x", asked.fp, asked.who, from.Sum(nil))
	return s.provenance[seq]
}

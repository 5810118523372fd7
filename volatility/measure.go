package volatility

import (
	"math/bits"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// sizeClass names the class of a body's size in bytes: each but the first reaches to four times the one before it.
func sizeClass(n int) string {
	if n == 0 {
		return "empty"
	}
	limit := 256
	for n >= limit && limit < 1<<40 {
		limit *= 4
	}
	return "below " + byteCount(limit)
}

func byteCount(n int) string {
	units := [...]string{" B", " KiB", " MiB", " GiB", " TiB"}
	i := (bits.Len(uint(n)) - 1) / 10
	return strconv.Itoa(n>>(10*i)) + units[i]
}

// anotherSize reports whether two sizes are of classes apart: a class that is left by a few bytes is none.
func anotherSize(a, b int) bool {
	return (a > 2*b || b > 2*a) && sizeClass(a) != sizeClass(b)
}

// timingClass names the class of the time that an answer took: each reaches to ten times the one before it.
func timingClass(d time.Duration) string {
	for limit := time.Millisecond; limit <= 100*time.Second; limit *= 10 {
		if d < limit {
			return "below " + limit.String()
		}
	}
	return "100s or more"
}

// anotherTiming reports whether an answer took a time of another class, by far more than machines that do other things
// meanwhile account for.
func anotherTiming(a, b time.Duration) bool {
	return (a-b).Abs() >= 100*time.Millisecond && (a > 5*b || b > 5*a) && timingClass(a) != timingClass(b)
}

// measures judges the size of the answers and the time that they took, over those that have the recorded status.
func (w *stepAnalysis) measures() {
	size := w.rec.answer.Size()
	w.judgeWhole(mapfile.PlaceSize, token(sizeClass(size)), w.same, func(s *answerView) (string, bool) {
		n := s.answer.Size()
		if !anotherSize(size, n) {
			return "", false
		}
		return token(sizeClass(n)), true
	})
	if !w.rec.at.Known() {
		return
	}
	took := w.rec.at.To.Sub(w.rec.at.From)
	w.judgeWhole(mapfile.PlaceTiming, token(timingClass(took)), w.same, func(s *answerView) (string, bool) {
		d := s.at.To.Sub(s.at.From)
		if !s.at.Known() || !anotherTiming(took, d) {
			return "", false
		}
		return token(timingClass(d)), true
	})
}

// token returns the name of a class as a raw JSON token; there is nothing in it to be escaped.
func token(class string) string { return `"` + class + `"` }

// explainSize gives the size the category of what moves in the body, where that is of one.
func explainSize(_ *judge, o *operationDraft) {
	size := o.at(mapfile.PlaceSize)
	if size == nil || !size.field.Volatile() {
		return
	}
	var from *mapfile.Field
	for _, d := range o.drafts {
		f := d.field
		if !f.Place.Within(exchange.PlaceBody) || !f.Volatile() || f.Repeats() {
			continue
		}
		if from != nil && from.Category != f.Category {
			return
		}
		from = f
	}
	if from == nil {
		return
	}
	with := mapfile.SignMovesWith.Of(string(from.Place))
	size.field.Category = from.Category
	size.evidence = append(size.evidence, with)
	size.explanations = withFirst(size.explanations, explanation{from.Category, strong, []mapfile.Evidence{with}})
}

package volatility

import (
	"math/bits"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
)

// The places of what is measured of an answer as a whole, in classes.
const (
	placeSize   exchange.Place = "/size"
	placeTiming exchange.Place = "/timing"
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
	return sizeClass(a) != sizeClass(b) && (a > 2*b || b > 2*a)
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
	return timingClass(a) != timingClass(b) && (a > 5*b || b > 5*a) && (a-b).Abs() >= 100*time.Millisecond
}

// measures judges the size of the answers and the time that they took, over those that have the recorded status.
func (w *work) measures() {
	size := w.rec.answer.Size()
	w.measure(placeSize, sizeClass(size), func(s *sight) (string, bool) {
		n := s.answer.Size()
		return sizeClass(n), anotherSize(size, n)
	})
	if !w.rec.at.known() {
		return
	}
	took := w.rec.at.to.Sub(w.rec.at.from)
	w.measure(placeTiming, timingClass(took), func(s *sight) (string, bool) {
		d := s.at.to.Sub(s.at.from)
		return timingClass(d), s.at.known() && anotherTiming(took, d)
	})
}

// measure judges one measure: class gives that of an answer, and whether it is another one than the recorded.
func (w *work) measure(place exchange.Place, recorded string, class func(*sight) (string, bool)) {
	t := w.operation.tally([]byte(place))
	w.once(t, len(w.same))
	if !w.again {
		t.recorded++
	}
	before := string(quoted(recorded))
	t.values.add(scalarOf(before))
	c := &change{tally: t, kind: compare.Changed, before: before, after: make([]string, len(w.same))}
	for i, s := range w.same {
		after, other := class(s)
		if !other {
			continue
		}
		w.differs(t, i, len(w.same), s.run)
		t.kinds.value++
		c.after[i] = string(quoted(after))
		t.values.add(scalarOf(c.after[i]))
	}
	if t.mark.changed != 0 {
		w.pattern(c, w.same)
	}
}

// sized gives the size the category of what moves in the body, where that is of one.
func (o *Operation) sized() {
	size := o.At(placeSize)
	if size == nil || !size.Volatile() {
		return
	}
	var from *Field
	for _, f := range o.Fields {
		if !f.Place.Within(exchange.PlaceBody) || !f.Volatile() || f.repeats() {
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
	code := "moves-with:" + string(from.Place)
	size.Category, size.Evidence = from.Category, append(size.Evidence, code)
	size.Explanations = shares(append([]Explanation{{from.Category, telltale, []string{code}}}, size.Explanations...))
}

package volatility

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Satisfied returns nil where a value is what h states, and else what it is not, without the value. raw is its raw JSON token,
// made is when its answer was. Echo, Bound, Order, Monotone and Relations are about more than the value, and not looked at; see
// [Relation.Check].
func (h *Holds) Satisfied(raw string, made time.Time) error {
	v := scalarOf(raw)
	if !h.typed(v) {
		return fmt.Errorf("not %s", article(h.Type))
	}
	if len(h.Equal) > 0 && !compare.Same(string(h.Equal), raw) {
		return errors.New("not the value that it always had")
	}
	if len(h.OneOf) > 0 && !h.among(raw) {
		return fmt.Errorf("not one of the %d values seen", len(h.OneOf))
	}
	switch {
	case v.kind == isNull:
		return nil
	case v.kind == isString:
		if err := h.textSatisfied(v.text); err != nil {
			return err
		}
	case v.numeric():
		if err := h.numberSatisfied(v); err != nil {
			return err
		}
	}
	if h.Clock > 0 {
		return h.timeSatisfied(v, made)
	}
	return nil
}

// SatisfiedLength is [Holds.Satisfied] for the number of elements of an array.
func (h *Holds) SatisfiedLength(n int) error {
	if h.MinLength != nil && n < *h.MinLength {
		return fmt.Errorf("fewer than %d elements", *h.MinLength)
	}
	if h.MaxLength != nil && n > *h.MaxLength {
		return fmt.Errorf("more than %d elements", *h.MaxLength)
	}
	return nil
}

// typed reports whether a value has one of the types. A number without a fraction is a number too.
func (h *Holds) typed(v scalar) bool {
	if h.Type == "" {
		return true
	}
	name := typeNames[v.kind]
	for t := range strings.SplitSeq(h.Type, "|") {
		if t == name || t == "number" && name == "integer" {
			return true
		}
	}
	return false
}

// article writes a type as a person would: an integer, a string or null.
func article(types string) string {
	names := strings.Split(types, "|")
	for i, name := range names {
		switch {
		case name == "null":
		case strings.IndexByte("aio", name[0]) >= 0:
			names[i] = "an " + name
		default:
			names[i] = "a " + name
		}
	}
	return strings.Join(names, " or ")
}

func (h *Holds) among(raw string) bool {
	for _, one := range h.OneOf {
		if compare.Same(string(one), raw) {
			return true
		}
	}
	return false
}

// textSatisfied checks what is said of strings.
func (h *Holds) textSatisfied(text string) error {
	size := utf8.RuneCountInString(text)
	if h.Format == "binary" {
		n, ok := binaryLen(text)
		if !ok {
			return errors.New("not bytes")
		}
		size = n
	} else if h.Format != "" && !formatted(h.Format, text) {
		return fmt.Errorf("not in the format %s", h.Format)
	}
	if h.Pattern != "" {
		re, err := regexp.Compile(h.Pattern)
		if err != nil || !re.MatchString(text) {
			return errors.New("not of the pattern seen")
		}
	}
	if h.MinLength != nil && size < *h.MinLength {
		return fmt.Errorf("shorter than %d", *h.MinLength)
	}
	if h.MaxLength != nil && size > *h.MaxLength {
		return fmt.Errorf("longer than %d", *h.MaxLength)
	}
	return nil
}

// formatted reports whether a text is written in a format. Where a date is no day of any calendar, it is none.
func formatted(format, text string) bool {
	if n, ok := strings.CutPrefix(format, "hex:"); ok && strconv.Itoa(utf8.RuneCountInString(text)) != n {
		return false
	}
	if strings.HasPrefix(format, "epoch-") {
		return allDigits(text) && epochUnit(float(text)) == format
	}
	name, _, _ := strings.Cut(format, ":")
	if re := formatExpressions[name]; re != nil && !re.MatchString(text) {
		return false
	}
	switch name {
	case "rfc3339", "rfc1123", "datetime", "date":
		_, ok := textMoment(text)
		return ok
	}
	return true // or of a later version: nothing can be said against it
}

// formatExpressions are those of FormatPatterns, anchored.
var formatExpressions = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for name, pattern := range FormatPatterns() {
		out[name] = regexp.MustCompile(`\A(?:` + pattern + `)\z`)
	}
	return out
}()

// epochUnit names the unit of a number since the epoch; "" where it can be none.
func epochUnit(n float64) string {
	return epochFormat(values{numbers: 1, min: n, max: n})
}

// numberSatisfied checks what is said of numbers.
func (h *Holds) numberSatisfied(v scalar) error {
	n := float(v.raw)
	if low, err := h.Min.Float64(); h.Min != "" && err == nil && n < low {
		return fmt.Errorf("less than %s", h.Min)
	}
	if high, err := h.Max.Float64(); h.Max != "" && err == nil && n > high {
		return fmt.Errorf("more than %s", h.Max)
	}
	if strings.HasPrefix(h.Format, "epoch-") && epochUnit(n) != h.Format {
		return fmt.Errorf("not in the format %s", h.Format)
	}
	return nil
}

// timeSatisfied checks how far from its answer a time is.
func (h *Holds) timeSatisfied(v scalar, made time.Time) error {
	m, ok := momentOf(v)
	if !ok {
		return errors.New("not a time")
	}
	within := time.Duration(h.Clock)*time.Second + m.unit
	if d := m.distance(span{made, made}); d.Abs() > within {
		return fmt.Errorf("not within %d s of the answer", h.Clock)
	}
	return nil
}

// Check returns nil where a relation holds of a value and those of the places that Of lists, all as raw JSON tokens, and else what
// does not. Of count and total, of is given the tokens of all elements one after the other: those of Of[0] first. Orders of
// arrays are not looked at.
func (r Relation) Check(raw string, of ...string) error {
	x := valueOf(raw)
	row := []value{x}
	for _, o := range of {
		row = append(row, valueOf(o))
	}
	if x.kind == absent {
		return nil
	}
	ok := true
	switch r.Is {
	case RelCount:
		d, is := fixedOf(strconv.Itoa(len(of)))
		ok = is && x.kind == isDecimal && x.d.equal(d)
	case RelTotal:
		ok = r.totals(x, row[1:])
	case RelAscending, RelDescending:
	default:
		ok = r.relates(row)
	}
	if !ok {
		return fmt.Errorf("not %s of %s", r.Is, placesText(r.Of))
	}
	return nil
}

// CheckAll is [Relation.Check] of each value that an answer has at a place, own, and of those that it has at each place of Of, in
// their order, all as raw JSON tokens. It returns nil also where it cannot be told which of them belong together. elements returns
// how many elements an array has, and false for what is none that can be read.
func (r Relation) CheckAll(own []string, of [][]string, elements func(raw string) (n int, ok bool)) error {
	switch r.Is {
	case RelCount:
		if len(own) != 1 || len(of[0]) != 1 {
			return nil
		}
		n, ok := elements(of[0][0])
		if !ok {
			return nil
		}
		return r.Check(own[0], make([]string, n)...)
	case RelTotal:
		if len(own) != 1 || len(of) > 1 && len(of[0]) != len(of[1]) {
			return nil
		}
		return r.Check(own[0], slices.Concat(of...)...)
	}
	for _, list := range of {
		if len(list) != len(own) {
			return nil // some elements have no such member
		}
	}
	for i, raw := range own {
		row := make([]string, len(of))
		for k := range of {
			row[k] = of[k][i]
		}
		if err := r.Check(raw, row...); err != nil {
			return err
		}
	}
	return nil
}

func placesText(places []exchange.Place) string {
	var b strings.Builder
	for i, p := range places {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(string(p))
	}
	return b.String()
}

// relates holds a relation of single values against a row: the value first, then the others.
func (r Relation) relates(row []value) bool {
	if len(row) != len(r.Of)+1 {
		return true
	}
	timed := r.timed(row)
	for i := range row {
		if row[i].kind == absent {
			return true // said of answers that have them all
		}
		if timed && !row[i].moment() {
			return false
		}
	}
	c := &candidate{kind: r.Is, a: 0, b: 1, c: -1}
	if len(row) > 2 {
		c.c = 2
	}
	if r.By != "" {
		var ok bool
		if c.by, ok = fixedOf(string(r.By)); !ok {
			return true
		}
	}
	s := &scope{vars: make([]*variable, len(row))}
	for i := range s.vars {
		s.vars[i] = &variable{timed: timed}
	}
	switch r.Is {
	case RelAtMost:
		c.kind, c.a, c.b = RelAtLeast, 1, 0
	case RelDifference: // p == a - b where a == p + b
		c.kind, c.a, c.b, c.c = RelSum, 1, 0, 2
	}
	return s.check(c, row) != contradicted
}

// timed reports whether a relation is one of times.
func (r Relation) timed(row []value) bool {
	switch r.Is {
	case RelOffset, RelAtLeast, RelAtMost:
		return row[0].kind == isText
	}
	return false
}

// totals adds up the values of the elements of an array, or the products of two of them.
func (r Relation) totals(x value, all []value) bool {
	n := len(all) / max(1, len(r.Of))
	sum := fixed{}
	for i := range n {
		term := all[i]
		if term.kind != isDecimal {
			return true
		}
		d, ok := term.d, true
		if len(r.Of) > 1 {
			if all[n+i].kind != isDecimal {
				return true
			}
			d, ok = d.times(all[n+i].d)
		}
		if ok {
			sum, ok = sum.plus(d)
		}
		if !ok {
			return true
		}
	}
	return x.kind == isDecimal && x.d.rounded(sum, x.d.scale)
}

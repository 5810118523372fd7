package mapfile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Satisfied returns nil where a value is what h states, and else what it is not, without the value. raw is its raw JSON
// token, made is when its answer was. Echo, Bound, Order, Monotone and Relations are about more than the value, and not
// looked at; see [relation.Relation.Check].
func (h *Holds) Satisfied(raw string, made time.Time) error {
	v := notation.ScalarOf(raw)
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
	case v.Kind == notation.Null:
		return nil
	case v.Kind == notation.String:
		if err := h.textSatisfied(v.Text); err != nil {
			return err
		}
	case v.Numeric():
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
		return fmt.Errorf("fewer than %s", elements(*h.MinLength))
	}
	if h.MaxLength != nil && n > *h.MaxLength {
		return fmt.Errorf("more than %s", elements(*h.MaxLength))
	}
	return nil
}

func elements(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// typed reports whether a value has one of the types. A number without a fraction is a number too.
func (h *Holds) typed(v notation.Scalar) bool {
	if h.Type == "" {
		return true
	}
	name := v.Kind.String()
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
		n, ok := notation.BinaryLen(text)
		if !ok {
			return errors.New("not bytes")
		}
		size = n
	} else if h.Format != "" && !notation.Formatted(h.Format, text) {
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

// numberSatisfied checks what is said of numbers.
func (h *Holds) numberSatisfied(v notation.Scalar) error {
	n := notation.Float(v.Raw)
	if low, err := h.Min.Float64(); h.Min != "" && err == nil && n < low {
		return fmt.Errorf("less than %s", h.Min)
	}
	if high, err := h.Max.Float64(); h.Max != "" && err == nil && n > high {
		return fmt.Errorf("more than %s", h.Max)
	}
	if notation.IsEpoch(h.Format) && notation.EpochUnit(n) != h.Format {
		return fmt.Errorf("not in the format %s", h.Format)
	}
	return nil
}

// timeSatisfied checks how far from its answer a time is.
func (h *Holds) timeSatisfied(v notation.Scalar, made time.Time) error {
	m, ok := notation.MomentOf(v)
	if !ok {
		return errors.New("not a time")
	}
	within := time.Duration(h.Clock)*time.Second + m.Unit
	if d := m.Distance(notation.Span{From: made, To: made}); d.Abs() > within {
		return fmt.Errorf("not within %d s of the answer", h.Clock)
	}
	return nil
}

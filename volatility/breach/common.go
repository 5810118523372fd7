package breach

import (
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// common holds what moves within what the map states against what all earlier answers to the same request had in common
// there: what a map does not state, as another request of the operation may be answered otherwise.
func (j *judging) common() {
	wanted := map[exchange.Place]*history{}
	for _, f := range j.found {
		if f.Kind == Moves && f.Field != nil && f.Is != "" && f.Place != exchange.PlaceStatus &&
			(f.Field.Judgement == mapfile.Jitter || f.Field.Judgement == mapfile.Drift) {
			wanted[f.Field.Place] = &history{}
		}
	}
	if len(wanted) == 0 || j.recorded == nil {
		return
	}
	for _, a := range append(j.earlier[:len(j.earlier):len(j.earlier)], j.recorded) {
		if a.SameStatus(j.recorded) {
			a.Each(func(general []byte, raw string) {
				if h := wanted[exchange.Place(general)]; h != nil {
					h.add(raw)
				}
			})
		}
	}
	for place, f := range j.found {
		if h := wanted[fieldPlace(f)]; h != nil && f.Kind == Moves {
			if says := h.refuses(valueOf(f)); says != "" {
				f.Kind, f.Says = Broken, says
				j.found[place] = f
			}
		}
	}
}

func fieldPlace(f Finding) exchange.Place {
	if f.Field == nil {
		return ""
	}
	return f.Field.Place
}

// valueOf is the raw token that a finding is about; the lengths of an array stand for it where it has no elements.
func valueOf(f Finding) string {
	if f.resized && f.Is == "0" {
		return "[]"
	}
	return f.Is
}

// history is what a place had in earlier answers.
type history struct {
	of    int
	upper bool // some had a letter in upper case
	empty bool // some were an empty array
}

func (h *history) add(raw string) {
	h.of++
	h.upper = h.upper || strings.ContainsFunc(raw, unicode.IsUpper)
	h.empty = h.empty || raw == "[]"
}

// refuses says what of a value is not what all earlier ones were; "" where nothing is. That a text is none of those seen
// says nothing: of what takes one of a few texts, some are rare.
func (h *history) refuses(raw string) string {
	switch {
	case h.of < Enough:
	case raw == "[]" && !h.empty:
		return "is empty, and never was"
	case strings.HasPrefix(raw, `"`) && !h.upper && capitals(raw):
		return "is written in capitals, and never was"
	}
	return ""
}

// capitals reports whether a text has several letters, and all that have a case are in upper case.
func capitals(s string) bool {
	n := 0
	for _, r := range s {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsUpper(r):
			n++
		}
	}
	return n > 3
}

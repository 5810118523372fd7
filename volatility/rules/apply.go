package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// compiled is a rule made ready.
type compiled struct {
	Rule
	operation *regexp.Regexp // nil for every operation
	place     exchange.Place
	below     bool // the place is that of something, and what is in it is meant
	matched   bool
	decided   bool
}

func compile(r Rule) *compiled {
	out := &compiled{Rule: r, place: exchange.Place(r.Place)}
	if rest, ok := strings.CutSuffix(r.Place, "/**"); ok {
		out.place, out.below = exchange.Place(rest), true
	}
	if out.place.Root() == "header" {
		out.place = exchange.Place(strings.ToLower(string(out.place)))
	}
	if r.Operation != "" {
		out.operation = operationGlob(r.Operation)
	}
	return out
}

var reGlob = regexp.MustCompile(`\\\{[^{}/]*\\\}|\\\*\\\*|\\\*`)

// operationGlob matches the operations that a rule names.
func operationGlob(op string) *regexp.Regexp {
	pattern := reGlob.ReplaceAllStringFunc(regexp.QuoteMeta(op), func(s string) string {
		switch s {
		case `\*\*`:
			return ".*"
		case `\*`:
			return "[^/ ]*"
		}
		return "[^/]+"
	})
	return regexp.MustCompile("(?s)^" + pattern + "$")
}

// of reports whether an operation is meant.
func (r *compiled) of(op *mapfile.Operation) bool {
	switch status := fmt.Sprint(op.Status); {
	case r.Status == "":
	case strings.HasSuffix(strings.ToLower(r.Status), "xx"):
		if len(status) != 3 || status[0] != r.Status[0] {
			return false
		}
	case strings.TrimLeft(r.Status, "0") != strings.TrimLeft(status, "0"):
		return false
	}
	return r.operation == nil || r.operation.MatchString(op.Operation.String()) ||
		r.operation.MatchString(op.Method+" "+op.Template)
}

// covers reports whether a place is meant. A wildcard of the rule is met by one of the map. What is ignored is ignored
// with all that is in it.
func (r *compiled) covers(place exchange.Place) bool {
	if !r.below && (r.place == place || r.place.Matches(place)) {
		return true
	}
	if !r.below && r.Kind != mapfile.Ignore {
		return false
	}
	n := strings.Count(string(r.place), "/")
	for i := range len(place) {
		if place[i] != '/' {
			continue
		}
		if n--; n < 0 {
			return i == 0 || r.place == place[:i] || r.place.Matches(place[:i])
		}
	}
	return false
}

// Apply has the rules decide on the places that they are about, and counts the summary anew where the map has what it
// counts. Of several rules for one
// place the first decides. It returns what they hide, in the order of the map, and after that the rules that are about
// nothing, in their own order. Rules that [Rule.Check] refuses must not come here. Applied again, it changes nothing.
func Apply(m *mapfile.Map, rules []Rule) []Hidden {
	var hidden []Hidden
	complete := m.Complete()
	all := make([]*compiled, 0, len(rules))
	for _, r := range rules[:min(len(rules), maxRules)] {
		all = append(all, compile(r))
	}
	for _, op := range m.Operations {
		var own []*compiled
		for _, r := range all {
			if r.of(op) {
				own = append(own, r)
			}
		}
		for _, f := range op.Fields {
			if r := first(own, f.Place); r != nil {
				r.decided = true
				if says := decide(f, r.Rule); says != "" {
					f.Warnings = appendNew(f.Warnings, "rule: "+says)
					hidden = append(hidden, Hidden{r.Rule, op, f, says})
				}
			}
		}
	}
	for _, r := range all {
		switch {
		case !r.matched:
			hidden = append(hidden, Hidden{Rule: r.Rule, Says: "it is about nothing in this recording"})
		case !r.decided:
			hidden = append(hidden, Hidden{Rule: r.Rule, Says: "rules before it decide on all that it is about"})
		}
	}
	if len(rules) > 0 && complete {
		m.Recount()
	}
	return hidden
}

// first returns the rule that decides on a place, and marks all that are about it.
func first(rules []*compiled, place exchange.Place) (decides *compiled) {
	for _, r := range rules {
		if !r.covers(place) {
			continue
		}
		r.matched = true
		if decides == nil {
			decides = r
		}
	}
	return decides
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(slices.Clip(list), s)
}

// decide changes the judgement as the rule wants it, and says what that hides; "" where it hides nothing.
func decide(f *mapfile.Field, r Rule) string {
	was := mapfile.Ruling{Kind: r.Kind, Because: r.Because, Judgement: f.Judgement, Category: f.Category}
	if f.Rule != nil { // the map was read from a file, and rules had been applied
		was.Judgement, was.Category = f.Rule.Judgement, f.Rule.Category
	}
	f.Rule = &was
	f.Judgement, f.Category = was.Judgement, was.Category
	if r.Kind == mapfile.Pin {
		f.Judgement, f.Category, f.Protocol = mapfile.Stable, "", false
		return pinned(f, was)
	}
	if r.Kind == mapfile.Ignore { // the judgement stays as it is: nobody acts on it
		return ignores(f)
	}
	if !f.Volatile() {
		// What holds of a value that never moved is that value; a rule that calls it volatile is not to assert it.
		f.Judgement, f.Category = mapfile.WouldMove, mapfile.Unk
		f.Holds.Equal, f.Holds.OneOf = nil, nil
	}
	if r.Category != "" {
		f.Category = r.Category
	}
	if f.Judgement == mapfile.Drift {
		f.Fingerprints = []string{} // in the whole operation
	}
	return ""
}

// pinned says what a pin hides.
func pinned(f *mapfile.Field, was mapfile.Ruling) string {
	switch {
	case f.Changed > 0:
		return fmt.Sprintf("it pins a place that moved in %d of %d observations", f.Changed, f.Of)
	case was.Judgement == mapfile.WouldMove:
		return fmt.Sprintf("it pins a place that would move (%s)", was.Category)
	}
	return ""
}

// ignores says what more than another value an ignored place hides.
func ignores(f *mapfile.Field) string {
	kinds := strings.Split(f.Holds.Type, "|")
	switch retyped := slices.DeleteFunc(kinds, func(s string) bool { return s == "" }); {
	case f.Place == exchange.PlaceStatus && f.Changed > 0:
		return fmt.Sprintf("it ignores that the status moved in %d of %d observations", f.Changed, f.Of)
	case f.SometimesAbsent():
		return "it ignores a place that is not always there"
	case len(retyped) > 1:
		return "it ignores a place whose values are of several types: " + strings.Join(retyped, ", ")
	}
	return ""
}

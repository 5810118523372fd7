package volatility

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Rule is what a user says of places, over what the runs say.
type Rule struct {
	// Operation is a method and a template: "GET /orders/{id}". A segment in braces stands for any one segment of a
	// template, so names of parameters do not matter; * for any characters within a segment or a method, ** for any
	// characters at all. "" stands for every operation. Operations of further hosts are "GET //id.example:443/keys", and
	// meant by a rule without a host too.
	Operation string
	Status    string // "200"; "2xx" for a class; "" for any. "0" is a recorded fault
	// Place is a place as the map writes it, its array elements as *: "/body/items/*/price". A segment * stands for any
	// one segment, and /** at the end for everything below.
	Place    string
	Kind     mapfile.RuleKind
	Category mapfile.Category // of Force; Unk where it is ""
	Because  string           // the user's reason
	Source   string           // where the rule stands, for messages: "flaketap.yaml:12"
}

// Hidden is something that a rule keeps from being seen, or a rule that is about nothing.
type Hidden struct {
	Rule  Rule
	Op    *mapfile.Operation // nil where the rule is about nothing
	Field *mapfile.Field
	Says  string // a clause: "it pins a place that moved in 9 of 12 observations"
}

// String returns a sentence that names the rule and the place.
func (h Hidden) String() string {
	s := strings.TrimPrefix(h.Rule.Source+": ", ": ") + h.Rule.String() + ": " + h.Says
	if h.Field != nil {
		s = fmt.Sprintf("%s (%s %d %s)", s, h.Op.Operation, h.Op.Status, h.Field.Place)
	}
	return s
}

// String returns the rule on one line: "pin GET /orders/{id} 200 /body/id".
func (r Rule) String() string {
	return strings.Join(slices.DeleteFunc([]string{string(r.Kind), r.Operation, r.Status, r.Place}, func(s string) bool { return s == "" }), " ")
}

// The bounds on rules: what is longer is no place of an API.
const (
	maxRuleText = 4096
	maxRules    = 1000
)

var reStatus = regexp.MustCompile(`^([0-9]|[0-9]{3}|[0-9][xX]{2})$`)

// Check reports what is wrong with a rule.
func (r Rule) Check() error {
	method, template, found := strings.Cut(r.Operation, " ")
	segments := strings.Split(r.Place, "/")
	switch categories := []mapfile.Category{"", mapfile.Time, mapfile.Rand, mapfile.Crypt, mapfile.Unord, mapfile.RunMsg, mapfile.State, mapfile.Env, mapfile.GenErr, mapfile.Unk}; {
	case len(r.Operation) > maxRuleText || len(r.Place) > maxRuleText:
		return errors.New("the operation or the place is too long")
	case !utf8.ValidString(r.Operation) || !utf8.ValidString(r.Place):
		return errors.New("the operation or the place is no UTF-8")
	case r.Operation != "" && (!found || method == "" || !strings.HasPrefix(template, "/") && !strings.HasPrefix(template, "*")):
		return fmt.Errorf("%q is no operation such as \"GET /orders/{id}\" or \"* /orders/**\"", r.Operation)
	case r.Status != "" && !reStatus.MatchString(r.Status):
		return fmt.Errorf("%q is no status such as 404 or 2xx", r.Status)
	case r.Place == "":
		return errors.New("a rule needs a place: /body/items/*/price")
	case !placeLike(segments):
		return fmt.Errorf("%q is no place such as /status, /header/etag, /body/items/*/price, /body/meta/**", r.Place)
	case slices.Contains(segments[:len(segments)-1], "**"):
		return fmt.Errorf("%q: ** stands for everything below, and is the last segment", r.Place)
	case !slices.Contains([]mapfile.RuleKind{mapfile.Ignore, mapfile.Pin, mapfile.Force}, r.Kind):
		return fmt.Errorf("%q is no rule; ignore, pin and force are", r.Kind)
	case !slices.Contains(categories, r.Category):
		return fmt.Errorf("%q is no category; Time, Rand, Crypt, Unord, RunMsg, State, Env, GenErr and Unk are", r.Category)
	case r.Category != "" && r.Kind != mapfile.Force:
		return errors.New("only what is forced to be volatile has a category")
	}
	return nil
}

// placeLike reports whether the segments may be those of a place of a response, or stand for some.
func placeLike(segments []string) bool {
	if len(segments) < 2 || segments[0] != "" {
		return false
	}
	switch segments[1] {
	case "status", "reason", "size", "timing":
		return len(segments) == 2
	case "header", "body", "*", "**":
		return true
	}
	return false
}

// ruler is a rule made ready.
type ruler struct {
	Rule
	operation *regexp.Regexp // nil for every operation
	place     exchange.Place
	below     bool // the place is that of something, and what is in it is meant
	matched   bool
	decided   bool
}

func newRuler(r Rule) *ruler {
	out := &ruler{Rule: r, place: exchange.Place(r.Place)}
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
func (r *ruler) of(op *mapfile.Operation) bool {
	switch status := fmt.Sprint(op.Status); {
	case r.Status == "":
	case strings.HasSuffix(strings.ToLower(r.Status), "xx"):
		if len(status) != 3 || status[0] != r.Status[0] {
			return false
		}
	case strings.TrimLeft(r.Status, "0") != strings.TrimLeft(status, "0"):
		return false
	}
	return r.operation == nil || r.operation.MatchString(op.Operation.String()) || r.operation.MatchString(op.Method+" "+op.Template)
}

// covers reports whether a place is meant. A wildcard of the rule is met by one of the map. What is ignored is ignored
// with all that is in it.
func (r *ruler) covers(place exchange.Place) bool {
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
	all := make([]*ruler, 0, len(rules))
	for _, r := range rules[:min(len(rules), maxRules)] {
		all = append(all, newRuler(r))
	}
	for _, op := range m.Operations {
		var own []*ruler
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
func first(rules []*ruler, place exchange.Place) (decides *ruler) {
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
	case f.Holds.Optional || slices.Contains(f.Evidence, "sometimes-absent"):
		return "it ignores a place that is not always there"
	case len(retyped) > 1:
		return "it ignores a place whose values are of several types: " + strings.Join(retyped, ", ")
	}
	return ""
}

package rules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Rule is what a user says of places, over what the runs say.
type Rule struct {
	// Operation is a method and a template: "GET /orders/{id}". A segment in braces stands for any one segment of a
	// template, so names of parameters do not matter; * for any characters within a segment or a method, ** for any
	// characters at all. "" stands for every operation. Operations of further hosts are "GET //id.example:443/keys",
	// and meant by a rule without a host too.
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
	return strings.Join(slices.DeleteFunc([]string{string(r.Kind), r.Operation, r.Status, r.Place},
		func(s string) bool { return s == "" }), " ")
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
	switch categories := []mapfile.Category{"", mapfile.Time, mapfile.Rand, mapfile.Crypt, mapfile.Unord, mapfile.RunMsg,
		mapfile.State, mapfile.Env, mapfile.GenErr, mapfile.Unk}; {
	case len(r.Operation) > maxRuleText || len(r.Place) > maxRuleText:
		return errors.New("the operation or the place is too long")
	case !utf8.ValidString(r.Operation) || !utf8.ValidString(r.Place):
		return errors.New("the operation or the place is not UTF-8")
	case r.Operation != "" && (!found || method == "" || !strings.HasPrefix(template, "/") &&
		!strings.HasPrefix(template, "*")):
		return fmt.Errorf("%q is not an operation such as \"GET /orders/{id}\" or \"* /orders/**\"", r.Operation)
	case r.Status != "" && !reStatus.MatchString(r.Status):
		return fmt.Errorf("%q is not a status such as 404 or 2xx", r.Status)
	case r.Place == "":
		return errors.New("a rule needs a place: /body/items/*/price")
	case !placeLike(segments):
		return fmt.Errorf("%q is not a place such as /status, /header/etag, /body/items/*/price, /body/meta/**", r.Place)
	case slices.Contains(segments[:len(segments)-1], "**"):
		return fmt.Errorf("%q: ** must be the last segment; it matches everything below", r.Place)
	case !slices.Contains([]mapfile.RuleKind{mapfile.Ignore, mapfile.Pin, mapfile.Force}, r.Kind):
		return fmt.Errorf("unknown rule %q: want one of ignore, pin, force", r.Kind)
	case !slices.Contains(categories, r.Category):
		return fmt.Errorf("unknown category %q: want one of Time, Rand, Crypt, Unord, RunMsg, State, Env, GenErr, Unk", r.Category)
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

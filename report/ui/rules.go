package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// rulesView is rules that are being edited, with what they would change.
type rulesView struct {
	Rules      []ruleLine
	Kinds      []mapfile.RuleKind
	Categories []mapfile.Category
	Effect     effectView
}

// ruleLine is a rule as it was typed.
type ruleLine struct {
	I       int // counted from 0
	Rule    rules.Rule
	Trouble string
}

// Name is what messages call it.
func (l ruleLine) Name() string { return fmt.Sprintf("rule %d", l.I+1) }

// effectView is what rules make of the judgement.
type effectView struct {
	Age           age
	Before, After mapfile.Summary
	Changed       []changedPlace
	More          int      // places for which there is no room
	Hidden        []string // what the rules keep from being seen
	YAML          string   // the rules, for the configuration file
}

// changedPlace is a place on which a rule decides.
type changedPlace struct {
	Op          string
	Status      int
	Place       exchange.Place
	Was, Is     string
	Changed, Of int // observations that moved
	Rule        string
}

// The bounds on what is edited and told.
const (
	maxRules   = 100
	maxChanged = 200
	maxTyped   = 4096 // bytes of a field
)

func showRules(s *Server, r *http.Request) (any, error) {
	all := ruleLines(s.options.Analysis.Rules.Places)
	if q := r.URL.Query(); q.Get("place") != "" { // a link proposes one more
		all = append(all, ruleLine{len(all), rules.Rule{Operation: typed(q.Get("operation")),
			Status: typed(q.Get("status")), Place: typed(q.Get("place")), Kind: mapfile.RuleKind(typed(q.Get("kind")))}, ""})
	}
	if len(all) == 0 {
		all = ruleLines([]rules.Rule{{Kind: mapfile.Ignore}})
	}
	return s.newRules(r, all)
}

// tryRules shows what rules would change. It changes nothing.
func tryRules(s *Server, r *http.Request) (string, any, error) {
	all, err := readRules(r.PostForm)
	if err != nil {
		return "", nil, err
	}
	switch do, at, _ := strings.Cut(r.PostForm.Get("do"), " "); do {
	case "add":
		all = append(all, ruleLine{len(all), rules.Rule{Kind: mapfile.Ignore}, ""})
	case "remove":
		if i, err := strconv.Atoi(at); err == nil && i >= 0 && i < len(all) {
			all = slices.Delete(all, i, i+1)
		}
	default:
		v, err := s.newRules(r, all)
		return "effect", v, err
	}
	for i := range all {
		all[i].I = i
	}
	v, err := s.newRules(r, all)
	return "rules", v, err
}

// ruleLines are rules, to be edited.
func ruleLines(all []rules.Rule) []ruleLine {
	var out []ruleLine
	for i, r := range all {
		out = append(out, ruleLine{I: i, Rule: r})
	}
	return out
}

// readRules reads the fields of the editor, those of one rule after the other.
func readRules(form url.Values) ([]ruleLine, error) {
	var out []ruleLine
	for i := range form["place"] {
		at := func(name string) string {
			if i >= len(form[name]) {
				return ""
			}
			return typed(form[name][i])
		}
		r := rules.Rule{Operation: at("operation"), Status: at("status"), Place: at("place"),
			Kind: mapfile.RuleKind(at("kind")), Category: mapfile.Category(at("category")), Because: at("because")}
		if i == maxRules {
			return nil, wrong("at most %d rules can be edited here", maxRules)
		}
		out = append(out, ruleLine{I: i, Rule: r})
	}
	return out, nil
}

// typed is the text of a field without what cannot be seen, as it is shown in the field again.
func typed(s string) string {
	seen := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), maxTyped)], ""))
	return strings.TrimSpace(seen)
}

// newRules finds out what rules would change. One that is empty, or wrong, changes nothing.
func (s *Server) newRules(r *http.Request, all []ruleLine) (rulesView, error) {
	v := rulesView{Rules: all, Kinds: []mapfile.RuleKind{mapfile.Ignore, mapfile.Pin, mapfile.Force},
		Categories: report.Categories()}
	j, err := s.judge.get(r.Context())
	if err != nil {
		return v, err
	}
	var sound []rules.Rule
	for i := range all {
		rule := &all[i].Rule
		rule.Source = all[i].Name()
		if rule.Place == "" && rule.Operation == "" {
			continue
		}
		if err := rule.Check(); err != nil {
			all[i].Trouble = err.Error()
			continue
		}
		sound = append(sound, *rule)
	}
	v.Effect, err = newEffect(j, sound)
	v.Effect.Age = s.age(j)
	return v, err
}

// newEffect compares the judgement with and without rules.
func newEffect(j *judged, all []rules.Rule) (effectView, error) {
	v := effectView{Before: j.plain.Summary}
	ruled, err := j.ruled(nil)
	if err != nil {
		return v, err
	}
	for _, h := range rules.Apply(ruled, all) {
		if len(v.Hidden) < maxChanged {
			v.Hidden = append(v.Hidden, h.String())
		}
	}
	v.After = ruled.Summary
	for _, op := range ruled.Operations {
		for _, f := range op.Fields {
			if f.Rule == nil {
				continue
			}
			if len(v.Changed) == maxChanged {
				v.More++
				continue
			}
			v.Changed = append(v.Changed, changedPlace{op.Operation.String(), op.Status, f.Place,
				verdictOf(f.Rule.Judgement, f.Rule.Category), ruledVerdict(f), f.Changed, f.Of, string(f.Rule.Kind)})
		}
	}
	v.YAML, err = written(all)
	return v, err
}

func verdictOf(j mapfile.Judgement, c mapfile.Category) string {
	return strings.TrimSpace(string(j) + " " + string(c))
}

func ruledVerdict(f *mapfile.Field) string {
	if f.Rule.Kind == mapfile.Ignore {
		return "ignored"
	}
	return verdictOf(f.Judgement, f.Category)
}

// writtenRule is a rule in the configuration file.
type writtenRule struct {
	Operation string `yaml:"operation,omitempty"`
	Status    string `yaml:"status,omitempty"`
	Place     string `yaml:"place"`
	Rule      string `yaml:"rule"`
	Category  string `yaml:"category,omitempty"`
	Because   string `yaml:"because,omitempty"`
}

// written are rules as the configuration file has them; "" where there are none.
func written(all []rules.Rule) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	var file struct {
		Places []writtenRule `yaml:"places"`
	}
	for _, r := range all {
		file.Places = append(file.Places, writtenRule{Operation: r.Operation, Status: r.Status, Place: r.Place,
			Rule: string(r.Kind), Category: string(r.Category), Because: r.Because})
	}
	out, err := yaml.Marshal(&file)
	if err != nil {
		return "", fmt.Errorf("write rules: %w", err)
	}
	return string(out), nil
}

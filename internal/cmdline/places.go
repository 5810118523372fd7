package cmdline

import (
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// placesKey is the key of the configuration file that has the user's rules over judgements.
const placesKey = "places"

// maxPlaceRules bounds the rules of one file.
const maxPlaceRules = 1000

// places reads the rules over judgements:
//
//	places:
//	  - {operation: "GET /orders/{id}", status: 200, place: /body/items/*/price, rule: pin, because: "prices are ours
//	    to keep"}
//	  - {place: /header/x-request-id, rule: ignore}
//	  - {operation: "* /reports/**", place: /body/meta/**, rule: force, category: Time}
func (s *settings) places(value *yaml.Node) error {
	if isNull(value) {
		return nil
	}
	if value.Kind != yaml.SequenceNode {
		return s.wrong(value, "places must be a list of rules, each with a place and a rule (ignore, pin or force)")
	}
	if len(value.Content) > maxPlaceRules {
		return s.wrong(value, "places must have at most %d rules", maxPlaceRules)
	}
	for _, item := range value.Content {
		rule, err := s.placeRule(item)
		if err != nil {
			return err
		}
		if err := rule.Check(); err != nil {
			return s.wrong(item, "places: %w", err)
		}
		s.rules.Places = append(s.rules.Places, rule)
	}
	return nil
}

// placeRule reads one rule.
func (s *settings) placeRule(item *yaml.Node) (rules.Rule, error) {
	rule := rules.Rule{Source: fmt.Sprintf("%s:%d", filepath.Base(s.path), item.Line)}
	if item.Kind != yaml.MappingNode {
		return rule, s.wrong(item, "places: a rule must have a place and a rule (ignore, pin or force)")
	}
	keys := []string{"operation", "status", "place", "rule", "category", "because"}
	err := s.pairs(item, func(key, value *yaml.Node) error {
		if value.Kind != yaml.ScalarNode || isNull(value) || value.Value == "" {
			return s.wrong(value, "places: %s must be a string", key.Value)
		}
		switch key.Value {
		case "operation":
			if rule.Operation = value.Value; rule.Operation == "any" {
				rule.Operation = ""
			}
		case "status":
			if rule.Status = value.Value; rule.Status == "any" {
				rule.Status = ""
			}
		case "place":
			rule.Place = value.Value
		case "rule":
			rule.Kind = mapfile.RuleKind(value.Value)
		case "category":
			rule.Category = mapfile.Category(value.Value)
		case "because":
			rule.Because = value.Value
		default:
			return s.wrong(key, "places: a rule has an unknown key %q; %s", key.Value,
				console.Suggest(key.Value, keys, "want one of operation, status, place, rule, category, because"))
		}
		return nil
	})
	return rule, err
}

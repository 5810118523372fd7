package cmdline

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"

	"go.yaml.in/yaml/v3"
)

// bindingsKey is the key of the configuration file that has the user's rules for bindings.
const bindingsKey = "bindings"

// bindings reads the rules for bindings:
//
//	bindings:
//	  add:
//	    - from: {operation: POST /orders, place: /body/id}
//	      to: {operation: "GET /orders/{id}", place: /path/1}
//	  forbid:
//	    - to: {operation: GET /pages, place: /query/page}
func (s *settings) bindings(value *yaml.Node) error {
	if isNull(value) {
		return nil
	}
	if value.Kind != yaml.MappingNode {
		return s.wrong(value, "bindings must be a mapping with the keys add and forbid")
	}
	return s.pairs(value, func(key, list *yaml.Node) error {
		var into *[]flow.Rule
		var check func(flow.Rule) error
		switch key.Value {
		case "add":
			into, check = &s.rules.Bindings.Add, flow.Rule.CheckAdd
		case "forbid":
			into, check = &s.rules.Bindings.Forbid, flow.Rule.CheckForbid
		default:
			return s.wrong(key, "bindings has an unknown key %q: %s", key.Value, console.Suggest(key.Value, []string{"add", "forbid"},
				"want one of add, forbid"))
		}
		if isNull(list) {
			return nil
		}
		if list.Kind != yaml.SequenceNode {
			return s.wrong(list, "bindings.%s must be a list of rules, each with from and to", key.Value)
		}
		for _, item := range list.Content {
			rule, err := s.rule(item, "bindings."+key.Value)
			if err != nil {
				return err
			}
			if err := check(rule); err != nil {
				return s.wrong(item, "bindings.%s: %w", key.Value, err)
			}
			*into = append(*into, rule)
		}
		return nil
	})
}

// rule reads one rule; at is how its key is named.
func (s *settings) rule(item *yaml.Node, at string) (rule flow.Rule, err error) {
	if item.Kind != yaml.MappingNode {
		return rule, s.wrong(item, "%s: a rule must have from and to, each with an operation and a place", at)
	}
	err = s.pairs(item, func(key, value *yaml.Node) error {
		var into *flow.Point
		switch key.Value {
		case "from":
			into = &rule.From
		case "to":
			into = &rule.To
		default:
			return s.wrong(key, "%s: a rule has an unknown key %q: want one of from, to", at, key.Value)
		}
		if value.Kind != yaml.MappingNode {
			return s.wrong(value, "%s: %s must have an operation and a place", at, key.Value)
		}
		return s.pairs(value, func(name, text *yaml.Node) error {
			if text.Kind != yaml.ScalarNode || isNull(text) || text.Value == "" {
				return s.wrong(text, "%s: %s.%s must be a string", at, key.Value, name.Value)
			}
			switch name.Value {
			case "operation":
				into.Operation = text.Value
			case "place":
				into.Place = exchange.Place(text.Value)
			default:
				return s.wrong(name, "%s: %s has an unknown key %q: want one of operation, place", at, key.Value, name.Value)
			}
			return nil
		})
	})
	return rule, err
}

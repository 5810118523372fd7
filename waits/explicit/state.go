package explicit

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/waits/oracle"
)

// longest is how much of a property's value is recorded at most (page.js): of a longer one the rest is not known.
const longest = 200

// attributeName are the names of attributes that need no escape in a selector of CSS.
var attributeName = regexp.MustCompile(`^[a-zA-Z_][\w-]*$`)

// stateOf says what waits ask of the state that an action has to find: each of its properties that a client can ask of.
// Where it can of none, nothing is to be waited for.
func stateOf(state []oracle.Mutation) (all []aim, err error) {
	for _, m := range state {
		if a, ok := stateAim(m, state); ok {
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return nil, errUnread
	}
	return all, nil
}

// stateAim says what a wait asks of one property of a state.
func stateAim(m oracle.Mutation, state []oracle.Mutation) (a aim, ok bool) {
	name, isAttribute := strings.CutPrefix(m.Property, "@")
	found := inside(m.Element)
	switch {
	case len([]rune(m.New)) >= longest:
		return a, false
	case m.Property == "children":
		_, err := strconv.ParseUint(m.New, 10, 32)
		return aim{found: found, reads: "all", by: children, is: m.New}, err == nil
	case m.Property == "checked":
		return aim{found: found, reads: "selected", is: m.New}, m.New == "true" || m.New == "false"
	case isAttribute:
		// By CSS it is the attribute itself: what a client calls one may be a property, such as a whole URL for a path.
		suffix := attributeIs(name, m.New)
		found[len(found)-1].Value += suffix
		return aim{found: found}, suffix != ""
	case m.Property == "value":
		a = aim{found: found, reads: "property value"}
	case m.Property == "text" && shown(m, state):
		a = aim{found: found, reads: "text"}
	default:
		return a, false
	}
	text, err := json.Marshal(m.New)
	a.is = string(text)
	return a, err == nil
}

// inside is how the element is found that a selector of a session names: >>> leads into a shadow root.
func inside(selector string) (found []oracle.Locator) {
	for i, css := range strings.Split(selector, " >>> ") {
		if i > 0 {
			found = append(found, oracle.Locator{Using: "shadow"})
		}
		found = append(found, oracle.Locator{Using: "css selector", Value: css})
	}
	return found
}

// children are the children of an element.
var children = oracle.Locator{Using: "css selector", Value: ":scope > *"}

// attributeIs is the part of a selector that says what an attribute is; "" where none can say so. One that is recorded
// as empty may be none at all.
func attributeIs(name, value string) string {
	switch {
	case !attributeName.MatchString(name) || name == "style" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return ""
	case value == "":
		return ":is(:not([" + name + "]), [" + name + "=\"\"])"
	}
	return "[" + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"]`
}

// shown reports whether an element's text is recorded as a client reads it: in one line, and not put together of those
// of its children, between which a browser may show line breaks. Their number tells of these.
func shown(m oracle.Mutation, state []oracle.Mutation) bool {
	return m.New == strings.Join(strings.Fields(m.New), " ") && !slices.ContainsFunc(state, func(o oracle.Mutation) bool {
		return o.Element == m.Element && o.Property == "children" && o.New != "0"
	})
}

// eachOf are the conditions of aims, as a language has them.
func eachOf(all []aim, condition func(aim) (string, error)) (each []string, err error) {
	for _, a := range all {
		text, err := condition(a)
		if err != nil {
			return nil, err
		}
		each = append(each, text)
	}
	return each, nil
}

// promised is a promise in JavaScript that tells whether all aims are reached, of the promises for each.
func promised(all []aim, condition func(aim) (string, error)) (string, error) {
	each, err := eachOf(all, condition)
	if err != nil || len(each) == 1 {
		return strings.Join(each, ""), err
	}
	return "Promise.all([" + strings.Join(each, ", ") + "]).then((all) => all.every((is) => is))", nil
}

// picked reports whether an element is one of several that are found, of which there may be too few.
func picked(all []aim) bool {
	return slices.ContainsFunc(all, func(a aim) bool {
		return slices.ContainsFunc(a.found, func(l oracle.Locator) bool { return l.Nth > 0 })
	})
}

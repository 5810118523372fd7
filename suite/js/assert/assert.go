// Package assert reads and writes assertions in the words of the assert of Node, and of Chai: what they say is read in
// those of expect, as Jest has it.
package assert

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/expect"
)

// Expected is what a function of assert expects of its first argument, by those behind it.
func Expected(name string, args []*js.Node) expect.Expectation {
	e := expect.Expectation{Subject: args[0], Args: args[1:min(len(args), 2)]}
	switch name {
	case "ok", "isOk":
		e.Matcher, e.Args = "toBeTruthy", nil
	case "isNotOk":
		e.Matcher, e.Args = "toBeFalsy", nil
	case "isTrue", "isFalse":
		e.Matcher, e.Args = "toBe", []*js.Node{{Text: strings.ToLower(strings.TrimPrefix(name, "is"))}}
	case "isNull":
		e.Matcher, e.Args = "toBeNull", nil
	case "equal", "strictEqual", "deepEqual", "deepStrictEqual", "notEqual", "notStrictEqual", "notDeepStrictEqual", "notDeepEqual":
		if e.Matcher = "toEqual"; strings.HasPrefix(name, "not") {
			e.Words = []string{"not"}
		}
	case "isUndefined":
		e.Matcher, e.Args = "toBeUndefined", nil
	case "isDefined":
		e.Matcher, e.Args = "toBeDefined", nil
	case "isAbove", "isBelow", "isAtLeast", "isAtMost":
		e.Matcher = map[string]string{"isAbove": "toBeGreaterThan", "isBelow": "toBeLessThan",
			"isAtLeast": "toBeGreaterThanOrEqual", "isAtMost": "toBeLessThanOrEqual"}[name]
	case "closeTo", "approximately":
		e.Matcher, e.Args = "closeTo", args[1:min(len(args), 3)]
	case "property", "propertyVal":
		e.Matcher, e.Args = "member", args[1:min(len(args), map[string]int{"property": 2, "propertyVal": 3}[name])]
	case "typeOf":
		e.Matcher = "isOfType"
	case "isString", "isNumber", "isBoolean", "isArray":
		typ := strings.ToLower(strings.TrimPrefix(name, "is"))
		e.Matcher, e.Args = "isOfType", []*js.Node{{Form: js.NodeString, Text: typ}}
	case "match":
		e.Matcher = "toMatch"
	case "include":
		e.Matcher = "toContain"
	case "lengthOf":
		e.Matcher = "toHaveLength"
	default:
		e.Matcher = "?"
	}
	return e
}

// Says writes a statement by a function of what stands for assert in a file.
func Says(base string, v js.Verb, l, r string) string {
	call := func(name string) string { return base + "." + name + "(" + l + ", " + r + ")" }
	switch v {
	case js.SaysEqual:
		return call("strictEqual")
	case js.SaysDeepEqual:
		return call("deepStrictEqual")
	case js.SaysDiffers:
		return call("notStrictEqual")
	case js.SaysDeepDiffer:
		return call("notDeepStrictEqual")
	case js.SaysMatches:
		return call("match")
	case js.SaysItems, js.SaysDeepItems, js.SaysDeepContains, js.SaysAll:
		return ""
	}
	conds := map[js.Verb]string{js.SaysOneOf: r + ".includes(" + l + ")", js.SaysContains: l + ".includes(" + r + ")",
		js.SaysLacks: "!" + l + ".includes(" + r + ")", js.SaysLess: l + " < " + r, js.SaysAtMost: l + " <= " + r,
		js.SaysGreater: l + " > " + r, js.SaysAtLeast: l + " >= " + r, js.SaysDefined: l + " !== undefined",
		js.SaysUndefined: l + " === undefined", js.SaysProperty: r + " in " + l, js.SaysFilled: l,
		js.SaysType: "typeof " + l + " === " + literal.JavaScript(r)}
	if r == "array" && v == js.SaysType {
		return base + ".ok(Array.isArray(" + l + "))"
	}
	cond, ok := conds[v]
	if !ok {
		cond = l
	}
	return base + ".ok(" + cond + ")"
}

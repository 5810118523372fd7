package expect

import (
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
)

// Says writes a statement by one of Jest's matchers.
func Says(v js.Verb, l, r string) string {
	e := "expect(" + l + ")"
	switch v {
	case js.SaysItems, js.SaysDeepItems:
		return "" // Jest's arrayContaining does not count
	case js.SaysAll:
		return e + ".toEqual(expect.arrayContaining(" + r + "))"
	case js.SaysEqual:
		return e + ".toBe(" + r + ")"
	case js.SaysDeepEqual:
		return e + ".toEqual(" + r + ")"
	case js.SaysDiffers:
		return e + ".not.toBe(" + r + ")"
	case js.SaysDeepDiffer:
		return e + ".not.toEqual(" + r + ")"
	case js.SaysOneOf:
		return "expect(" + r + ").toContain(" + l + ")"
	case js.SaysContains:
		return e + ".toContain(" + r + ")"
	case js.SaysDeepContains:
		return e + ".toContainEqual(" + r + ")"
	case js.SaysLacks:
		return e + ".not.toContain(" + r + ")"
	case js.SaysMatches:
		return e + ".toMatch(" + r + ")"
	case js.SaysLess:
		return e + ".toBeLessThan(" + r + ")"
	case js.SaysAtMost:
		return e + ".toBeLessThanOrEqual(" + r + ")"
	case js.SaysGreater:
		return e + ".toBeGreaterThan(" + r + ")"
	case js.SaysAtLeast:
		return e + ".toBeGreaterThanOrEqual(" + r + ")"
	case js.SaysDefined:
		return e + ".toBeDefined()"
	case js.SaysFilled:
		return e + ".toBeTruthy()"
	case js.SaysUndefined:
		return e + ".toBeUndefined()"
	case js.SaysProperty:
		return e + ".toHaveProperty([" + r + "])"
	case js.SaysType:
		if r == "array" {
			return "expect(Array.isArray(" + l + ")).toBe(true)"
		}
		return "expect(typeof " + l + ").toBe(" + literal.JavaScript(r) + ")"
	}
	return e + ".toBe(true)"
}

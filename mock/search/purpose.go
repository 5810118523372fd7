package search

import (
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Purpose is what a trial is for: a budget is accounted for by it.
type Purpose string

// The purposes, in the order in which a search comes to them.
const (
	toBegin      Purpose = "a request with no stubs"
	toSucceed    Purpose = "a good answer"
	toShare      Purpose = "an answer that led another request further"
	toMend       Purpose = "an error mended"
	toSupply     Purpose = "a field supplied that was read"
	toRefuse     Purpose = "a status"
	toBreak      Purpose = "a broken answer"
	toHead       Purpose = "a header"
	toDelay      Purpose = "a delay"
	toFollow     Purpose = "a sequence"
	toVary       Purpose = "a value of a field"
	toMistype    Purpose = "a type of a field"
	toOmit       Purpose = "a field left out"
	toGuess      Purpose = "names guessed at once"
	toNarrow     Purpose = "names narrowed down"
	toConfirm    Purpose = "a behavior confirmed"
	toConfirmLog Purpose = "a behavior confirmed that its log alone tells from a known one"
	toLessen     Purpose = "stubs made smaller"
	toProve      Purpose = "smaller stubs proven"
	toType       Purpose = "a type of a field not known yet"
	toFill       Purpose = "traces: a course filled"
	toTrace      Purpose = "traces: another value"
	toProveTrace Purpose = "traces: a difference proven"
	toPace       Purpose = "a pace proven"
	toOutwait    Purpose = "a bound of a wait looked for"
)

// Purposes are all of them, in their order.
func Purposes() []Purpose {
	return []Purpose{toBegin, toSucceed, toShare, toMend, toSupply, toRefuse, toBreak, toHead, toDelay,
		toFollow, toVary, toMistype, toOmit, toGuess, toNarrow, toConfirm, toConfirmLog, toLessen, toProve, toType,
		toFill, toTrace, toProveTrace, toPace, toOutwait}
}

// purpose is what the trial of a change is for.
func (c *change) purpose() Purpose {
	switch a := c.answer; {
	case c.supposed != nil:
		return toMend
	case c.shared != nil:
		return toShare
	case c.supplies || c.opens != "":
		return toSupply
	case c.group != nil:
		return toGuess
	case c.field != "":
		return c.ofField()
	case c.enlarged:
		return toVary
	case a.Then != nil:
		return toFollow
	case a.Delay > 0:
		return toDelay
	case a.Body != nil || a.Fault != "":
		return toBreak
	case a.Status/100 != 2 && a.JSON == nil, a.Interim != 0:
		return toRefuse
	case len(a.Header) > 0:
		return toHead
	}
	return toSucceed
}

// ofField is the purpose of a change of a field: another value is of the type that the base has there.
func (c *change) ofField() Purpose {
	now, there := tree.Get(c.answer.JSON, tree.Within(c.field))
	old, was := tree.Get(c.base.current(c.endpoint).JSON, tree.Within(c.field))
	switch {
	case !there:
		return toOmit
	case was && kind.Of(now) != kind.Of(old):
		return toMistype
	}
	return toVary
}

// confirming is the purpose of the trials that confirm a behavior.
func (h *hunt) confirming(seen sight) Purpose {
	if h.seen[seen.sign] {
		return toConfirmLog
	}
	return toConfirm
}

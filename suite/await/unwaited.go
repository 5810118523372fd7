package await

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Unwaited is a read that came too early, and that its test does not come to send again: no wait can be written there.
type Unwaited struct {
	Line   int // of its request, in the file as it was given
	Test   string
	Failed int // executions in which it came too early, of
	Of     int
	Why    string // no wait is written
}

// Place is what is known of where a read stands, besides the call itself.
type Place struct {
	Dialect bool // that of the suite has waits
	Secret  bool // the address that is read bears a secret
	Alone   bool // a wait could be written if no other call stood there
}

// Unwritable says why no wait is written at a read.
func Unwritable(c *script.Call, at Place) string {
	switch {
	case !at.Dialect:
		return "no waits are written in suites of this form"
	case c.Last:
		return "the loop around it ends before the API is ready"
	case c.Many:
		return "it is sent in a loop, or by a test that runs with several values"
	case c.Guarded:
		return "it is sent where it may fail, as in a try"
	case c.Hook, c.Once != "":
		return "a hook or a fixture sends it, not the test itself"
	case at.Secret:
		return "its address has a secret, and may be good for one request"
	case at.Alone:
		return "another run of its test, or request of its statement, does not wait for the same"
	}
	return "the statement that sends it has a form in which no wait can be written"
}

// SecretInURL reports whether a request bears a secret in its query, as a link does that is good for one time.
func SecretInURL(r *exchange.Request) bool {
	found := false
	message.Values(r, func(p exchange.Place, _ string) bool {
		found = found || p.Root() == "query" && exchange.Secret(p)
		return !found
	})
	return found
}

// HoldsAlone reports whether all holds, by names, that a test asserts of a call alone. What it asserts in one line is
// taken apart.
func HoldsAlone(t *script.Test, c *script.Call, names expr.Scope) bool {
	for _, a := range t.Assertions {
		parts := []expr.Expr{a.Meaning}
		if all, ok := a.Meaning.(expr.And); ok {
			parts = all.Xs
		}
		for _, part := range parts {
			of := t.Answers(part)
			if len(of) == 0 || slices.ContainsFunc(of, func(other *script.Call) bool { return other != c }) {
				continue
			}
			if holds, err := names.Holds(part); err == nil && !holds {
				return false
			}
		}
	}
	return true
}

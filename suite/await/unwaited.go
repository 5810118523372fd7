package await

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
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

// Unwritable says why no wait is written at a read. dialect says whether that of the suite has waits at all, secret
// whether the address that is read bears a secret, and alone whether a wait could be written if no other call stood there.
func Unwritable(c *script.Call, dialect, secret, alone bool) string {
	switch {
	case !dialect:
		return "no waits are written in suites of this form"
	case c.Last:
		return "the loop around it ends before the API is ready"
	case c.Many:
		return "it is sent in a loop, or by a test that runs with several values"
	case c.Guarded:
		return "it is sent where it may fail, as in a try"
	case c.Hook, c.Once != "":
		return "a hook or a fixture sends it, not the test itself"
	case secret:
		return "its address has a secret, and may be good for one request"
	case alone:
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

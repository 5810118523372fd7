package slip

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Slip is what one call sent otherwise than the session did. Where it is mended already, and the executions are those
// of before, the suite writes it as the session sent it.
type Slip struct {
	Call    int    // which of the test's
	Was     string // the body that the suite sent
	Body    string // and that of the session
	Headers []Header
}

// Header is a header that the suite sent otherwise than the session.
type Header struct {
	script.Header // as the suite writes it
	Was, Sent     string
}

// IsTransport reports whether a header, by its name in lower case, is the client's own affair.
func IsTransport(name string) bool {
	return slices.Contains([]string{"host", "content-length", "user-agent", "connection", "accept-encoding"}, name)
}

// SameBeyondASCII reports whether two texts have the same characters beyond ASCII, which clients encode in ways of
// their own.
func SameBeyondASCII(a, b string) bool {
	beyond := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < 0x80 {
				return -1
			}
			return r
		}, s)
	}
	return beyond(a) == beyond(b)
}

// Same reports whether two slips of a call are mended alike.
func (x *Slip) Same(y Slip) bool {
	return x.Body == y.Body && slices.Equal(x.Headers, y.Headers)
}

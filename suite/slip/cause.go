package slip

import (
	"math/big"
	"mime"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Tells reports whether two values differ by nothing but what a slip makes of the one: the session's and the suite's.
func (x *Slip) Tells(session, suite any) bool {
	switch a := session.(type) {
	case string:
		b, ok := suite.(string)
		return ok && x.tellsText(a, b)
	case *big.Int:
		b, ok := suite.(*big.Int)
		return ok && x.Was != x.Body && isLength(a, x.Body) && isLength(b, x.Was)
	case expr.Items:
		b, ok := suite.(expr.Items)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !expr.Equal(a[i], b[i]) && !x.Tells(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := suite.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			other, there := b[k]
			if !there || !expr.Equal(v, other) && !x.Tells(v, other) {
				return false
			}
		}
		return true
	}
	return false
}

// minText is the least length of a text that is looked for where it may be quoted, in bytes.
const minText = 4

// isLength reports whether a number is how long a text is, in bytes.
func isLength(n *big.Int, text string) bool { return n.Cmp(big.NewInt(int64(len(text)))) == 0 }

// tellsText reports whether a text is another for a slip: it quotes what was sent, or names places in it.
func (x *Slip) tellsText(session, suite string) bool {
	for _, h := range x.Headers {
		if len(h.Was) >= minText {
			suite = strings.ReplaceAll(suite, h.Was, h.Sent)
		}
	}
	if x.Was != x.Body && len(x.Body) >= minText {
		suite = strings.ReplaceAll(suite, x.Was, x.Body)
		suite = strings.ReplaceAll(suite, quoted(x.Was), quoted(x.Body))
		suite = strings.ReplaceAll(suite, strings.TrimSpace(x.Was), strings.TrimSpace(x.Body))
	}
	return session == suite || x.namesPlaces(session, suite)
}

// quoted is a text as it stands in a text of JSON.
func quoted(text string) string {
	q := literal.JSON(text)
	return string(q[1 : len(q)-1])
}

var digitRun = regexp.MustCompile(`[0-9]+`)

// namesPlaces reports whether two texts differ in numbers alone, each of which is a place in the body: "column: 17"
// where the session sent it, and "column: 20" where the suite does, with as much before it that is no blank.
func (x *Slip) namesPlaces(session, suite string) bool {
	if x.Was == x.Body || digitRun.ReplaceAllString(session, "0") != digitRun.ReplaceAllString(suite, "0") {
		return false
	}
	a, b := digitRun.FindAllString(session, -1), digitRun.FindAllString(suite, -1)
	sent, written := []rune(x.Body), []rune(x.Was)
	for i := range a {
		if a[i] != b[i] && !samePlace(sent, a[i], written, b[i]) {
			return false
		}
	}
	return true
}

// samePlace reports whether two numbers name the same place of a body that was laid out twice, counted from zero, from
// one, or by what stands behind it.
func samePlace(a []rune, at string, b []rune, bt string) bool {
	i, err := strconv.Atoi(at)
	j, errJ := strconv.Atoi(bt)
	if err != nil || errJ != nil {
		return false
	}
	for k := -1; k <= 1; k++ {
		if i+k < 0 || j+k < 0 || i+k > len(a) || j+k > len(b) {
			continue
		}
		if Filled(a[:i+k]) == Filled(b[:j+k]) {
			return true
		}
	}
	return false
}

// Filled counts the characters that are no blanks.
func Filled(text []rune) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// The statuses by which a server says that it cannot answer as it is asked to, or read what it is sent (RFC 9110).
const (
	notAcceptable = 406
	unsupported   = 415
)

// Negotiates reports whether the headers that a slip is about tell why the suite was given another kind of answer than
// the session: the one or the other was refused for them, or each was given the type that it asked for.
func (x *Slip) Negotiates(session, suite *exchange.Response) bool {
	if session == nil || suite == nil {
		return false
	}
	for _, h := range x.Headers {
		switch strings.ToLower(h.Name) {
		case "accept":
			if (session.Status == notAcceptable) != (suite.Status == notAcceptable) {
				return true
			}
			a, b := mediaType(session), mediaType(suite)
			if session.Status == suite.Status && a != b && accepts(h.Sent, a) && accepts(h.Was, b) &&
				!(accepts(h.Sent, b) && accepts(h.Was, a)) {
				return true
			}
		case "content-type":
			if (session.Status == unsupported) != (suite.Status == unsupported) {
				return true
			}
		}
	}
	return false
}

// mediaType returns the media type of an answer, in lower case and without parameters.
func mediaType(r *exchange.Response) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}

// accepts reports whether a type is among those that an Accept header asks for.
func accepts(header, kind string) bool {
	group, _, _ := strings.Cut(kind, "/")
	for one := range strings.SplitSeq(header, ",") {
		one, _, _ = strings.Cut(one, ";")
		switch one = strings.ToLower(strings.TrimSpace(one)); one {
		case "*/*", group + "/*", kind:
			return kind != ""
		}
	}
	return false
}

package suite

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

// tells reports whether two values differ by nothing but what a slip makes of the one: the session's and the suite's.
func (x *slip) tells(session, suite any) bool {
	switch a := session.(type) {
	case string:
		b, ok := suite.(string)
		return ok && x.tellsText(a, b)
	case *big.Int:
		b, ok := suite.(*big.Int)
		return ok && x.was != x.body && isLength(a, x.body) && isLength(b, x.was)
	case expr.Items:
		b, ok := suite.(expr.Items)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !expr.Equal(a[i], b[i]) && !x.tells(a[i], b[i]) {
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
			if !there || !expr.Equal(v, other) && !x.tells(v, other) {
				return false
			}
		}
		return true
	}
	return false
}

// isLength reports whether a number is how long a text is, in bytes.
func isLength(n *big.Int, text string) bool { return n.Cmp(big.NewInt(int64(len(text)))) == 0 }

// tellsText reports whether a text is another for a slip: it quotes what was sent, or names places in it.
func (x *slip) tellsText(session, suite string) bool {
	for _, h := range x.headers {
		if len(h.was) >= minFragment {
			suite = strings.ReplaceAll(suite, h.was, h.sent)
		}
	}
	if x.was != x.body && len(x.body) >= minFragment {
		suite = strings.ReplaceAll(suite, x.was, x.body)
		suite = strings.ReplaceAll(suite, quoted(x.was), quoted(x.body))
		suite = strings.ReplaceAll(suite, strings.TrimSpace(x.was), strings.TrimSpace(x.body))
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
func (x *slip) namesPlaces(session, suite string) bool {
	if x.was == x.body || digitRun.ReplaceAllString(session, "0") != digitRun.ReplaceAllString(suite, "0") {
		return false
	}
	a, b := digitRun.FindAllString(session, -1), digitRun.FindAllString(suite, -1)
	sent, written := []rune(x.body), []rune(x.was)
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
		if filled(a[:i+k]) == filled(b[:j+k]) {
			return true
		}
	}
	return false
}

// filled counts the characters that are no blanks.
func filled(text []rune) int {
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

// negotiates reports whether the headers that a slip is about tell why the suite was given another kind of answer than
// the session: the one or the other was refused for them, or each was given the type that it asked for.
func (x *slip) negotiates(session, suite *exchange.Response) bool {
	if session == nil || suite == nil {
		return false
	}
	for _, h := range x.headers {
		switch strings.ToLower(h.Name) {
		case "accept":
			if (session.Status == notAcceptable) != (suite.Status == notAcceptable) {
				return true
			}
			a, b := mediaType(session), mediaType(suite)
			if session.Status == suite.Status && a != b && accepts(h.sent, a) && accepts(h.was, b) &&
				!(accepts(h.sent, b) && accepts(h.was, a)) {
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

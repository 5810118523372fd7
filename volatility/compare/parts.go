package compare

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds on what is read of texts.
const (
	MaxText   = 4 << 20  // bytes; a longer text has no parts
	MaxNested = 4        // texts within texts: a JSON text in the claims of a JWT in a form is the third
	maxHeader = 64 << 10 // bytes of a header that has parts
	maxItems  = 50_000   // elements, lines, pairs of one text; one that has more has no parts
	maxLevels = 128      // of elements within elements
)

// view is what a text holds, as JSON: the places of its parts are those of that JSON behind the marker of its form. The
// zero view is that of a text that holds nothing but itself.
type view struct {
	marker string
	tape   *tape
}

// viewOf reads the JSON that a decoder made. What is no JSON after all, or is nested too deep, is no view.
func viewOf(marker, json string) view {
	if json == "" {
		return view{}
	}
	t, ok := parse(json)
	if !ok {
		return view{}
	}
	return view{marker, t}
}

// ofBody returns the view of a body that is not compared as JSON. Its media type decides where it says something, else
// how the text begins.
func ofBody(src, contentType string) view {
	if len(src) == 0 || len(src) > MaxText {
		return view{}
	}
	kind, params := media(contentType)
	var v view
	switch {
	case kind == "text/event-stream":
		v = viewOf(exchange.PartEvents, eventsJSON(readable(src)))
	case isLines(kind):
		v = viewOf(exchange.PartLines, linesJSON(readable(src)))
	case strings.HasPrefix(kind, "multipart/"):
		v = viewOf(exchange.PartMultipart, multipartJSON(src, params))
	case kind == "text/html", kind == "application/xhtml+xml":
		v = viewOf(exchange.PartHTML, htmlJSON(readable(src)))
	case isXML(kind):
		v = viewOf(exchange.PartXML, xmlJSON(readable(src)))
	case exchange.IsForm(kind, []byte(src)):
		v = viewOf(exchange.PartForm, formJSON(src))
	}
	switch {
	case v.tape != nil:
		return v
	case isXML(kind) && isText(src): // not well-formed, and so no HTML either
		return view{}
	case !isText(src):
		return viewOf(exchange.PartBinary, binaryJSON(src))
	}
	return look(src)
}

func isXML(kind string) bool {
	return kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml")
}

// ofHeader returns the view of all that a response has under one name.
func ofHeader(name, value string) view {
	switch {
	case len(value) > maxHeader:
		return view{}
	case name == "set-cookie":
		return viewOf(exchange.PartCookie, cookiesJSON(value))
	case name == "content-type":
		return viewOf(exchange.PartMedia, mediaJSON(value))
	case isList(name):
		return viewOf(exchange.PartMembers, membersJSON(value))
	}
	return look(value)
}

// ofString returns the view of a string within JSON, given as its raw token.
func ofString(raw string) view {
	if len(raw) > MaxText || !mayHold(raw) {
		return view{}
	}
	return look(unquote(raw))
}

// look returns the view of a text of which nothing is known but itself.
func look(s string) view {
	begin := strings.TrimLeft(s, " \t\r\n\ufeff")
	if begin == "" || len(s) > MaxText {
		return view{}
	}
	switch begin[0] {
	case '{', '[':
		if v := viewOf(exchange.PartJSON, begin); v.tape != nil || !strings.Contains(begin, "\n") {
			return v
		}
		return viewOf(exchange.PartLines, wholeLines(begin))
	case '<':
		if !looksHTML(begin) {
			if v := viewOf(exchange.PartXML, xmlJSON(begin)); v.tape != nil {
				return v
			}
		}
		if isMarkup(begin) {
			return viewOf(exchange.PartHTML, htmlJSON(begin))
		}
		return view{}
	}
	if v := viewOf(exchange.PartJWT, jwtJSON(s)); v.tape != nil {
		return v
	}
	return viewOf(exchange.PartBase64, base64JSON(s))
}

// mayHold is a cheap look at the raw token of a string, which nearly all that hold nothing fail: whether it begins and
// ends as a text does that has parts.
func mayHold(raw string) bool {
	n := len(raw)
	if n < len(`"[]"`) {
		return false
	}
	switch c := raw[1]; c {
	case '{':
		return raw[n-2] == '}' || raw[n-3] == '\\'
	case '[':
		return raw[n-2] == ']' || raw[n-3] == '\\'
	case '<':
		return raw[n-2] == '>' || raw[n-3] == '\\' || strings.HasSuffix(raw[:n-1], `\u003e`) ||
			strings.HasSuffix(raw[:n-1], `\u003E`)
	case '\\': // white space, or < as it is written for browsers
		return raw[2] == 'n' || raw[2] == 'r' || raw[2] == 't' || strings.HasPrefix(raw[1:], `\u003`) ||
			strings.HasPrefix(raw[1:], `\ufeff`)
	case ' ':
		return strings.HasPrefix(strings.TrimLeft(raw[1:], " "), "{") ||
			strings.HasPrefix(strings.TrimLeft(raw[1:], " "), "<")
	default:
		return mayEncode(raw[1 : n-1])
	}
}

// mayEncode reports whether a text may be a JWT, or base64 of a text: what its first letters stand for is printable.
func mayEncode(s string) bool {
	if len(s) < minEncoded {
		return false
	}
	if strings.HasPrefix(s, bearer) {
		return true
	}
	bits := 0
	for _, c := range []byte(s[:4]) {
		v := sextet(c)
		if v < 0 {
			return false
		}
		bits = bits<<6 | v
	}
	first := [...]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}
	if slices.ContainsFunc(first[:], func(c byte) bool { return !printable(rune(c)) && c < utf8.RuneSelf }) {
		return false
	}
	for i := 4; i < len(s); i++ {
		if c := s[i]; sextet(c) < 0 && c != '.' && c != '=' {
			return false
		}
	}
	return true
}

// sextet returns what a letter of either alphabet of base64 stands for, -1 for any other.
func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+', c == '-':
		return 62
	case c == '/', c == '_':
		return 63
	}
	return -1
}

func printable(r rune) bool {
	return r >= ' ' && r != 0x7f && r != utf8.RuneError || r == '\n' || r == '\r' || r == '\t'
}

// readable returns a text as UTF-8 without a byte order mark: what is no UTF-8 is taken for Latin-1, which is wrong of
// some letters and the same for all answers.
func readable(s string) string {
	return latin1(strings.TrimPrefix(s, "\ufeff"))
}

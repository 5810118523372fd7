package flow

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
)

// maxNested bounds how many texts within texts are looked into, one in the other.
const maxNested = 3

// maxPieces bounds the pieces of one text that are looked at.
const maxPieces = 64

// nested returns the values within the text of a spot, each with its place below the spot's and with its bytes counted
// in the spot's value: the members of JSON, segments and query of a URL, user and password of Basic credentials, what is
// packed in base64 or percent-encoded, and the pieces of a text of the kind name:value. One text is read in one way only,
// so that no two of its values overlap.
//
// A JSON Web Token is not looked into: what it says of its owner is signed, so it can only be carried over as a whole.
func nested(s *spot) []spot {
	v := s.value
	if len(v) < 3 || len(v) > MaxValue {
		return nil
	}
	var out []spot
	switch {
	case s.form == inHeader && (strings.EqualFold(s.name, "Authorization") || strings.EqualFold(s.name, "Proxy-Authorization")):
		out = basicSpots(s)
	case s.form >= inBase64 && s.name == "basic":
		return credentialSpots(s)
	case v[0] == '{' || v[0] == '[':
		out = jsonSpots([]byte(v), s.place)
	case isURL(v) && s.form != inPath && s.form != inCookie:
		out = urlSpots(s)
	case strings.IndexByte(v, '%') >= 0 && s.form != inPath:
		out = percentSpot(s)
	default:
		if out = base64Spot(s); out == nil {
			out = pieceSpots(s)
		}
	}
	for i := range out {
		out[i].body = s.body
	}
	return out
}

// basicSpots returns the user and password of Basic credentials (RFC 7617), packed as they are.
func basicSpots(s *spot) []spot {
	scheme, rest, found := strings.Cut(s.value, " ")
	if !found || !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	rest = strings.TrimSpace(rest)
	at := strings.LastIndex(s.value, rest)
	text, form, ok := unpack(rest)
	if !ok {
		return nil
	}
	return []spot{{place: s.place.Key("basic"), form: form, value: text, start: at, end: at + len(rest), name: "basic"}}
}

// credentialSpots returns what stands before and behind the first colon.
func credentialSpots(s *spot) []spot {
	user, password, found := strings.Cut(s.value, ":")
	if !found {
		return nil
	}
	return []spot{
		{place: s.place.Key("user"), form: inText, value: user, end: len(user), name: "user"},
		{place: s.place.Key("password"), form: inText, value: password, start: len(user) + 1, end: len(s.value), name: "password"},
	}
}

// isURL reports whether a text is the address of something: absolute, or a path with more behind its first slash.
func isURL(s string) bool {
	if s[0] == '/' {
		return len(s) > 2 && strings.IndexByte(s, ' ') < 0
	}
	return (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")) && strings.IndexByte(s, ' ') < 0
}

// urlSpots returns the path segments and query values of a URL.
func urlSpots(s *spot) []spot {
	v, pos := s.value, 0
	if i := strings.Index(v, "://"); i >= 0 {
		k := strings.IndexByte(v[i+3:], '/')
		if k < 0 {
			return nil
		}
		pos = i + 3 + k
	}
	v, _, _ = strings.Cut(v, "#")
	path, query, found := strings.Cut(v[min(pos, len(v)):], "?")
	if !strings.HasPrefix(path, "/") {
		return nil
	}
	out := segmentSpots(path, pos, s.place.Key("path"))
	if found {
		out = append(out, pairSpots(query, pos+len(path)+1, inQuery, s.place.Key("query"), places{})...)
	}
	return out
}

// percentSpot returns a text that is percent-encoded once more than its place asks for.
func percentSpot(s *spot) []spot {
	text, err := url.PathUnescape(s.value)
	if err != nil || text == s.value || !slices.Equal(escapeLike([]byte(s.value), text, "", ""), []byte(s.value)) {
		return nil
	}
	return []spot{{place: s.place.Key("unescaped"), form: inPercent, value: text, end: len(s.value), name: s.name, parent: s.parent}}
}

// base64Spot returns a text that base64 holds: JSON, or pieces of the kind name:value.
func base64Spot(s *spot) []spot {
	if len(s.value) < 8 {
		return nil
	}
	text, form, ok := unpack(s.value)
	if !ok || text[0] != '{' && text[0] != '[' && strings.IndexAny(text, ":=") <= 0 {
		return nil
	}
	return []spot{{place: s.place.Key("base64"), form: form, value: text, end: len(s.value), name: s.name, parent: s.parent}}
}

// encodings are those of base64, by their forms.
func encodingOf(f form) *base64.Encoding {
	switch f {
	case inBase64:
		return base64.StdEncoding
	case inBase64URL:
		return base64.URLEncoding
	case inRawBase64:
		return base64.RawStdEncoding
	default:
		return base64.RawURLEncoding
	}
}

// unpack returns the text that base64 holds, and which kind it is; ok is false where it holds no text, or where it
// would be written otherwise when it is packed again.
func unpack(s string) (text string, f form, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', isUpper(c), c >= '0' && c <= '9', c == '+', c == '/', c == '-', c == '_', c == '=' && i >= len(s)-2:
		default:
			return "", 0, false
		}
	}
	for f := inBase64; f <= inRawBase64URL; f++ {
		e := encodingOf(f)
		b, err := e.DecodeString(s)
		if err == nil && len(b) > 0 && isText(b) && e.EncodeToString(b) == s {
			return string(b), f, true
		}
	}
	return "", 0, false
}

// isText reports whether bytes are printable ASCII or UTF-8 without control characters.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && !isBlank(c) || c == 0x7f {
			return false
		}
	}
	return json.Valid([]byte(jsontree.Quote(string(b)))) && strings.ToValidUTF8(string(b), "") == string(b)
}

// pieceSpots returns the pieces of a text that a name leads to: the 7 of orderId:7, of order=7;x, of urn:order:7, of
// Orders(7) and Orders('7'), and of a path segment the 7 of order-7 and of 7.json. But for the last the pieces have places
// by their names: /query/filter/orderId.
func pieceSpots(s *spot) []spot {
	var out []spot
	v := s.value
	seen := places{}
	for i := 0; i < len(v) && len(out) < maxPieces; {
		name, end := wordAt(v, i)
		if name == "" {
			if i = end; i < len(v) {
				i++
			}
			continue
		}
		from, to := valueBehind(v, end, s.form == inPath)
		if to > from {
			out = append(out, spot{place: seen.next(s.place.Key(name)), form: inText, value: v[from:to], start: from, end: to, name: name, parent: pieceParent})
		}
		i = max(end, to)
	}
	if dot := strings.LastIndexByte(v, '.'); len(out) == 0 && s.form == inPath && dot > 0 && len(v)-dot <= 6 && looksLikeWord(v[dot+1:]) {
		out = append(out, spot{place: s.place.Key("stem"), form: inText, value: v[:dot], end: dot, path: s.path, index: s.index})
	}
	return out
}

// pieceParent marks a piece of a text, whose name may be the name of its kind: order:7.
const pieceParent = ":"

// wordAt returns the letters and underscores of s from i on, if there are any, and where they end.
func wordAt(s string, i int) (word string, end int) {
	for end = i; end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || isUpper(s[end]) || s[end] == '_'); end++ {
	}
	return strings.Trim(s[i:end], "_"), end
}

// valueBehind returns where the value is that a name, which ends at i, leads to. In a path a dash may stand between them;
// elsewhere that is what people call things: guest-7.
func valueBehind(s string, i int, inPath bool) (from, to int) {
	if inPath && i > 0 && s[i-1] == '_' {
		i-- // order_7
	}
	if i >= len(s) {
		return i, i
	}
	digits := func(from int) int {
		to := from
		for to < len(s) && s[to] >= '0' && s[to] <= '9' {
			to++
		}
		if to < len(s) && (isLetter(s[to]) || s[to] == '-') {
			return from
		}
		return to
	}
	unreserved := func(from int) int {
		to := from
		for to < len(s) && (isLetter(s[to]) || s[to] >= '0' && s[to] <= '9' || s[to] == '-' || s[to] == '_') {
			to++
		}
		if to < len(s) && (s[to] == ':' || s[to] == '=' || s[to] == '(') {
			return from // a name itself
		}
		return to
	}
	switch s[i] {
	case '-', '_':
		if !inPath {
			return i, i
		}
		return i + 1, digits(i + 1)
	case ':', '=', '(':
		from = i + 1
		for from < len(s) && (s[from] == ' ' || s[from] == '"' || s[from] == '\'' || s[from] == '=' && s[i] == '=') {
			from++
		}
		return from, unreserved(from)
	case ' ':
		for _, word := range [...]string{" eq ", " = ", " is ", " == "} {
			if strings.HasPrefix(s[i:], word) {
				from = i + len(word)
				for from < len(s) && (s[from] == '"' || s[from] == '\'') {
					from++
				}
				return from, unreserved(from)
			}
		}
	}
	return i, i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || isUpper(c) }

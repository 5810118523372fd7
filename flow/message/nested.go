package message

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// MaxNested bounds how many texts within texts are looked into, one in the other.
const MaxNested = 3

// maxPieces bounds the pieces of one text that are looked at.
const maxPieces = 64

// Nested returns the values within the text of a site, each with its place below the site's and with its bytes counted
// in the site's value: the members of JSON, segments and query of a URL, user and password of Basic credentials, what
// is packed in base64 or percent-encoded, and the pieces of a text of the kind name:value. One text is read in one way
// only, so that no two of its values overlap.
//
// A JSON Web Token is not looked into: what it says of its owner is signed, so it can only be carried over as a whole.
func Nested(s *Site) []Site {
	v := s.Value
	if len(v) < 3 || len(v) > words.MaxValue {
		return nil
	}
	var out []Site
	switch {
	case s.Form == InHeader && (strings.EqualFold(s.Name, "Authorization") ||
		strings.EqualFold(s.Name, "Proxy-Authorization")):
		out = basicSites(s)
	case s.Form >= inBase64 && s.Name == "basic":
		return credentialSites(s)
	case v[0] == '{' || v[0] == '[':
		out = jsonSites([]byte(v), s.Place)
	case IsURL(v) && s.Form != InPath && s.Form != InCookie:
		out = urlSites(s)
	case strings.IndexByte(v, '%') >= 0 && s.Form != InPath:
		out = percentSite(s)
	default:
		if out = base64Site(s); out == nil {
			out = pieceSites(s)
		}
	}
	for i := range out {
		out[i].Body = s.Body
	}
	return out
}

// basicSites returns the user and password of Basic credentials (RFC 7617), packed as they are.
func basicSites(s *Site) []Site {
	scheme, rest, found := strings.Cut(s.Value, " ")
	if !found || !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	rest = strings.TrimSpace(rest)
	at := strings.LastIndex(s.Value, rest)
	text, form, ok := unpack(rest)
	if !ok {
		return nil
	}
	return []Site{{Place: s.Place.Key("basic"), Form: form, Value: text, start: at, end: at + len(rest), Name: "basic"}}
}

// credentialSites returns what stands before and behind the first colon.
func credentialSites(s *Site) []Site {
	user, password, found := strings.Cut(s.Value, ":")
	if !found {
		return nil
	}
	return []Site{
		{Place: s.Place.Key("user"), Form: InText, Value: user, end: len(user), Name: "user"},
		{Place: s.Place.Key("password"), Form: InText, Value: password, start: len(user) + 1, end: len(s.Value),
			Name: "password"},
	}
}

// IsURL reports whether a text is the address of something: absolute, or a path with more behind its first slash.
func IsURL(s string) bool {
	if s[0] == '/' {
		return len(s) > 2 && strings.IndexByte(s, ' ') < 0
	}
	return (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")) && strings.IndexByte(s, ' ') < 0
}

// urlSites returns the path segments and query values of a URL.
func urlSites(s *Site) []Site {
	v, pos := s.Value, 0
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
	out := segmentSites(path, pos, s.Place.Key("path"))
	if found {
		out = append(out, pairSites(query, pos+len(path)+1, InQuery, s.Place.Key("query"), places{})...)
	}
	return out
}

// percentSite returns a text that is percent-encoded once more than its place asks for.
func percentSite(s *Site) []Site {
	text, err := url.PathUnescape(s.Value)
	if err != nil || text == s.Value || !slices.Equal(escapeLike([]byte(s.Value), text, "", ""), []byte(s.Value)) {
		return nil
	}
	return []Site{{Place: s.Place.Key("unescaped"), Form: inPercent, Value: text, end: len(s.Value), Name: s.Name,
		Parent: s.Parent}}
}

// base64Site returns a text that base64 holds: JSON, or pieces of the kind name:value.
func base64Site(s *Site) []Site {
	if len(s.Value) < 8 {
		return nil
	}
	text, form, ok := unpack(s.Value)
	if !ok || text[0] != '{' && text[0] != '[' && strings.IndexAny(text, ":=") <= 0 {
		return nil
	}
	return []Site{{Place: s.Place.Key("base64"), Form: form, Value: text, end: len(s.Value), Name: s.Name,
		Parent: s.Parent}}
}

// encodings are those of base64, by their forms.
func encodingOf(f Form) *base64.Encoding {
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
func unpack(s string) (text string, f Form, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', words.IsUpper(c), c >= '0' && c <= '9', c == '+', c == '/', c == '-', c == '_', c == '=' &&
			i >= len(s)-2:
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
		if c < ' ' && !IsBlank(c) || c == 0x7f {
			return false
		}
	}
	return json.Valid([]byte(jsontree.Quote(string(b)))) && strings.ToValidUTF8(string(b), "") == string(b)
}

// pieceSites returns the pieces of a text that a name leads to: the 7 of orderId:7, of order=7;x, of urn:order:7, of
// Orders(7) and Orders('7'), and of a path segment the 7 of order-7 and of 7.json. But for the last the pieces have
// places by their names: /query/filter/orderId.
func pieceSites(s *Site) []Site {
	var out []Site
	v := s.Value
	behind := valueBehind
	if s.Form == InPath {
		behind = valueBehindInPath
	}
	seen := places{}
	for i := 0; i < len(v) && len(out) < maxPieces; {
		name, end := wordAt(v, i)
		if name == "" {
			if i = end; i < len(v) {
				i++
			}
			continue
		}
		from, to := behind(v, end)
		if to > from {
			out = append(out, Site{Place: seen.next(s.Place.Key(name)), Form: InText, Value: v[from:to], start: from, end: to,
				Name: name, Parent: PieceParent})
		}
		i = max(end, to)
	}
	if dot := strings.LastIndexByte(v, '.'); len(out) == 0 && s.Form == InPath && dot > 0 && len(v)-dot <= 6 &&
		words.LooksLikeWord(v[dot+1:]) {
		out = append(out, Site{Place: s.Place.Key("stem"), Form: InText, Value: v[:dot], end: dot, Path: s.Path,
			Index: s.Index})
	}
	return out
}

// PieceParent marks a piece of a text, whose name may be the name of its kind: order:7.
const PieceParent = ":"

// wordAt returns the letters and underscores of s from i on, if there are any, and where they end.
func wordAt(s string, i int) (word string, end int) {
	for end = i; end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || words.IsUpper(s[end]) || s[end] == '_'); end++ {
	}
	return strings.Trim(s[i:end], "_"), end
}

// valueBehind returns where the value is that a name, which ends at i, leads to; an empty stretch where there is none.
func valueBehind(s string, i int) (from, to int) {
	if i >= len(s) {
		return i, i
	}
	switch s[i] {
	case ':', '=', '(':
		from = i + 1
		for from < len(s) && (s[from] == ' ' || s[from] == '"' || s[from] == '\'' || s[from] == '=' && s[i] == '=') {
			from++
		}
		return from, valueEnd(s, from)
	case ' ':
		for _, word := range [...]string{" eq ", " = ", " is ", " == "} {
			if strings.HasPrefix(s[i:], word) {
				from = i + len(word)
				for from < len(s) && (s[from] == '"' || s[from] == '\'') {
					from++
				}
				return from, valueEnd(s, from)
			}
		}
	}
	return i, i
}

// valueEnd returns where the letters, digits, dashes and underscores end that begin at from; from itself where they are
// a name, which leads to a value of its own.
func valueEnd(s string, from int) int {
	to := from
	for to < len(s) && (isAlnum(s[to]) || s[to] == '-' || s[to] == '_') {
		to++
	}
	if to < len(s) && (s[to] == ':' || s[to] == '=' || s[to] == '(') {
		return from
	}
	return to
}

// valueBehindInPath is valueBehind in a segment of a path, where a number may also stand behind a dash or an
// underscore: order-7, order_7. Elsewhere that is what people call things: guest-7.
func valueBehindInPath(s string, i int) (from, to int) {
	switch {
	case i > 0 && s[i-1] == '_':
		from = i
	case i < len(s) && s[i] == '-':
		from = i + 1
	default:
		return valueBehind(s, i)
	}
	to = from
	for to < len(s) && s[to] >= '0' && s[to] <= '9' {
		to++
	}
	if to < len(s) && (isLetter(s[to]) || s[to] == '-') {
		return from, from
	}
	return from, to
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || words.IsUpper(c) }

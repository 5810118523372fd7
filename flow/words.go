package flow

import (
	"strings"
	"unicode/utf8"
)

// MaxValue bounds, in bytes, the values that are followed; cookies and tokens are shorter.
const MaxValue = 8 << 10

// shape is what the characters of a text say about it.
type shape struct {
	letters, digits, others int
	turns                   int // changes between letter and digit
}

// minHex is the least length, in bytes, of hex with a digit in it that is no word.
const minHex = 8

// looksLikeWord reports whether s reads like something that a person named: words of letters, joined by the usual
// separators or by camel case, with small numbers in or behind them: "orders", "order_items", "v1", "utf-8",
// "favicon.ico", "batchGet".
func looksLikeWord(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_.~:", r) })
	letters := false
	for _, part := range parts {
		head := strings.TrimRight(part, "0123456789")
		tail := len(part) - len(head)
		if len(part) >= minHex && isHex(part) && strings.ContainsAny(part, "0123456789") {
			return false // as looksLikeID says: ec02b049 only happens to have a vowel between its consonants
		}
		if head == "" && tail > 4 || head != "" && tail > 3 || !pronounceable(head) {
			return false
		}
		letters = letters || head != ""
	}
	return letters
}

// pronounceable reports whether s has letters alone (a number of one or two digits may stand between them, as in
// "oauth2callback") and is no random mixture of them. The empty text is.
func pronounceable(s string) bool {
	const vowels = "aeiouyAEIOUY"
	pieces, vowel, run, digits, numbers := 0, false, 0, 0, 0
	previous := byte('a')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			if digits++; previous < '0' || previous > '9' {
				numbers++
			}
			run = 0
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if isUpper(c) && !isUpper(previous) {
				pieces++
			}
			if strings.IndexByte(vowels, c) >= 0 {
				vowel, run = true, 0
			} else if run++; run >= 6 {
				return false
			}
		default:
			return false
		}
		previous = c
	}
	if digits > 2 || numbers > 1 || digits > 0 && pieces > 0 || len(s) >= 6 && !vowel || len(s) > 40 {
		return false
	}
	return pieces < 2 || len(s) > 3*pieces // camel case has words, not single letters, between its humps
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// looksLikeID reports whether s, alone and without anything to compare it with, has the form of a made value: a
// number, UUID, long hex, date, e-mail address, a long mixture of letters and digits, or anything that no route has
// in it.
func looksLikeID(s string) bool {
	if s == "" {
		return false
	}
	if len(s) > 64 || !utf8.ValidString(s) {
		return true
	}
	c := classify(s)
	switch {
	case c.letters == 0 && c.digits > 0: // number, date, version, address
		return true
	case strings.ContainsAny(s, "@%{}|\\^`\"'<>[] \t\r\n"), hasControl(s), hasNonASCII(s):
		return true
	case isUUID(s):
		return true
	case isHex(s) && len(s) >= minHex && c.digits > 0:
		return true
	}
	return len(s) >= 8 && c.digits > 0 && c.turns >= 2 && !looksLikeWord(s)
}

// minWithin is the least length, in bytes, of a value that is looked for within longer texts.
const minWithin = 10

// Particular reports whether s is so particular that the same text in a response and in a later request can only mean the
// same thing: a UUID, a token, a long number. Small numbers, words, dates, versions and sentences are not.
func Particular(s string) bool {
	if len(s) < 6 || len(s) > MaxValue || strings.ContainsAny(s, " \t\r\n") || hasControl(s) || mediaType(s) {
		return false
	}
	c := classify(s)
	switch {
	case c.letters == 0 && c.others == 0:
		return !allSame(s)
	case isUUID(s) && emptyUUID(s):
		return false
	case c.letters == 0:
		return c.digits >= 10 && c.digits > 3*c.others && !strings.Contains(s, ".")
	case c.digits == 0 && strings.IndexByte(s, '@') > 0:
		return true
	case c.digits == 0:
		return len(s) >= 12 && !looksLikeWord(s) && c.others*8 < len(s)
	case isUUID(s):
		return true
	case len(s) < 8:
		return c.turns >= 2 && c.others == 0
	}
	return !looksLikeWord(s)
}

// isMail reports whether a text has the form of an e-mail address.
func isMail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.IndexByte(s[at:], '.') > 0 && !strings.ContainsAny(s, ":/")
}

// mediaType reports whether s reads like a media type: application/vnd.api+json;version=2.
func mediaType(s string) bool {
	kind, rest, found := strings.Cut(s, "/")
	switch kind {
	case "application", "text", "image", "audio", "video", "multipart", "message", "font", "model":
		return found && !strings.Contains(rest, "/")
	}
	return false
}

// entropic reports whether s may be looked for within longer texts.
func entropic(s string) bool {
	if isUUID(s) {
		return !emptyUUID(s)
	}
	c := classify(s)
	if c.letters == 0 {
		return len(s) >= minWithin // a date with or without its time of day has 8 or 14: those that have 14 are rare
	}
	return len(s) >= minWithin && c.digits > 0 && c.turns >= 3 && Particular(s)
}

func classify(s string) shape {
	var c shape
	previous := byte(0)
	for i := 0; i < len(s); i++ {
		var kind byte
		switch b := s[i]; {
		case b >= '0' && b <= '9':
			c.digits++
			kind = 'd'
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			c.letters++
			kind = 'l'
		default:
			c.others++
			continue
		}
		if previous != 0 && kind != previous {
			c.turns++
		}
		previous = kind
	}
	return c
}

func allSame(s string) bool { return strings.Count(s, s[:1]) == len(s) }

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

func hasNonASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isUUID reports whether s has the form of RFC 9562 §4.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// emptyUUID reports whether a UUID is nil or max (RFC 9562 §5.9, §5.10), which stand for none: anybody may send them.
func emptyUUID(s string) bool { return allSame(strings.ReplaceAll(s, "-", "")) }

// singular returns the singular of an English plural, near enough for names of collections to meet the names of their
// members: orders, order; categories, category. Both sides of a comparison go through it.
func singular(s string) string {
	s = flat(s)
	if s == "news" || s == "series" || s == "species" {
		return s
	}
	for _, end := range []struct{ plural, one string }{
		{"ies", "y"}, {"sses", "ss"}, {"shes", "sh"}, {"ches", "ch"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"s", ""},
	} {
		if strings.HasSuffix(s, end.plural) && len(s) > len(end.plural)+1 {
			return strings.TrimSuffix(s, end.plural) + end.one
		}
	}
	return s
}

// flat returns a name in lower case and without separators, so that order_id, order-id and orderId meet.
func flat(name string) string {
	b := make([]byte, 0, 32)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case isUpper(c):
			b = append(b, c+'a'-'A')
		case strings.IndexByte("-_. ", c) < 0:
			b = append(b, c)
		}
	}
	return string(b)
}

// idOf splits a member name that names a reference: orderId, order_id, OrderID and orderUuid are of the kind "order";
// id, _id and uuid alone are of kind "". ok is false for names that refer to nothing ("paid", "grid").
func idOf(name string) (kind string, ok bool) {
	switch flat(name) {
	case "id", "uuid", "guid", "uid":
		return "", true
	}
	for _, end := range []string{"Id", "ID", "_id", "-id", "Uuid", "UUID", "_uuid", "Guid", "_guid", "-Id", "Key", "_key"} {
		if head, found := strings.CutSuffix(name, end); found && head != "" {
			return singular(strings.TrimPrefix(flat(head), "x")), true
		}
	}
	return "", false
}

// isReference reports whether a member may hold the id of what it is named after: "user", "product". It is one thing, and none
// of the words for how many, where and which of several.
func isReference(name string) bool {
	f := flat(name)
	switch f {
	case "page", "limit", "offset", "order", "sort", "size", "count", "start", "end", "index", "rank", "position", "level", "status",
		"state", "type", "kind", "version", "year", "month", "week", "day", "hour", "minute", "second", "rating", "quantity", "amount", "price":
		return false
	}
	return !isName(name) && f == singular(name)
}

// isName reports whether a member of that name may serve as the last segment of its object's own URL.
func isName(name string) bool {
	switch flat(name) {
	case "name", "path", "slug", "code", "key", "number", "no", "ref", "reference", "filename", "login", "username", "handle":
		return true
	}
	return false
}

// isToken reports whether a member, header or query parameter of that name holds a token that callers hand back.
func isToken(name string) bool { return name != "" && isTokenName(flat(name)) }

// isTokenName is isToken of a flat name.
func isTokenName(f string) bool {
	return strings.HasSuffix(f, "token") || strings.HasSuffix(f, "csrf") || strings.HasSuffix(f, "xsrf") ||
		f == "jwt" || f == "bearer" || f == "authorization" || strings.HasSuffix(f, "apikey") || strings.HasSuffix(f, "sessionid")
}

// isCursor reports whether a member or query parameter of that flat name says where a list goes on. Numbers of pages and
// offsets do not: they are the client's own, and the same in each run.
func isCursor(f string) bool {
	switch f {
	case "after", "before", "marker", "next", "startkey", "sinceid", "maxid", "lastid", "afterid", "beforeid", "startingafter",
		"endingbefore", "startafter", "searchafter", "continue", "continuation", "resume", "scrollid", "bookmark":
		return true
	}
	return strings.HasSuffix(f, "cursor") || strings.HasSuffix(f, "marker") && len(f) > 6
}

// isGrant reports whether a query parameter of that name is what a redirect hands over in a login.
func isGrant(name string) bool {
	switch name {
	case "code", "state", "session_state", "ticket", "SAMLart", "oauth_verifier", "login_challenge", "consent_challenge",
		"login_verifier", "consent_verifier", "request", "execution", "session_code", "tab_id":
		return true
	}
	return false
}

// isSignature reports whether a query parameter of that name signs its URL.
func isSignature(name string) bool {
	f := flat(name)
	return f == "sig" || f == "hmac" || strings.HasSuffix(f, "signature")
}

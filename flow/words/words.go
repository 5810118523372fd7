package words

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

// LooksLikeWord reports whether s reads like something that a person named: words of letters, joined by the usual
// separators or by camel case, with small numbers in or behind them: "orders", "order_items", "v1", "utf-8",
// "favicon.ico", "batchGet".
func LooksLikeWord(s string) bool {
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
			if IsUpper(c) && !IsUpper(previous) {
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

// IsUpper reports whether a byte is an upper-case letter of ASCII.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// LooksLikeID reports whether s, alone and without anything to compare it with, has the form of a made value: a
// number, UUID, long hex, date, e-mail address, a long mixture of letters and digits, or anything that no route has
// in it.
func LooksLikeID(s string) bool {
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
	case strings.ContainsAny(s, "@%{}|\\^`\"'<>[] \t\r\n"), HasControl(s), hasNonASCII(s):
		return true
	case IsUUID(s):
		return true
	case isHex(s) && len(s) >= minHex && c.digits > 0:
		return true
	}
	return len(s) >= 8 && c.digits > 0 && c.turns >= 2 && !LooksLikeWord(s)
}

// MinWithin is the least length, in bytes, of a value that is looked for within longer texts.
const MinWithin = 10

// Particular reports whether s is so particular that the same text in a response and in a later request can only mean
// the same thing: a UUID, a token, a long number. Small numbers, words, dates, versions and sentences are not.
func Particular(s string) bool {
	if len(s) < 6 || len(s) > MaxValue || strings.ContainsAny(s, " \t\r\n") || HasControl(s) || mediaType(s) {
		return false
	}
	c := classify(s)
	switch {
	case c.letters == 0 && c.others == 0:
		return !allSame(s)
	case IsUUID(s) && emptyUUID(s):
		return false
	case c.letters == 0:
		return c.digits >= 10 && c.digits > 3*c.others && !strings.Contains(s, ".")
	case c.digits == 0 && strings.IndexByte(s, '@') > 0:
		return true
	case c.digits == 0:
		return len(s) >= 12 && !LooksLikeWord(s) && c.others*8 < len(s)
	case IsUUID(s):
		return true
	case len(s) < 8:
		return c.turns >= 2 && c.others == 0
	}
	return !LooksLikeWord(s)
}

// IsMail reports whether a text has the form of an e-mail address.
func IsMail(s string) bool {
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

// Entropic reports whether s may be looked for within longer texts.
func Entropic(s string) bool {
	if IsUUID(s) {
		return !emptyUUID(s)
	}
	c := classify(s)
	if c.letters == 0 {
		return len(s) >= MinWithin // a date with or without its time of day has 8 or 14: those that have 14 are rare
	}
	return len(s) >= MinWithin && c.digits > 0 && c.turns >= 3 && Particular(s)
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

// HasControl reports whether a text has a control character of ASCII.
func HasControl(s string) bool {
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
		if !IsHexDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// IsHexDigit reports whether a byte is a hexadecimal digit, in either case.
func IsHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// IsUUID reports whether s has the form of RFC 9562 §4.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !IsHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// emptyUUID reports whether a UUID is nil or max (RFC 9562 §5.9, §5.10), which stand for none: anybody may send them.
func emptyUUID(s string) bool { return allSame(strings.ReplaceAll(s, "-", "")) }

// Singular returns the singular of an English plural, near enough for names of collections to meet the names of their
// members: orders, order; categories, category. Both sides of a comparison go through it.
func Singular(s string) string {
	s = Flat(s)
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

// Flat returns a name in lower case and without separators, so that order_id, order-id and orderId meet.
func Flat(name string) string {
	b := make([]byte, 0, 32)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case IsUpper(c):
			b = append(b, c+'a'-'A')
		case strings.IndexByte("-_. ", c) < 0:
			b = append(b, c)
		}
	}
	return string(b)
}

// IDOf splits a member name that names a reference: orderId, order_id, OrderID and orderUuid are of the kind "order";
// id, _id and uuid alone are of kind "". ok is false for names that refer to nothing ("paid", "grid").
func IDOf(name string) (kind string, ok bool) {
	switch Flat(name) {
	case "id", "uuid", "guid", "uid":
		return "", true
	}
	for _, end := range []string{"Id", "ID", "_id", "-id", "Uuid", "UUID", "_uuid", "Guid", "_guid", "-Id",
		"Key", "_key"} {
		if head, found := strings.CutSuffix(name, end); found && head != "" {
			return Singular(strings.TrimPrefix(Flat(head), "x")), true
		}
	}
	return "", false
}

// IsReference reports whether a member may hold the id of what it is named after: "user", "product". It is one thing,
// and none of the words for how many, where and which of several.
func IsReference(name string) bool {
	f := Flat(name)
	switch f {
	case "page", "limit", "offset", "order", "sort", "size", "count", "start", "end", "index", "rank", "position",
		"level", "status",
		"state", "type", "kind", "version", "year", "month", "week", "day", "hour", "minute", "second", "rating", "quantity",
		"amount", "price":
		return false
	}
	return !IsName(name) && f == Singular(name)
}

// IsName reports whether a member of that name may serve as the last segment of its object's own URL.
func IsName(name string) bool {
	switch Flat(name) {
	case "name", "path", "slug", "code", "key", "number", "no", "ref", "reference", "filename", "login",
		"username", "handle":
		return true
	}
	return false
}

// IsToken reports whether a member, header or query parameter of that name holds a token that callers hand back.
func IsToken(name string) bool { return name != "" && IsTokenName(Flat(name)) }

// IsTokenName is isToken of a flat name.
func IsTokenName(f string) bool {
	return strings.HasSuffix(f, "token") || strings.HasSuffix(f, "csrf") || strings.HasSuffix(f, "xsrf") ||
		f == "jwt" || f == "bearer" || f == "authorization" || strings.HasSuffix(f, "apikey") ||
		strings.HasSuffix(f, "sessionid")
}

// IsCursor reports whether a member or query parameter of that flat name says where a list goes on. Numbers of pages
// and offsets do not: they are the client's own, and the same in each run.
func IsCursor(f string) bool {
	switch f {
	case "after", "before", "marker", "next", "startkey", "sinceid", "maxid", "lastid", "afterid", "beforeid",
		"startingafter",
		"endingbefore", "startafter", "searchafter", "continue", "continuation", "resume", "scrollid", "bookmark":
		return true
	}
	return strings.HasSuffix(f, "cursor") || strings.HasSuffix(f, "marker") && len(f) > 6
}

// IsGrant reports whether a query parameter of that name is what a redirect hands over in a login.
func IsGrant(name string) bool {
	switch name {
	case "code", "state", "session_state", "ticket", "SAMLart", "oauth_verifier", "login_challenge", "consent_challenge",
		"login_verifier", "consent_verifier", "request", "execution", "session_code", "tab_id":
		return true
	}
	return false
}

// IsSignature reports whether a query parameter of that name signs its URL.
func IsSignature(name string) bool {
	f := Flat(name)
	return f == "sig" || f == "hmac" || strings.HasSuffix(f, "signature")
}

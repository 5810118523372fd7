package exchange

import (
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds on what is looked at around one name or value.
const (
	maxSecretName  = 64
	maxSecretValue = 256 << 10
)

// Span is a secret within a text.
type Span struct {
	From, To int    // text[From:To] is how it stands there
	Value    string // the secret itself, without the escapes of the text
	number   bool   // a JSON number, in whose place a token needs quotes
}

// scanner finds what a text itself names as a secret, in any of the forms that bodies, headers and messages come in,
// whether or not they are well-formed: members of JSON (and of JSON or GraphQL within its strings), pairs of forms,
// queries and cookies, elements and attributes of XML, fields of HTML forms, parts of multipart bodies, bearer and
// basic credentials, user information of URLs, JSON web tokens. It reads the text once.
type scanner struct {
	text   string
	named  func(name string) bool
	stored bool // tokens in the place of secrets
	spans  []Span
	done   int // what comes before it was taken, and is not looked at again
	open   int // up to there it is known that elements have no end
}

func (s *scanner) scan() {
	for i := 0; i < len(s.text); i++ {
		if i < s.done {
			i = s.done - 1
			continue
		}
		switch s.text[i] {
		case ':':
			if strings.HasPrefix(s.text[i:], "://") {
				s.userinfo(i + 3)
			} else {
				s.member(i)
			}
		case '=':
			s.member(i)
		case '<':
			s.element(i)
		case 'B', 'b':
			if i+6 < len(s.text) && (s.text[i+5] == ' ' || s.text[i+6] == ' ') {
				s.credentials(i)
			}
		case 'e':
			if i+2 < len(s.text) && s.text[i+1] == 'y' && s.text[i+2] == 'J' {
				s.webToken(i)
			}
		}
	}
}

// add keeps a span, with what it says without the text's escapes.
func (s *scanner) add(from, to int, value string) {
	if from < to && value != "" && !IsToken(s.text[from:to]) {
		s.spans = append(s.spans, Span{From: from, To: to, Value: value})
		s.done = max(s.done, to)
	}
}

// IsToken reports whether a text is what a Redactor writes in the place of a secret: the whole of it, as digits alone
// may be anybody's.
func IsToken(s string) bool { return len(s) <= maxToken && tokenForm.FindString(s) == s && s != "" }

// tokens finds those that are stored in the place of secrets: each is a secret whose value nobody has but its user.
func (s *scanner) tokens() {
	for _, at := range tokenForm.FindAllStringIndex(s.text, -1) {
		if token := s.text[at[0]:at[1]]; strings.HasPrefix(token, tokenPrefix) {
			s.spans = append(s.spans, Span{From: at[0], To: at[1], Value: token})
		}
	}
}

// spelling is how a name and its value are written.
type spelling struct {
	assigns bool // with an equals sign, not a colon
	quoted  bool // the name stands in quotes
}

// unescape undoes the escapes of a value that is written so.
func (s spelling) unescape(value string) string {
	if s.assigns {
		return unescapePair(value)
	}
	return unescapeText(value)
}

// member looks at the name before a colon or an equals sign, and at the value behind it.
func (s *scanner) member(i int) {
	name, quoted := s.nameBefore(i)
	if name == "" {
		return
	}
	n := spelling{assigns: s.text[i] == '=', quoted: quoted}
	if s.describes(name, i+1, n) {
		return
	}
	if !s.named(name) && !(n.assigns && s.signs(name, i)) {
		return
	}
	if end := i + 1 + tokenDigits; end <= len(s.text) && s.writes(name) && IsToken(tokenPrefix+s.text[i+1:end]) {
		s.done = max(s.done, end) // a Redactor wrote it
		return
	}
	v := i + 1
	for v < len(s.text) && (s.text[v] == ' ' || s.text[v] == '\t' || quoted && (s.text[v] == '\n' || s.text[v] == '\r')) {
		v++
	}
	if from, to, ok := s.quotedAt(v); ok {
		value := n.unescape(s.text[from:to])
		for slashes := from - 1 - v; slashes > 0; slashes /= 2 { // a text within a text
			value = unescapeText(value)
		}
		s.add(from, to, value)
		return
	}
	if v < len(s.text) && quoted && (s.text[v] == '{' || s.text[v] == '[') {
		s.container(v)
		return
	}
	s.bare(v, n)
}

// signs reports whether a name that ends at i is that of a parameter of a URL, and signs it: a text may hold the URL.
func (s *scanner) signs(name string, i int) bool {
	if !signatureName(name) || !strings.HasSuffix(s.text[:i], name) {
		return false
	}
	before := s.text[:i-len(name)]
	return strings.HasSuffix(before, "?") || strings.HasSuffix(before, "&") || strings.HasSuffix(before, "&amp;")
}

// writes reports whether a name may be that of a token, to which what stands before it seems to belong. Where no tokens
// are stored, client_secret:… may as well be a secret.
func (s *scanner) writes(name string) bool {
	before, ok := strings.CutSuffix(name, "secret")
	if !ok || before == "" || s.stored {
		return ok
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return !unicode.IsLetter(last) && !strings.ContainsRune("_-.", last)
}

// bareEnd is what ends a value without quotes.
const bareEnd = " \t\r\n,;&\"'<>)}]\\"

// bare takes a value without quotes.
func (s *scanner) bare(v int, as spelling) {
	n := strings.IndexAny(s.text[v:min(len(s.text), v+maxSecretValue)], bareEnd)
	if n < 0 {
		n = min(len(s.text), v+maxSecretValue) - v
	}
	value := s.text[v : v+n]
	// and what is behind it
	if _, _, scheme := Scheme(value + " x"); scheme && as.assigns && strings.HasPrefix(s.text[v+n:], " ") {
		rest := s.text[v+n+1 : min(len(s.text), v+n+1+maxSecretValue)]
		if k := strings.IndexAny(rest, bareEnd); k >= 0 {
			rest = rest[:k]
		}
		n += 1 + len(rest)
		value = s.text[v : v+n]
	}
	switch value {
	case "true", "false", "null", "None", "nil", "undefined":
		return
	}
	if as.quoted && !as.assigns {
		if value != "" && strings.IndexByte("-0123456789", value[0]) >= 0 {
			s.add(v, v+n, value)
			if k := len(s.spans); k > 0 && s.spans[k-1].From == v {
				s.spans[k-1].number = true
			}
		}
		return
	}
	if value = as.unescape(value); as.assigns || telling(value) {
		s.add(v, v+n, value)
	}
}

// nameBefore returns the name that ends before i, and whether it stands in quotes.
func (s *scanner) nameBefore(i int) (name string, quoted bool) {
	low := max(0, i-maxSecretName)
	end := i
	for end > low && (s.text[end-1] == ' ' || s.text[end-1] == '\t') {
		end--
	}
	if end == low {
		return "", false
	}
	if q := s.text[end-1]; q == '"' || q == '\'' {
		end--
		from := strings.LastIndexByte(s.text[low:end], q)
		name = strings.TrimRight(s.text[low+from+1:end], `\`)
		if strings.Contains(name, `\`) {
			name = unescapeText(name)
		}
		return name, true
	}
	from := end
	for from > low && nameByte[s.text[from-1]] {
		from--
	}
	name = s.text[from:end]
	if strings.Contains(name, "%") {
		name = unescapePair(name)
	}
	return name, false
}

// nameByte marks what names are made of where they have no quotes.
var nameByte = func() (set [256]bool) {
	for c := range 256 {
		set[c] = c >= utf8.RuneSelf || c == '_' || c == '-' || c == '.' || c == '%' || c == '[' || c == ']' ||
			'0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' && c < utf8.RuneSelf
	}
	return set
}()

// quotedAt returns where the text within quotes begins and ends that begins at v: quotes may be escaped, as they are in
// JSON within a string.
func (s *scanner) quotedAt(v int) (from, to int, ok bool) {
	q := v
	for q < len(s.text) && s.text[q] == '\\' {
		q++
	}
	if q >= len(s.text) || s.text[q] != '"' && s.text[q] != '\'' {
		return 0, 0, false
	}
	depth, quote := q-v, s.text[q]
	limit := min(len(s.text), q+maxSecretValue)
	for i := q + 1; i < limit; i++ {
		if s.text[i] != quote {
			continue
		}
		slashes := 0
		for slashes < i-q-1 && s.text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes <= depth || depth == 0 && slashes%2 == 0 {
			if depth == 0 && slashes%2 == 1 {
				continue
			}
			return q + 1, i - min(slashes, depth), true
		}
	}
	return q + 1, limit, true // cut off: all that is left
}

// container takes all strings and numbers within an object or array that is named as secrets are, its keys aside.
func (s *scanner) container(v int) {
	depth, limit := 0, min(len(s.text), v+maxSecretValue)
	defer func() { s.done = max(s.done, limit) }()
	for i := v; i < limit; i++ {
		switch c := s.text[i]; {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				limit = i
				return
			}
		case c == '"':
			from, to, _ := s.quotedAt(i)
			i = to
			rest := strings.TrimLeft(s.text[min(to+1, len(s.text)):min(len(s.text), to+8)], " \t\r\n")
			if !strings.HasPrefix(rest, ":") {
				s.add(from, to, unescapeText(s.text[from:to]))
			}
		case c >= '0' && c <= '9':
			n := strings.IndexAny(s.text[i:limit], ",]} \t\r\n")
			if n < 0 {
				return
			}
			before := len(s.spans)
			if s.add(i, i+n, s.text[i:i+n]); len(s.spans) > before {
				s.spans[before].number = true
			}
			i += n - 1
		}
	}
}

// part takes the content of a part of a multipart body in whose head the byte at i is.
func (s *scanner) part(i int) {
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		head := strings.Index(s.text[i:min(len(s.text), i+1024)], blank)
		if head < 0 {
			continue
		}
		from := i + head + len(blank)
		to := strings.Index(s.text[from:], blank[:len(blank)/2]+"--")
		if to < 0 {
			to = len(s.text) - from
		}
		s.add(from, from+to, s.text[from:from+to])
		return
	}
}

// element takes the text within an XML element, and the elements in it, that is named as secrets are.
func (s *scanner) element(i int) {
	n := i + 1
	for n < len(s.text) && n-i < maxSecretName && (nameByte[s.text[n]] || s.text[n] == ':') {
		n++
	}
	name := s.text[i+1 : n]
	if n == len(s.text) || name == "" || !s.named(name[strings.LastIndexByte(name, ':')+1:]) {
		return
	}
	end := s.elementEnd(n, name)
	s.done = n + end
	for at := n; at < n+end; {
		open := strings.IndexByte(s.text[at:n+end], '>')
		if open < 0 || at+open > 0 && at == n && s.text[at+open-1] == '/' {
			return
		}
		from := at + open + 1
		to := n + end
		if k := strings.IndexByte(s.text[from:to], '<'); k >= 0 {
			to = from + k
		}
		if cdata, ok := strings.CutPrefix(s.text[to:n+end], "<![CDATA["); ok && to == from {
			k := strings.Index(cdata, "]]>")
			if from += len("<![CDATA["); k >= 0 {
				s.add(from, from+k, s.text[from:from+k])
				at = from + k + 2
				continue
			}
		}
		if strings.TrimSpace(s.text[from:to]) != "" {
			s.add(from, to, html.UnescapeString(s.text[from:to]))
		}
		at = max(to, from)
	}
}

// elementEnd returns how many bytes from n on an element ends: at its end tag, or, where it has none, at the next tag.
func (s *scanner) elementEnd(n int, name string) int {
	limit := min(len(s.text), n+maxSecretValue)
	if n >= s.open {
		if end := strings.Index(s.text[n:limit], "</"+name); end >= 0 {
			return end
		}
		s.open = limit
	}
	if end := strings.IndexByte(s.text[n:limit], '<'); end >= 0 {
		return end
	}
	return limit - n
}

// credentials takes what follows the words Bearer and Basic.
func (s *scanner) credentials(i int) {
	for _, scheme := range [...]string{"bearer ", "basic "} {
		if len(s.text)-i <= len(scheme) || !strings.EqualFold(s.text[i:i+len(scheme)], scheme) ||
			i > 0 && nameByte[s.text[i-1]] {
			continue
		}
		from := i + len(scheme)
		to := from
		for to < len(s.text) && (nameByte[s.text[to]] && s.text[to] < utf8.RuneSelf ||
			strings.IndexByte("~+/=", s.text[to]) >= 0) {
			to++
		}
		if value := s.text[from:to]; telling(value) && !strings.Contains(strings.TrimRight(value, "="), "=") &&
			!(strings.HasSuffix(value, "=") && strings.HasPrefix(s.text[to:], `"`)) { // that is realm="…"
			s.add(from, to, value)
		}
	}
}

// userinfo takes the password of a URL whose authority begins at i, or all before the @ where there is no colon.
func (s *scanner) userinfo(i int) {
	authority := s.text[i:min(len(s.text), i+4096)]
	if end := strings.IndexAny(authority, "/?# \t\r\n\"'<>\\"); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return
	}
	from := strings.IndexByte(authority[:at], ':') + 1
	s.add(i+from, i+at, percentDecode(authority[from:at]))
}

// webToken takes a JSON web token, which begins with an encoded {".
func (s *scanner) webToken(i int) {
	if i > 0 && nameByte[s.text[i-1]] && s.text[i-1] != '.' {
		return
	}
	to, dots := i, 0
	for to < len(s.text) && nameByte[s.text[to]] && s.text[to] != '[' && s.text[to] != ']' && s.text[to] != '%' {
		if s.text[to] == '.' {
			dots++
		}
		to++
	}
	if dots >= 2 && to-i > 20 {
		s.add(i, to, s.text[i:to])
	}
}

// unescapePair undoes percent-encoding, as of a pair of a query or a form, and where there is none the escapes of JSON
// and HTML.
func unescapePair(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return unescapeText(s)
	}
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// unescapeText undoes the escapes of JSON or of HTML.
func unescapeText(s string) string {
	switch {
	case strings.Contains(s, `\`):
		var out string
		if json.Unmarshal([]byte(`"`+s+`"`), &out) == nil {
			return out
		}
	case strings.Contains(s, "&"):
		return html.UnescapeString(s)
	}
	return s
}

func percentDecode(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// tidy sorts spans, and joins those that meet within each other.
func tidy(text string, spans []Span) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	out := spans[:0]
	for _, s := range spans {
		switch n := len(out); {
		case n == 0 || s.From >= out[n-1].To:
			out = append(out, s)
		case s.To > out[n-1].To:
			out[n-1].To = s.To
			out[n-1].Value = text[out[n-1].From:s.To]
		}
	}
	return out
}

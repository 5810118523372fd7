package compare

import (
	"strings"
)

// isList reports whether the value of a header is a list of members by its definition, in lower case.
func isList(name string) bool {
	switch name {
	case "accept", "accept-ch", "accept-encoding", "accept-language", "accept-patch", "accept-post", "accept-ranges",
		"access-control-allow-headers", "access-control-allow-methods", "access-control-expose-headers", "allow", "alt-svc",
		"cache-control", "clear-site-data", "content-encoding", "content-language", "dav", "forwarded", "link", "pragma",
		"preference-applied", "public", "server-timing", "te", "trailer", "upgrade", "vary", "via", "warning",
		"x-forwarded-for":
		return true
	}
	return false
}

// membersJSON reads a list header (RFC 9110 §5.6.1) as an array of its members. One value of several members and
// several values of one are the same.
func membersJSON(value string) string {
	var w writer
	w.open('[')
	n := 0
	for rest := value; rest != ""; {
		var member string
		member, rest = cutMember(rest)
		if member = strings.TrimSpace(member); member == "" {
			continue
		}
		if n++; n > maxItems {
			return ""
		}
		w.next()
		w.string(member)
	}
	w.end(']')
	return w.String()
}

// cutMember cuts a list at its first comma, or the end of its first value. What is quoted, or the URI of a link, has
// commas of its own.
func cutMember(s string) (member, rest string) {
	i := cutOutside(s, ",\n")
	if i == len(s) {
		return s, ""
	}
	return s[:i], s[i+1:]
}

// cutOutside returns the position of the first of the given bytes that is not within quotes or angle brackets, the
// length of s where there is none. A quote that is not closed is one like any other byte.
func cutOutside(s, separators string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.IndexByte(separators, c) >= 0:
			return i
		case c == '"':
			if n := quotedLength(s[i:]); n > 0 {
				i += n - 1
			}
		case c == '<':
			if k := strings.IndexAny(s[i:min(len(s), i+maxQuoted)], ">\n"); k > 0 && s[i+k] == '>' {
				i += k
			}
		}
	}
	return len(s)
}

// maxQuoted bounds, in bytes, how far the end of what is quoted is looked for.
const maxQuoted = 4096

// quotedLength returns the length of the quoted string that s begins with, 0 where it is not closed on its line.
func quotedLength(s string) int {
	for i := 1; i < min(len(s), maxQuoted); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		case '\n':
			return 0
		}
	}
	return 0
}

// param is a parameter of a header's value.
type param struct{ name, value string }

// maxParams bounds the parameters of one value.
const maxParams = 64

// parameters reads what stands behind the first semicolon of a value: names in lower case, values without their quotes.
func parameters(s string) (first string, params []param) {
	i := cutOutside(s, ";")
	first = strings.TrimSpace(s[:i])
	for i < len(s) && len(params) < maxParams {
		s = s[i+1:]
		i = cutOutside(s, ";")
		name, value, _ := strings.Cut(s[:i], "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if n := len(value); n > 1 && quotedLength(value) == n {
			value = unescapeQuoted(value[1 : n-1])
		}
		if name != "" {
			params = append(params, param{name, value})
		}
	}
	return first, params
}

func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// media reads the value of a Content-Type: the type in lower case, and its parameters.
func media(contentType string) (kind string, params []param) {
	first, _, _ := strings.Cut(contentType, "\n")
	kind, params = parameters(first)
	return strings.ToLower(kind), params
}

// named returns the value of a parameter, "" where there is none.
func named(params []param, name string) string {
	for _, p := range params {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// mediaJSON reads a Content-Type as an object: the type, and each parameter. The case of a charset says nothing.
func mediaJSON(value string) string {
	kind, params := media(value)
	var w writer
	w.open('{')
	w.member("type", kind)
	for _, p := range params {
		if p.name == "charset" {
			p.value = strings.ToLower(p.value)
		}
		w.member(p.name, p.value)
	}
	w.end('}')
	return w.String()
}

// cookiesJSON reads the values of Set-Cookie (RFC 6265 §4.1.1) as an object: by the name of each cookie its value and
// its attributes, their names in lower case; one without a value is true, a number of seconds is a number.
func cookiesJSON(value string) string {
	var w writer
	w.open('{')
	n := 0
	for line := range strings.SplitSeq(value, "\n") {
		if n++; n > maxItems {
			return ""
		}
		pair, attributes, _ := strings.Cut(line, ";")
		name, value, found := strings.Cut(pair, "=")
		if !found {
			name, value = "", name
		}
		w.key(strings.TrimSpace(name))
		w.open('{')
		w.member("value", strings.Trim(strings.TrimSpace(value), `"`))
		attribute(&w, attributes)
		w.end('}')
	}
	w.end('}')
	return w.String()
}

func attribute(w *writer, attributes string) {
	for one := range strings.SplitSeq(attributes, ";") {
		name, value, found := strings.Cut(one, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch {
		case name == "" || name == "value":
		case !found:
			w.key(name)
			w.raw("true")
		case name == "max-age" && value != "" && scanNumber(value, 0) == len(value):
			w.key(name)
			w.raw(value)
		default:
			w.member(name, value)
		}
	}
}

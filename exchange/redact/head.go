package redact

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Show is that of the Redactor, with the scheme of credentials left before their token where that is wanted.
func (r shower) Show(place exchange.Place, text string) string {
	switch {
	case !r.schemes:
		return r.Redactor.Show(place, text)
	case r.Secret(place):
		return r.credential(text)
	}
	return r.Replace(text, r.credential)
}

// credential returns the token of a secret, behind the word for its scheme where there is one.
func (r shower) credential(value string) string {
	if scheme, rest, ok := exchange.Scheme(value); ok {
		return scheme + " " + r.secret(rest)
	}
	return r.secret(value)
}

// secret returns the token of a secret; a token stays itself.
func (r shower) secret(value string) string { return r.Redactor.Show("/cookie", value) }

// head redacts start lines and fields, through the blank line behind them; there may be several heads in a row. It goes
// by lines, so that it reads what no parser takes. What is no secret stays as it is to the byte.
func (r shower) head(raw []byte) []byte { return r.lines(raw, r.startLine) }

// fieldLines redacts lines of fields alone.
func (r shower) fieldLines(raw []byte) []byte { return r.lines(raw, nil) }

// lines redacts lines of fields, and before each block of them the line that it begins with; first is nil where it
// begins with a field.
func (r shower) lines(raw []byte, first func(string) string) []byte {
	if len(raw) == 0 {
		return raw
	}
	start := first != nil
	out := make([]byte, 0, len(raw))
	for rest := raw; len(rest) > 0; {
		n := lineEnd(rest)
		for !start && n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') { // it goes on
			n += lineEnd(rest[n:])
		}
		text := strings.TrimRight(string(rest[:n]), "\r\n")
		switch {
		case text == "":
			start = first != nil
		case start:
			out, start = append(out, first(text)...), false
		default:
			out = append(out, r.field(text)...)
		}
		out, rest = append(out, rest[len(text):n]...), rest[n:]
	}
	return []byte(r.echoes(string(out))) // what is left of known secrets: in names, over several lines
}

func lineEnd(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n + 1
	}
	return len(b)
}

// echoes redacts the known secrets alone.
func (r shower) echoes(text string) string {
	var b strings.Builder
	done := 0
	for _, s := range r.Echoes(text) {
		b.WriteString(text[done:s.From])
		b.WriteString(r.credential(s.Value))
		done = s.To
	}
	return b.String() + text[done:]
}

// startLine redacts the target of a request line, and what any other first line names.
func (r shower) startLine(line string) string {
	method, target, proto, ok := wire.RequestLine(line)
	if !ok || strings.HasPrefix(line, "HTTP/") {
		return r.target(line)
	}
	return method + " " + r.target(target) + " " + proto
}

// target redacts a request-target, the segments that the user named among it.
func (r shower) target(target string) string {
	whole, query, found := strings.Cut(target, "?")
	if path, _ := exchange.SplitTarget(target); strings.HasPrefix(path, "/") && strings.HasSuffix(whole, path) {
		segments := strings.Split(path[1:], "/")
		for i, s := range segments {
			if plain, err := url.PathUnescape(s); err == nil && s != "" && r.Secret(exchange.Place("/path").Index(i)) {
				segments[i] = r.secret(plain)
			}
		}
		whole = strings.TrimSuffix(whole, path) + "/" + strings.Join(segments, "/")
	}
	if found {
		whole += "?" + query
	}
	return r.query(whole)
}

// field redacts one field, which may be folded over several lines. A pseudo-field of HTTP/2 begins with a colon.
func (r shower) field(line string) string {
	skip := 0
	if strings.HasPrefix(line, ":") {
		skip = 1
	}
	colon := strings.IndexByte(line[skip:], ':')
	if colon < 0 {
		return r.Show("", line)
	}
	colon += skip
	raw := line[colon+1:]
	value := strings.TrimLeft(raw, " \t")
	lead := raw[:len(raw)-len(value)]
	value = strings.TrimRight(value, " \t")
	tail := raw[len(lead)+len(value):]
	plain := value
	if strings.ContainsAny(plain, "\r\n") {
		plain = unfold(plain)
	}
	shown := r.value(strings.TrimRight(line[:colon], " \t"), plain)
	if shown == plain {
		return line
	}
	return line[:colon+1] + lead + shown + tail
}

// unfold puts one blank in the place of each fold (RFC 9112 §5.2).
func unfold(s string) string {
	parts := strings.Split(s, "\n")
	for i, p := range parts {
		parts[i] = strings.Trim(p, " \t\r")
	}
	return strings.Join(parts, " ")
}

// value redacts the value of a field, and leaves of it what names no secret: the names of cookies, the scheme of
// credentials.
func (r shower) value(name, value string) string {
	switch {
	case value == "":
		return value
	case strings.EqualFold(name, "Cookie"):
		pairs := strings.Split(value, ";")
		for i, pair := range pairs {
			pairs[i] = r.cookie(pair)
		}
		return strings.Join(pairs, ";")
	case strings.EqualFold(name, "Set-Cookie"):
		pair, attributes, found := strings.Cut(value, ";")
		if pair = r.cookie(pair); found {
			pair += ";" + r.Show("", attributes)
		}
		return pair
	case strings.EqualFold(name, ":path"):
		return r.target(value)
	}
	shown := r.Show(exchange.HeaderPlace(name), value)
	if holdsURL(name) {
		return r.query(shown)
	}
	return shown
}

// cookie redacts one pair.
func (r shower) cookie(pair string) string {
	name, value, found := strings.Cut(pair, "=")
	if !found {
		name, value = "", pair
	}
	plain := strings.Trim(value, " \t\"")
	if plain == "" {
		return pair
	}
	from := strings.Index(value, plain)
	shown := value[:from] + r.secret(unescape(plain)) + value[from+len(plain):]
	if !found {
		return shown
	}
	return name + "=" + shown
}

// lengthened returns a head whose Content-Length, where there is one that can be read, is larger by delta.
func lengthened(head []byte, delta int) []byte {
	return edited(head, "Content-Length", func(value []byte) []byte {
		length, err := strconv.Atoi(string(value))
		if err != nil || length+delta < 0 || value[0] == '+' {
			return value
		}
		return strconv.AppendInt(nil, int64(length+delta), 10)
	})
}

// edited returns a head in which each field of a name has another value.
func edited(head []byte, name string, edit func(value []byte) []byte) []byte {
	var out []byte
	for rest, first := head, true; len(rest) > 0; first = false {
		n := lineEnd(rest)
		line := rest[:n]
		rest = rest[n:]
		if is, text, found := bytes.Cut(line, []byte(":")); found && !first &&
			strings.EqualFold(string(bytes.TrimSpace(is)), name) {
			if value := bytes.TrimSpace(text); len(value) > 0 {
				line = slices.Concat(is, []byte(":"), bytes.Replace(text, value, edit(value), 1))
			}
		}
		out = append(out, line...)
	}
	return out
}

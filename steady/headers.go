package steady

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// apartHeader reports whether a header is not held still: what frames the message, what digests make right again, and
// what a client acts upon by its own clock.
func apartHeader(name string) bool {
	switch name {
	case "content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive", "trailer", "te", "upgrade", "date", "age",
		"content-md5", "digest", "content-digest", "repr-digest", "":
		return true
	}
	return false
}

// head returns the head of an answer with what moved put back. The status line stays.
func (a *answering) head(head []byte) []byte {
	start, fields, blank := fieldsOf(head)
	_, recorded, _ := fieldsOf(a.rec.Response.Head)
	then, now := byName(recorded), byName(fields)
	out := append([]byte(nil), start...)
	nth := map[string]int{}
	shown := map[string][]string{}
	for name, values := range now {
		if _, ok := then[name]; ok && !apartHeader(name) && name != "set-cookie" {
			shown[name] = a.header(name, then[name], values)
		}
	}
	for _, f := range fields {
		i := nth[f.name]
		nth[f.name]++
		values, known := then[f.name]
		switch {
		case apartHeader(f.name):
			out = append(out, f.line...)
		case f.name == "set-cookie":
			out = append(out, a.cookie(f, values)...)
		case !known:
			out = append(out, a.newHeader(f)...)
		case shown[f.name] != nil && i < len(shown[f.name]):
			out = append(out, f.with(shown[f.name][i])...)
		default:
			out = append(out, f.line...)
		}
	}
	for _, f := range recorded {
		if now[f.name] == nil && !apartHeader(f.name) {
			out = append(out, a.missingHeader(f)...)
		}
	}
	return append(out, blank...)
}

func byName(fields []field) map[string][]string {
	out := map[string][]string{}
	for _, f := range fields {
		out[f.name] = append(out[f.name], f.value)
	}
	return out
}

// header returns the values that the client sees of a header; nil where they are those that came.
func (a *answering) header(name string, then, now []string) []string {
	was, is := strings.Join(then, "\n"), strings.Join(now, "\n")
	if was == is {
		return nil
	}
	place := exchange.HeaderPlace(name)
	shown := textOf(a.hold(at{place, place, place}, quote(was), quote(is)))
	if shown == is {
		return nil
	}
	values := strings.Split(shown, "\n")
	if len(values) != len(now) {
		return nil // lines cannot be made up
	}
	if name == "etag" && len(now) == 1 {
		path, _ := exchange.SplitTarget(a.t.client.Target)
		a.s.names.putScoped("etag "+path, shown, is)
	}
	return values
}

// newHeader is a header that the recorded answer has not.
func (a *answering) newHeader(f field) []byte {
	place := exchange.HeaderPlace(f.name)
	field := a.moves(place)
	if field != nil && field.Holds.Optional && field.Holds.Satisfied(quote(f.value), a.e.Start) == nil {
		a.report.hold(field.Category)
		return nil
	}
	a.pass(place, place, "not in the recording")
	return f.line
}

// missingHeader is a header that the recorded answer alone has.
func (a *answering) missingHeader(f field) []byte {
	place := exchange.HeaderPlace(f.name)
	if field := a.moves(place); field != nil && field.Holds.Optional {
		a.report.hold(field.Category)
		return []byte(strings.TrimRight(string(f.line), "\r\n") + "\r\n")
	}
	a.pass(place, place, "missing")
	return nil
}

// cookie returns a Set-Cookie field with the recorded value of the cookie. Its attributes stay: the client keeps it as long as
// they say, by a clock that nobody holds still.
func (a *answering) cookie(f field, then []string) []byte {
	name, value, rest := cutCookie(f.value)
	place := exchange.HeaderPlace("set-cookie")
	for _, was := range then {
		n, recorded, _ := cutCookie(was)
		switch {
		case n != name:
			continue
		case recorded == value:
			return f.line
		}
		part := place.Part(exchange.PartCookie).Key(name).Key("value")
		general := place
		if a.judged.at(part) != nil {
			general = part
		}
		shown := textOf(a.hold(at{general, part, part}, quote(recorded), quote(value)))
		if shown == recorded {
			a.s.names.putScoped("cookie "+name, recorded, value)
		}
		return f.with(name + "=" + shown + rest)
	}
	if field := a.moves(place); field == nil {
		a.pass(place, place, "not in the recording")
	}
	return f.line
}

// cutCookie splits a Set-Cookie value; rest begins with the semicolon.
func cutCookie(s string) (name, value, rest string) {
	pair := s
	if i := strings.IndexByte(s, ';'); i >= 0 {
		pair, rest = s[:i], s[i:]
	}
	name, value, _ = strings.Cut(pair, "=")
	return strings.TrimSpace(name), strings.TrimSpace(value), rest
}

package steady

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/wire"
)

// apartHeader reports whether a header is not held still: what frames the message, what digests make right again, and
// what a client acts upon by its own clock.
func apartHeader(name string) bool {
	switch name {
	case "content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive", "trailer", "te", "upgrade",
		"date", "age",
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
	cookies := pairCookies(then[setCookie], now[setCookie])
	shown := map[string][]string{}
	for name, values := range now {
		if _, ok := then[name]; ok && !apartHeader(name) && name != setCookie {
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
		case f.name == setCookie && cookies[i] < 0:
			out = append(out, a.newCookie(f)...)
		case f.name == setCookie:
			out = append(out, a.cookie(f, values[cookies[i]])...)
		case !known:
			out = append(out, a.newHeader(f)...)
		case shown[f.name] != nil && i < len(shown[f.name]):
			out = append(out, f.with(shown[f.name][i])...)
		default:
			out = append(out, f.line...)
		}
	}
	for _, f := range recorded {
		if now[f.name] == nil && !apartHeader(f.name) && f.name != setCookie {
			out = append(out, a.missingHeader(f)...)
		}
	}
	for i, was := range then[setCookie] {
		if !slices.Contains(cookies, i) {
			a.missingCookie(was)
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
	shown := a.holdText(at{general: place, recorded: place, live: place}, was, is)
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

// holdText is hold for texts that may be no UTF-8. Those are held against each other byte by byte.
func (a *answering) holdText(p at, recorded, live string) string {
	if utf8.ValidString(recorded) && utf8.ValidString(live) {
		return textOf(a.hold(p, jsontree.Quote(recorded), jsontree.Quote(live)))
	}
	was, is := wire.Latin1(recorded), wire.Latin1(live)
	if textOf(a.hold(p, jsontree.Quote(was), jsontree.Quote(is))) == was {
		return recorded
	}
	return live
}

// letters returns a text in UTF-8: where it is none, with a letter for each byte, as what was learned of it has it.
func letters(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return wire.Latin1(s)
}

// newHeader is a header that the recorded answer has not.
func (a *answering) newHeader(f field) []byte {
	place := exchange.HeaderPlace(f.name)
	field := a.moves(place)
	if field != nil && field.Holds.Optional && field.Holds.Satisfied(jsontree.Quote(letters(f.value)), a.e.Start) == nil {
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

package steady

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

const setCookie = "set-cookie"

// cookiePlace is the place of what one Set-Cookie sets.
func cookiePlace(name string) exchange.Place {
	return exchange.HeaderPlace(setCookie).Part(exchange.PartCookie).Key(name)
}

// cookie returns a Set-Cookie field with the recorded value of the cookie. Its attributes stay: the client keeps it as
// long as they say, by a clock that nobody holds still.
func (a *answering) cookie(f field, was string) []byte {
	name, value, rest := cutCookie(f.value)
	_, recorded, _ := cutCookie(was)
	if recorded == value {
		return f.line
	}
	part := cookiePlace(name).Key("value")
	general := exchange.HeaderPlace(setCookie)
	if a.judged.at(part) != nil {
		general = part
	}
	shown := a.holdText(at{general: general, recorded: part, live: part}, recorded, value)
	if shown == recorded {
		a.s.names.putScoped("cookie "+name, recorded, value)
	}
	return f.with(name + "=" + shown + rest)
}

// newCookie is a cookie that the recorded answer does not set. The client gets it: it may need it.
func (a *answering) newCookie(f field) []byte {
	name, _, _ := cutCookie(f.value)
	if !a.comesAndGoes(name) {
		a.pass(exchange.HeaderPlace(setCookie), cookiePlace(name), "not in the recording")
	}
	return f.line
}

// missingCookie is a cookie that the recorded answer alone sets. None is made up: the client would use it, and the API
// knows no such value.
func (a *answering) missingCookie(was string) {
	name, _, _ := cutCookie(was)
	reason := "missing"
	if a.comesAndGoes(name) {
		reason = "not set this time, and no cookie is made up"
	}
	a.pass(exchange.HeaderPlace(setCookie), cookiePlace(name), reason)
}

// comesAndGoes reports whether a cookie is known not to be set always.
func (a *answering) comesAndGoes(name string) bool {
	return slices.ContainsFunc([]exchange.Place{exchange.HeaderPlace(setCookie), cookiePlace(name)},
		func(p exchange.Place) bool {
			f := a.moves(p)
			return f != nil && f.Holds.Optional
		})
}

// pairCookies finds for each live Set-Cookie the recorded one that sets the same cookie, -1 where there is none. A
// cookie is told by its name, path and domain; of what is left the n-th of a name is the n-th.
func pairCookies(then, now []string) []int {
	of := func(list []string, sign func(string) string) func(int) string {
		return func(i int) string { return sign(list[i]) }
	}
	return paired(len(now), len(then), of(now, cookieScope), of(then, cookieScope), of(now, cookieName),
		of(then, cookieName))
}

// cookieName is the name of a cookie, behind which an equals sign stands: a name may be empty.
func cookieName(s string) string {
	name, _, _ := cutCookie(s)
	return name + "="
}

// cookieScope tells the cookies of a client apart: name, path and domain.
func cookieScope(s string) string {
	name, _, rest := cutCookie(s)
	path, domain := "", ""
	for attribute := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(attribute, "=")
		switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(key)) {
		case "path":
			path = value
		case "domain":
			domain = strings.ToLower(strings.TrimPrefix(value, "."))
		}
	}
	return name + ";" + path + ";" + domain
}

// cookiesOf returns the Set-Cookie fields of an answer.
func cookiesOf(head []byte) []string {
	_, fields, _ := fieldsOf(head)
	return byName(fields)[setCookie]
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

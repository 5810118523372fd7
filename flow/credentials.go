package flow

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Credential is what is to be sent in the place of a secret of which a recording holds the token alone, or of one that
// has expired since.
type Credential struct {
	// Name says where: the name of a header, member, parameter or cookie, in any case and with any separators; a place,
	// which begins with a slash and may have wildcards; or the token itself.
	Name  string
	Value string // of a header all of it: "Bearer …"; of the header Cookie one pair or several
}

// Credentials are those of a replay. Where several fit, one that names the token comes first, then one that names the
// place.
type Credentials []Credential

// Secret makes the credentials known as secrets, however they are spelled in a request.
func (c Credentials) Secret(all *exchange.Secrets) {
	for _, one := range c {
		all.Note(one.Value)
		all.Header("Authorization", one.Value)
		if strings.EqualFold(one.Name, "Cookie") {
			all.Header(one.Name, one.Value)
		}
	}
}

// Renewal puts credentials in the place of those that a recording lacks, or that are no longer valid. The zero Renewal
// changes nothing.
type Renewal struct {
	Credentials
	Lapsed map[string]bool // the values that runs were refused with, see [Lapses]
}

// Fill returns a request with credentials in the place of tokens, of what lapsed, and of what lived at then, when it
// was recorded, and has expired at now. All else stays as it is.
func (c Renewal) Fill(r exchange.Request, then, now time.Time) exchange.Request {
	if len(c.Credentials) == 0 || len(c.Lapsed) == 0 && len(tokens(&r)) == 0 && !Expired(&r, then, now) {
		return r
	}
	fill := map[exchange.Place][]message.Swap{}
	for _, s := range message.Sites(&r) {
		if value, _ := c.fill(&s, then, now); value != s.Value {
			fill[s.Place] = append(fill[s.Place], message.Swap{Before: s.Value, After: value})
		}
	}
	return message.Rewrite(&r, fill)
}

// tokens returns the tokens that a request holds.
func tokens(r *exchange.Request) []string {
	found := exchange.Tokens(string(r.Head))
	if body, _ := r.Payload(); len(body) > 0 {
		found = append(found, exchange.Tokens(string(body))...)
	}
	return found
}

// Renewed returns what is sent instead of values of recorded requests at now, by these values.
func (c Renewal) Renewed(exchanges iter.Seq[*exchange.Exchange], now time.Time) map[string]string {
	by := map[string]string{}
	for e := range exchanges {
		if len(c.Lapsed) == 0 && len(tokens(&e.Request)) == 0 && !Expired(&e.Request, e.Start, now) {
			continue
		}
		for _, s := range message.Sites(&e.Request) {
			if value, n := c.fill(&s, e.Start, now); n >= 0 {
				by[s.Value] = value
			}
		}
	}
	return by
}

// fill returns the value to send at a site, and which credential gave it: -1 for none.
func (c Renewal) fill(s *message.Site, then, now time.Time) (value string, by int) {
	found := exchange.Tokens(s.Value)
	if len(found) == 0 && !c.Lapsed[s.Value] && !expired(s.Value, then, now) {
		return s.Value, -1
	}
	value, by = s.Value, -1
	for i, one := range c.Credentials {
		if slices.Contains(found, one.Name) {
			value, by = strings.ReplaceAll(value, one.Name, one.Value), i
		}
	}
	if by >= 0 {
		return value, by
	}
	for i, one := range c.Credentials {
		if strings.HasPrefix(one.Name, "/") && exchange.Place(one.Name).Matches(s.Place) {
			return one.Value, i
		}
	}
	for i, one := range c.Credentials {
		switch {
		case s.Form == message.InCookie && strings.EqualFold(one.Name, "Cookie"):
			if value, ok := cookieOf(one.Value, s.Name); ok {
				return value, i
			}
		case s.Name != "" && words.Flat(one.Name) == words.Flat(s.Name):
			return one.Value, i
		}
	}
	return s.Value, -1
}

// cookieOf returns the value of a cookie in the value of a header Cookie.
func cookieOf(header, name string) (string, bool) {
	for pair := range strings.SplitSeq(header, ";") {
		if is, value, found := strings.Cut(strings.TrimSpace(pair), "="); found && is == name {
			return value, true
		}
	}
	return "", false
}

// Lack is what a replay lacks to send requests as they were.
type Lack struct {
	Requests int          // that hold tokens for which there is nothing to send
	First    exchange.Ref // the first of these places; its Place is "" where it is one that nothing can be sent at
	Unused   []string     // the names of credentials that no token was found for
}

// Lacking holds what there is to send, at now, against the tokens in requests: the values that bindings carry over, and
// credentials.
func (c Renewal) Lacking(exchanges iter.Seq[*exchange.Exchange], bindings []exchange.Binding, now time.Time) Lack {
	carried := map[exchange.Ref]bool{}
	for _, b := range bindings {
		for _, u := range b.Uses {
			carried[u] = carried[u] || len(exchange.Tokens(b.Value)) > 0
		}
	}
	var out Lack
	used := make([]bool, len(c.Credentials))
	for e := range exchanges {
		if ref, lacks := c.lacking(e, carried, used, now); lacks {
			if out.Requests++; out.Requests == 1 {
				out.First = ref
			}
		}
	}
	for i, u := range used {
		if !u {
			out.Unused = append(out.Unused, c.Credentials[i].Name)
		}
	}
	return out
}

// lacking returns the first place of a request that nothing fills.
func (c Renewal) lacking(e *exchange.Exchange, carried map[exchange.Ref]bool, used []bool,
	now time.Time) (first exchange.Ref, lacks bool) {
	all := tokens(&e.Request)
	if e.Unsendable() != "" || len(c.Lapsed) == 0 && len(all) == 0 && !Expired(&e.Request, e.Start, now) {
		return first, false
	}
	for _, s := range message.Sites(&e.Request) {
		at := exchange.Ref{Seq: e.Seq, Place: s.Place}
		found := exchange.Tokens(s.Value)
		all = slices.DeleteFunc(all, func(token string) bool { return slices.Contains(found, token) })
		_, by := c.fill(&s, e.Start, now)
		if by >= 0 {
			used[by] = true
		}
		if len(found) > 0 && by < 0 && !carried[at] && !lacks {
			first, lacks = at, true
		}
	}
	if len(all) > 0 && !lacks { // in a part that is sent as it is
		return exchange.Ref{Seq: e.Seq}, true
	}
	return first, lacks
}

package setup

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// What one asks for by a path may be another thing for each who asks: /cart, /me. What somebody else did to theirs is
// no reason for what this one is shown.

// who tells those who ask apart, by the login that gave them what they send, or by what they send where no answer gave
// it; "" for whoever says nothing.
func (s *Session) who(pos int) string {
	e := s.history.session[pos]
	for _, t := range s.takes[e.Seq] {
		if t.Place.InHeader() && s.Credential(t.Binding) {
			if login := s.exchange(t.Producer.Seq); login != nil {
				body, _ := login.Request.Payload()
				return login.Request.Target + "\x00" + string(body)
			}
		}
	}
	var out strings.Builder
	for _, f := range e.Request.Header {
		if s.redactor.Secret(exchange.HeaderPlace(f.Name)) {
			out.WriteString(f.Name + "\x00" + f.Value + "\x00")
		}
	}
	return out.String()
}

// another reports whether a write at a position was somebody else's to what is their own, for who asks for a path at
// another position.
func (s *Session) another(i int, path string, pos int) bool {
	return slices.ContainsFunc(prefixes(path), s.personal) && s.who(i) != s.who(pos)
}

// personal reports whether a path is another thing for each who asks: two were shown lists that differ, with no write
// to it in between, or one was shown the same before and after another wrote to it. Nothing that was shown says the
// contrary.
func (s *Session) personal(path string) bool {
	if known, ok := s.own[path]; ok {
		return known
	}
	signs, against := 0, 0
	before := map[string]showing{} // by who asks: what they were shown last
	for _, i := range s.shown[path] {
		now, ok := s.showing(path, i)
		if !ok {
			continue
		}
		who := s.who(i)
		for other, was := range before {
			same := maps.Equal(was.sizes, now.sizes)
			switch written := s.writesBetween(path, was.at, i); {
			case other != who && len(written) == 0 && !same:
				signs++
			case other == who && len(written) == 0 && !same:
				against++
			case other == who && len(written) > 0:
				switch unseen, seen := s.unseen(written, who, was, now); {
				case unseen:
					signs++
				case seen:
					against++
				}
			}
		}
		before[who] = now
	}
	s.own[path] = signs > 0 && against == 0
	return s.own[path]
}

// showing is what somebody was shown.
type showing struct {
	at    int
	body  string
	sizes map[string]int
}

func (s *Session) showing(path string, i int) (showing, bool) {
	body, err := s.history.session[i].Response.Payload()
	if err != nil || len(body) > jsontree.MaxText {
		return showing{}, false
	}
	return showing{i, string(body), sizesOf(body)}, true
}

// writesBetween lists the writes to a path between two positions.
func (s *Session) writesBetween(path string, after, before int) []int {
	writes := s.history.written[path]
	from, _ := slices.BinarySearch(writes, after+1)
	to, _ := slices.BinarySearch(writes, before)
	return writes[from:to]
}

// unseen reports whether somebody was shown the same, and nothing of what only others wrote in between; seen, whether
// something of it.
func (s *Session) unseen(written []int, who string, was, now showing) (unseen, seen bool) {
	others := false
	for _, i := range written {
		if s.who(i) == who {
			return false, false
		}
		if s.history.paths[i] != s.history.paths[now.at] {
			continue // to a part of it, which it may well not show
		}
		for _, x := range message.SitesOutsideHeader(&s.history.session[i].Request) {
			if x.Form == message.InPath || len(x.Value) < minIdentity {
				continue
			}
			others = true
			if strings.Contains(now.body, x.Value) && !strings.Contains(was.body, x.Value) {
				return false, true
			}
		}
	}
	return others && was.body == now.body, false
}

// sizesOf returns how many elements the arrays of a body have, by their places.
func sizesOf(body []byte) map[string]int {
	var v any
	out := map[string]int{}
	if json.Unmarshal(body, &v) != nil {
		return out
	}
	var walk func(v any, at string, depth int)
	walk = func(v any, at string, depth int) {
		if depth > jsontree.MaxDepth {
			return
		}
		switch v := v.(type) {
		case []any:
			out[at] = len(v)
		case map[string]any:
			for key, x := range v {
				walk(x, at+"/"+key, depth+1)
			}
		}
	}
	walk(v, "", 0)
	return out
}

// by returns a resource as it is for those whose writes a function tells.
func (r *resource) by(own func(pos int) bool) *resource {
	mine := *r
	mine.events = slices.DeleteFunc(slices.Clone(r.events), func(e event) bool { return !own(e.at) })
	mine.recount()
	return &mine
}

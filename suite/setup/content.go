package setup

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/suite/setup/listing"
)

// maxContent bounds the claims of one call whose values are looked for in earlier requests.
const maxContent = 256

// content chooses the writes that gave a resource, or an element of a list, the values that are wanted of it: of each
// value the last request for that resource that held it.
func (p *plan) content(pos int, claims []exchange.Claim) {
	l, isList := listing.Of(p.history.session[pos])
	for n, c := range claims {
		if n == maxContent || p.enough() {
			return
		}
		value := jsontree.Unquote([]byte(c.Value))
		if c.Place.Root() != "body" || c.Relation != exchange.Equal && c.Relation != exchange.Contains || value == "" {
			continue // or a length, which follows from what there is
		}
		path := p.history.paths[pos]
		if isList {
			if path = elementPath(path, l, c.Place); path == "" {
				continue
			}
		}
		from := p.writer(path, value, pos)
		if from < 0 && p.told && isState(c.Value) {
			from = p.turn(path, pos, c)
		}
		if from >= 0 && !p.chosen[from] && !slices.Contains(p.own, from) {
			p.choose(from)
			p.note("%s was changed by %s", path, p.name(from))
		}
	}
}

// isState reports whether a JSON value may be one of the few that say in which state a thing is: a truth value, a word.
func isState(token string) bool {
	switch token {
	case "true", "false", "null":
		return true
	}
	return strings.HasPrefix(token, `"`) && words.LooksLikeWord(jsontree.Unquote([]byte(token)))
}

// turn returns the position of the write to a resource, or a part of it, that turned what an answer says of it into
// what is wanted, though it did not hold the value; -1 where there is none between the two.
func (p *plan) turn(path string, pos int, c exchange.Claim) int {
	after, before := p.window(pos, []exchange.Claim{c})
	for _, i := range slices.Backward(p.history.written[path]) {
		e := p.history.session[i]
		if i > after && i < before && !p.another(i, path, pos) && e.Request.Method != "DELETE" && e.Response.Status < 400 && p.born[i] != path {
			return i
		}
	}
	return -1
}

// elementPath returns the path of the element of a list that a place of the answer is a part of, "" where there is
// none.
func elementPath(path string, l listing.List, place exchange.Place) string {
	rest, found := strings.CutPrefix(string(place), string(l.Place)+"/")
	if !found {
		return ""
	}
	first, _, member := strings.Cut(rest, "/")
	if !member {
		return "" // the element itself: that it is there is all that it says
	}
	i, err := strconv.Atoi(first)
	if err != nil || i < 0 || i >= len(l.Keys) || l.Keys[i] == "" {
		return ""
	}
	return path + "/" + segmentKey(l.Keys[i])
}

// writer returns the position of the last write to a resource, or to a part of it, that held a value; -1 where there is
// none: the API made the value then, or it was there before.
func (p *plan) writer(path, value string, pos int) int {
	for _, i := range slices.Backward(p.wroteTo(path)) {
		if i >= pos || i >= p.first && !slices.Contains(p.own, i) || p.history.session[i].Response.Status/100 != 2 {
			continue
		}
		if p.values(i)[value] && !p.another(i, path, pos) {
			return i
		}
	}
	return -1
}

// values returns the values that a request holds: of its query and its body, and a short body as a whole.
func (f *Finder) values(i int) map[string]bool {
	if known, ok := f.held[i]; ok {
		return known
	}
	out := map[string]bool{}
	r := &f.history.session[i].Request
	for _, s := range message.SitesOutsideHeader(r) {
		if s.Form != message.InPath {
			out[s.Value] = true
		}
	}
	if body, err := r.Payload(); err == nil && len(body) > 0 && len(body) <= words.MaxValue {
		out[string(body)] = true
	}
	f.held[i] = out
	return out
}

// fallback chooses by time where the paths tell nothing: among the writes that came between the last such request that
// was answered otherwise and the first that was answered as wanted, the one that has most to do with it, if it has as
// much as least says.
func (p *plan) fallback(pos int, claims []exchange.Claim, least int) {
	if p.counted(pos, claims) {
		return
	}
	after, before := p.window(pos, claims)
	best, worth := -1, least*relationUnit-1
	for i := before - 1; i > after; i-- {
		if n := p.relation(i, pos); n > worth && !p.chosen[i] && !p.isOwn(i) {
			best, worth = i, n
		}
	}
	if best < 0 {
		return
	}
	p.choose(best)
	p.note("the last that has to do with it before it was answered so is %s", p.name(best))
}

// counted chooses as many of the last requests of one kind as a number in the answer is above that of a fresh API:
// where it counts them.
func (p *plan) counted(pos int, claims []exchange.Claim) bool {
	seen := p.test[slices.Index(p.own, pos)].Seen
	for _, c := range claims {
		if len(seen) == 0 || c.Place.Root() != "body" || c.Relation != exchange.Equal || !jsontree.IsNumber(c.Value) {
			continue
		}
		body, err := seen[0].Payload()
		if err != nil || len(body) > jsontree.MaxText {
			continue
		}
		want, errWant := strconv.Atoi(c.Value)
		fresh, errFresh := strconv.Atoi(string(rawAt(body, c.Place)))
		if errWant != nil || errFresh != nil || want <= fresh || want-fresh > maxCounted {
			continue
		}
		var some []int
		kind := ""
		for i := p.first - 1; i >= 0 && len(some) < want-fresh; i-- {
			r := &p.history.session[i].Request
			target := match.TargetKey(r.Method, r.Target)
			if !p.isOwn(i) && p.relation(i, pos) >= closely*relationUnit && p.history.session[i].Response.Status/100 == 2 &&
				(kind == "" || kind == target) {
				some, kind = append(some, i), target
			}
		}
		if len(some) < want-fresh {
			continue
		}
		for _, i := range some {
			p.choose(i)
		}
		p.note("%s counts %s", p.history.paths[pos]+string(c.Place[len("/body"):]), p.name(some[0]))
		return true
	}
	return false
}

// maxCounted bounds how many requests a number is taken to count.
const maxCounted = 64

// window returns the positions between which lies what made a request be answered as wanted.
func (p *plan) window(pos int, claims []exchange.Claim) (after, before int) {
	asked := &p.history.session[pos].Request
	before = min(pos, p.first)
	for _, i := range slices.Backward(p.index.SameTarget(asked.Method, asked.Target)) {
		e := p.history.session[i]
		if i >= before || asked.Method == "POST" && !match.SameBody(&e.Request, asked) {
			continue
		}
		if !allSatisfied(claims, e.Response) {
			// A request that is itself a write may have made the difference: POST /items, and the second time 409.
			if !e.Request.Safe() {
				i--
			}
			return i, before
		}
		if e.Request.Safe() {
			before = i
		}
	}
	return -1, before
}

func allSatisfied(claims []exchange.Claim, r *exchange.Response) bool {
	return !slices.ContainsFunc(claims, func(c exchange.Claim) bool { return !bears(c, r) })
}

const (
	// relationUnit is what one step of related is worth in a relation; below it counts how a write was answered.
	relationUnit = 32
	// together is related of what is about another element of the same collection, or of the collection.
	together = 3
	// closely is related of what is about the very thing that is asked for.
	closely = 5
)

// relation says how much a write has to do with a request: 0 for nothing.
func (f *Finder) relation(i, pos int) int {
	e := f.history.session[i]
	if !wrote(e) || f.alikeLogins(e.Seq, f.history.session[pos].Seq) || f.another(i, f.history.paths[pos], pos) {
		return 0
	}
	worth := f.related(i, pos)
	if worth == 0 {
		return 0
	}
	if e.Response.Status < 400 {
		worth = worth*relationUnit + relationUnit/2
	} else {
		worth *= relationUnit
	}
	return worth + min(f.common(i, pos), relationUnit/2-1)
}

// common counts the values that two requests share in their queries and bodies; texts count more than numbers.
func (f *Finder) common(i, pos int) int {
	n := 0
	held := f.values(i)
	for value := range f.values(pos) {
		if !held[value] || value == "" {
			continue
		}
		if n++; !jsontree.IsNumber(value) {
			n++
		}
	}
	return n
}

// related says how near the path of a write is to that of a request, and its values: from 0 to 7.
func (f *Finder) related(i, pos int) int {
	own, path := f.history.paths[i], f.history.paths[pos]
	if own == "" || path == "" {
		return 0
	}
	parent, last := parentKey(path)
	around, _ := parentKey(own)
	asked := &f.history.session[pos].Request
	switch depends := f.depends(i, pos, last); {
	case depends && asked.Method == "DELETE":
		return 7 // what hangs on something keeps it from being taken away
	case own == path && asked.Method == "POST" && f.common(i, pos) == 0 && len(f.values(pos)) > 0:
		return 3 // another element of the same collection
	case own == path, f.born[i] == path:
		return 6
	case below(own, path), below(path, own) && own != firstSegment(own):
		return 5
	case depends, slices.Contains(f.referred(pos), own), f.born[i] != "" && slices.Contains(f.referred(pos), f.born[i]):
		return 4
	case own == parent, around == parent && parent != "":
		return 3
	case below(path, own), below(own, parent) && parent != "":
		return 2
	case firstSegment(own) == firstSegment(path):
		return 1
	}
	return 0
}

// depends reports whether a write made something that names what a request asks for, or that is below it, and that was
// still there.
func (f *Finder) depends(i, pos int, id string) bool {
	path := f.history.paths[pos]
	names := f.values(i)[unescapeSlash(id)] && !words.LooksLikeWord(id)
	if !names && !below(f.history.paths[i], path) {
		return false
	}
	if born := f.born[i]; born != "" {
		return born != path && f.history.resources[born].at(pos) > 0
	}
	return names && f.history.session[i].Request.Method != "DELETE"
}

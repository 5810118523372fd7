package setup

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/flow/words"
)

// Permitted is [Session.Harmless] for the set-up of a test that is patched, which trials prove. It may add to what is
// there: a POST that is answered with an id of the API's own, as POST /teams/1/boards is, makes another thing, whether
// the path says to what that belongs or the body. Where the session shows how such a part is deleted, the clean-up has
// to do so. Where the client names what is made, as by POST /projects/website, that very thing may be there already
// where the test runs: the API then has to refuse to make it again, which a trial is to show.
func (f *Finder) Permitted(steps []uint64) (kept, refused []uint64) {
	made := map[string]bool{}
	return f.split(steps, nil, func(p *possessions, x sending) bool { return f.may(p, x) || f.adds(p, x, made) })
}

// adds reports whether a request adds something to what is there. made are the paths of what clients named so before.
func (s *Session) adds(p *possessions, x sending, made map[string]bool) bool {
	if x.Request.Method != "POST" || x.Response == nil || x.Response.Status/100 != 2 {
		return false
	}
	if _, foreign := x.ids(&possessions{}, "query"); foreign {
		return false
	}
	if s.made(s.position[x.Seq]).place != "" {
		return true
	}
	return x.Response.Status == 201 && s.namesNew(p, x, made)
}

// namesNew reports whether the end of a request's path is all that is anybody else's in it, if it is there: the rest is
// words, or what the set-up itself made.
func (s *Session) namesNew(p *possessions, x sending, made map[string]bool) bool {
	path := x.path()
	template := strings.Split(strings.TrimPrefix(s.operations[x.Seq].Template, "/"), "/")
	key, own := "", true
	for n, segment := range path[:len(path)-1] {
		key += "/" + segment.text
		parameter := n < len(template) && strings.HasPrefix(template[n], "{")
		strange := segment.given || parameter || s.things[key] || !words.LooksLikeWord(segment.text)
		own = own && !strange || made[key] || segment.given && p.holdsAt(segment.gift, path[:n])
	}
	if own {
		made[key+"/"+path[len(path)-1].text] = true
	}
	return own
}

// named lists which steps make what the client names: they are permitted where the API refuses to make it again.
func (f *Finder) named(steps []uint64) []int {
	var out []int
	_, added := f.Harmless(steps, nil)
	for n, seq := range steps {
		if slices.Contains(added, seq) && f.made(f.position[seq]).place == "" {
			out = append(out, n)
		}
	}
	return out
}

// exchanges lists the exchanges of the steps.
func (g *Graft) exchanges() []uint64 {
	var out []uint64
	for _, s := range g.Steps {
		out = append(out, s.Seq)
	}
	return out
}

// stays returns the path of what a set-up added to something that was there before it and that its clean-up did not
// take away in a trial, by the requests of the clean-up that were of no use; "" where there is none. Where the test
// itself makes something, that may be what keeps it from going: it is a part of what the test leaves behind anyway.
func (f *Finder) stays(g *Graft, test []Wanted, useless []int) string {
	var own []uint64
	steps := g.exchanges()
	for _, w := range test {
		if pos, ok := f.position[w.Seq]; ok && f.born[pos] != "" {
			return ""
		}
		own = append(own, w.Seq)
	}
	_, added := f.Harmless(steps, nil)
	for _, seq := range added {
		m := f.made(f.position[seq])
		if m.path == "" {
			continue // no answer says what it made
		}
		_, taken := f.takenAway(m, &Sent{Own: steps, Others: own})
		if !taken && f.spoiled(g, slices.Index(steps, seq), useless) {
			return m.path
		}
	}
	return ""
}

// spoiled reports whether a clean-up that is to take away what a step made was of no use.
func (f *Finder) spoiled(g *Graft, step int, useless []int) bool {
	return slices.ContainsFunc(g.Binds, func(b Bind) bool {
		return b.Step == step && slices.ContainsFunc(b.Uses, func(u BindUse) bool {
			return u.In == InCleanUp && u.Place.Root() == "path" && slices.Contains(useless, u.At)
		})
	})
}

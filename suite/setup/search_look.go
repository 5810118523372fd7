package setup

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// A set-up that makes something each time that it is sent is in the way of a test that counts what is there: behind all
// that the suite sent before in its own order, nothing was missing. Such a set-up looks first whether what it makes is
// there. Trials prove both: that the look finds nothing on a fresh start, and that behind the recording up to the test
// it finds what is made, and the test holds without.

// Look is a read that shows whether what a step makes is there.
type Look struct {
	Request exchange.Request // as the step is authorized
	Status  int              // what it is answered with where it is there
}

const (
	// maxLooks is how many paths are tried for one step.
	maxLooks = 3
	// maxBehind is how many exchanges of the recording are sent before a test to see what is there then.
	maxBehind = 400
)

// looking has a set-up that was proven look before each step that would make something again where the recording had
// come to the test; false where none has anything to look at, or the test does not hold so.
func (q *inquiry) looking(ctx context.Context, found Found) (Found, bool, error) {
	before := q.behind()
	if len(before) == 0 || len(before) > maxBehind {
		return found, false, nil
	}
	g := found.Graft
	asked := map[int]bool{}
	for range 2*len(g.Steps) + 1 {
		r, answers, err := q.rehearse(ctx, g.looked(), before)
		if err != nil {
			return found, false, err
		}
		if step := refusedStep(r, answers); step >= 0 {
			g = bearing(g, step)
			continue
		}
		step := q.Finder.leaving(r, answers, asked)
		if step < 0 {
			g.Leaves = q.Finder.leaves(r, answers)
			if !slices.ContainsFunc(g.Steps, Step.looks) || !q.hit(attempt{missed: r.Missed(answers)}) ||
				q.Able != nil && !q.Able(g) {
				return found, false, nil
			}
			out, err := q.confirmed(ctx, found, g)
			return out, slices.ContainsFunc(out.Steps, Step.looks), err
		}
		asked[step] = true
		look, err := q.lookFor(ctx, g, step, before)
		if err != nil {
			return found, false, err
		}
		if look != nil {
			g.Steps = slices.Clone(g.Steps)
			g.Steps[step].Look, g.Steps[step].MayBeThere, g.Steps[step].Status = look, true, 0
		}
	}
	return found, false, nil
}

// looks reports whether a step is only sent where a look finds nothing.
func (s Step) looks() bool { return s.Look != nil }

// behind is what the recording had sent when it came to the test.
func (q *inquiry) behind() []*exchange.Exchange {
	first := len(q.Finder.history.session)
	for _, w := range q.test {
		if pos, ok := q.Finder.position[w.Seq]; ok && !w.Ahead { // which may be sent once, before all tests
			first = min(first, pos)
		}
	}
	return slices.DeleteFunc(slices.Clone(q.Finder.history.session[:first]),
		func(e *exchange.Exchange) bool { return Unsendable(e) != "" })
}

// lookFor finds a read that shows what a step makes: behind the recording it is there, and on a fresh start it is not.
func (q *inquiry) lookFor(ctx context.Context, g Graft, step int, before []*exchange.Exchange) (*Look, error) {
	for _, path := range q.Finder.lookedAt(g.Steps[step].Seq) {
		one := g
		one.Steps = slices.Clone(g.Steps)
		one.Steps[step].Look = &Look{Request: readOf(&g.Steps[step].Request, path)}
		r, answers, err := q.rehearse(ctx, one.looked(), before)
		if err != nil {
			return nil, err
		}
		there := answers[r.steps+step]
		if there == nil || there.Status/100 != 2 {
			continue
		}
		fresh := one
		fresh.Steps = slices.Clone(one.Steps)
		for i := range fresh.Steps {
			if i != step {
				fresh.Steps[i].Look = nil
			}
		}
		if r, answers, err = q.rehearse(ctx, fresh.looked(), nil); err != nil {
			return nil, err
		}
		if missing := answers[r.steps+step]; missing != nil && missing.Status >= 400 && missing.Status < 500 {
			one.Steps[step].Look.Status = there.Status
			return one.Steps[step].Look, nil
		}
	}
	return nil, nil
}

// looked is a graft of which those steps are looks that have one: as it is sent where all of it is there.
func (g Graft) looked() Graft {
	g.Steps = slices.Clone(g.Steps)
	for i, s := range g.Steps {
		if s.Look != nil {
			g.Steps[i].Request = s.Look.Request
		}
	}
	steps := g.Steps
	g.Binds = slices.Clone(g.Binds)
	for i := range g.Binds {
		g.Binds[i].Uses = slices.DeleteFunc(slices.Clone(g.Binds[i].Uses), func(u BindUse) bool {
			return u.In == InSetUp && steps[u.At].Look != nil && !u.Place.InHeader()
		})
	}
	return g
}

// readOf is a read of a path, as the request of a step is authorized.
func readOf(of *exchange.Request, path string) exchange.Request {
	head := "GET " + path + " HTTP/1.1\r\n"
	for _, f := range of.Header {
		switch name := strings.ToLower(f.Name); {
		case strings.HasPrefix(name, "content-"), name == "transfer-encoding", name == "expect", strings.HasPrefix(name, "if-"),
			strings.Contains(name, "idempotency"):
		default:
			head += f.Name + ": " + f.Value + "\r\n"
		}
	}
	return exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n")})
}

// lookedAt are the paths at which what an exchange made may be seen: as later requests name it, as later requests name
// what the same operation made, and the one that it has by where it was made.
func (f *Finder) lookedAt(seq uint64) (paths []string) {
	made := f.made(f.position[seq])
	add := func(path string) {
		if path != "" && len(paths) < maxLooks && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	named := func(b *exchange.Binding) {
		for _, u := range b.Uses {
			if e := f.exchange(u.Seq); e != nil && u.Place.Root() == "path" {
				add(upTo(e.Request.Target, u.Place, made.id))
			}
		}
	}
	for _, b := range f.gives[seq] {
		if b.Value == made.id {
			named(b)
		}
	}
	if made.place != "" {
		for _, b := range f.removal.given[origin{f.operations[seq], made.place}] {
			named(b)
		}
	}
	add(made.path)
	return paths
}

// upTo is the path of a target up to the segment at a place, which names something else there; "" where it has none.
func upTo(target string, place exchange.Place, id string) string {
	at := place.Segments()
	path, _ := exchange.SplitTarget(target)
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(at) < 2 {
		return ""
	}
	n, err := strconv.Atoi(at[1])
	if err != nil || n < 0 || n >= len(segments) {
		return ""
	}
	return "/" + strings.Join(append(slices.Clone(segments[:n]), url.PathEscape(id)), "/")
}

package flow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// Rules are what a user says of a recording, over what is found in it.
type Rules struct {
	Add    []Rule // bound wherever the value that From gave stands at To; both are needed
	Forbid []Rule // not bound; an empty From or To stands for any
	Paths  *Paths // the path templates of operations; where none fits, they are inferred
}

// Rule is a way from a place of the responses of an operation to a place of the requests of another.
type Rule struct{ From, To Point }

// Point is a place in the messages of an operation: {"POST /orders", "/body/id"}. A segment in braces of the
// operation's template stands for any one segment of a path, a * in the place for any one segment of a place.
type Point struct {
	Operation string
	Place     exchange.Place
}

// namedPoint is one of the two points of a rule.
type namedPoint struct {
	name string
	Point
}

func (r Rule) points() []namedPoint { return []namedPoint{{"from", r.From}, {"to", r.To}} }

// CheckAdd reports what is wrong with a rule that adds.
func (r Rule) CheckAdd() error {
	for _, side := range r.points() {
		switch {
		case side.Point == Point{}:
			return fmt.Errorf("%s is missing: it needs an operation and a place", side.name)
		case side.Operation == "" || side.Place == "":
			return fmt.Errorf("%s needs both an operation and a place", side.name)
		}
	}
	return r.CheckForbid()
}

// CheckForbid reports what is wrong with a rule that forbids.
func (r Rule) CheckForbid() error {
	for _, side := range r.points() {
		if side.Point == (Point{}) {
			continue
		}
		if err := side.check(); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		if root := side.Place.Root(); side.name == "from" && (root == "path" || root == "query" || root == "cookie") {
			return fmt.Errorf("from: %s is a place of requests; the value must come from a response: /body/… or /header/…",
				side.Place)
		}
	}
	if r == (Rule{}) {
		return errors.New("it needs from, to, or both")
	}
	return nil
}

func (p Point) check() error {
	method, path, found := strings.Cut(p.Operation, " ")
	if p.Operation != "" && (!found || method == "" || !strings.HasPrefix(path, "/")) {
		return fmt.Errorf("%q is not an operation such as \"GET /orders/{id}\"", p.Operation)
	}
	if p.Place == "" {
		return nil
	}
	switch p.Place.Root() {
	case "body", "header", "path", "query", "cookie":
		if strings.HasPrefix(string(p.Place), "/") {
			return nil
		}
	}
	return fmt.Errorf("%q is not a place such as /body/id, /header/location/path/1, /path/1, /query/q", p.Place)
}

// covers reports whether a place of an exchange is meant.
func (p Point) covers(r *exchange.Request, place exchange.Place) bool {
	return p.of(r) && (p.Place == "" || p.Place == place || p.Place.Matches(place))
}

// of reports whether an exchange is of the operation.
func (p Point) of(r *exchange.Request) bool {
	if p.Operation == "" {
		return true
	}
	method, template, _ := strings.Cut(p.Operation, " ")
	path, _ := exchange.SplitTarget(r.Target)
	if method != r.Method {
		return false
	}
	for {
		var want, got string
		var more, also bool
		want, template, more = strings.Cut(template, "/")
		got, path, also = strings.Cut(path, "/")
		if want != got && !(strings.HasPrefix(want, "{") && strings.HasSuffix(want, "}") && got != "") || more != also {
			return false
		}
		if !more {
			return true
		}
	}
}

// forbidden reports whether a rule forbids the use at a place of a request of what a producer gave.
func (b *Binder) forbidden(e *exchange.Exchange, place exchange.Place, p *producer) (is bool) {
	for i, rule := range b.rules.Forbid {
		from := exchange.Request{Method: p.method, Target: p.target}
		if rule.To.covers(&e.Request, place) && rule.From.covers(&from, p.ref.Place) {
			b.forbade[i], is = true, true
		}
	}
	return is
}

// Idle returns the rules that had nothing to do so far, by their indexes: such as name what is not in the recording.
func (b *Binder) Idle() (add, forbid []int) {
	idle := func(used []bool) (out []int) {
		for i := range used {
			if !used[i] {
				out = append(out, i)
			}
		}
		return out
	}
	return idle(b.tied), idle(b.forbade)
}

// addByRule ties a site to what a rule's producer gave: the latest that gave the text of the site.
func (b *Binder) addByRule(e *exchange.Exchange, s *message.Site) bool {
	for i, rule := range b.rules.Add {
		if !rule.To.covers(&e.Request, s.Place) {
			continue
		}
		if p := b.added[i][s.Value]; p != nil {
			b.tied[i] = true
			b.use(p, exchange.Ref{Seq: e.Seq, Place: s.Place})
			return true
		}
	}
	return false
}

// giveByRule remembers what the producers of the rules that add gave.
func (b *Binder) giveByRule(e *exchange.Exchange) {
	for i, rule := range b.rules.Add {
		if !rule.From.of(&e.Request) {
			continue
		}
		all := message.HeaderParts(e.Response)
		if rule.From.Place.Root() == "body" {
			all = message.BodyParts(e.Response, func(_, _ string) bool { return true })
		}
		for _, p := range all {
			if p.Value == "" || !rule.From.covers(&e.Request, p.Place) || len(b.added[i]) >= b.limit {
				continue
			}
			b.added[i][p.Value] = &producer{ref: exchange.Ref{Seq: e.Seq, Place: p.Place}, part: p,
				path:   message.Collection(e.Request.Target),
				method: e.Request.Method, target: e.Request.Target}
		}
	}
}

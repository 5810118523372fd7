package trial

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/relation"
)

// knownRelations are relations of moving values, written from what the handlers of the APIs compute: the operation and its
// status, the place, the relation, what it relates to. "near" is a time at a distance of its answer, in seconds.
var knownRelations = map[string][]string{
	"shop": {
		"POST /orders 202 /header/location equal /body/statusUrl", "POST /accounts 201 /header/location contains /body/id",
		"POST /products/{id}/reviews 201 /header/location contains /body/id", "GET /prices/estimate 200 /body/total sum /body/base /body/jitter",
		"GET /prices/estimate 200 /body/validUntil near 300", "GET /prices/estimate 200 /header/x-ratelimit-reset near 60",
		"GET /orders/{id}/events 200 /body/events ascending /body/events/*/at", "GET /search 200 /body/suggestions ascending /body/suggestions/*",
		"POST /login 200 /body/issuedAt near 0", "POST /orders 202 /body/createdAt near 0", "POST /accounts 201 /body/createdAt near 0",
		"POST /invoices 201 /body/dueOn near 2592000", "POST /login 200 /body/token/@jwt/claims/exp near 3600",
		"GET /health 200 /body/clock/epochText equal /body/clock/epochSeconds", "GET /health 200 /body/clock/epochMillis near 0",
		"GET /health/machine 200 /body/instance contains /body/pid",
	},
	"ward": {
		"POST /berichte 202 /header/location equal /body/abruf", "POST /berichte 202 /body/abruf contains /body/auftrag",
		"POST /patienten 201 /header/location contains /body/id", "POST /proben 201 /header/location contains /body/probe_id",
		"POST /proben 201 /body/stabil_bis near 28800", "GET /proben/{id}/befund 200 /body/summe total /body/result/*/wert/value",
		"GET /patienten 200 /body/verweise/weiter contains /body/zeiger", "GET /patienten/{id} 410 /body/zeitpunkt at-least /body/entfernt_um",
		"GET /laborgeraete 200 /body/geraete/SN-00A1F3/letzter_ping near -1", "GET /apotheke/bestand 200 /body/naechste_lieferung near 86400",
		"GET /apotheke/bestand 200 /header/x-ratelimit-reset near 60", "GET /system/uhr 200 /body/ablauf near 90",
		"GET /system/knoten 200 /body/instanz contains /body/pid", "POST /termine 201 /header/location contains /body/termin",
		"GET /system/uhr 200 /body/epoch_text near 0", "GET /proben/{id}/befund 200 /header/etag sha256 /body",
		"GET /proben/{id}/befund 200 /header/digest sha256 /body",
	},
}

// TestRelations holds the relations that suites assert, as the recording and half of its runs have it, against the other
// half and a recording on another day, with other ids and other answers by chance: none may be contradicted. It counts,
// too, how many of the known relations are asserted with all runs: as such, or as what holds an earlier value.
func TestRelations(t *testing.T)     { relationsHold(t, 1) }
func TestEvalRelations(t *testing.T) { relationsHold(t, 20) }

func relationsHold(t *testing.T, pairs int) {
	t.Helper()
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			all, found := tally{kinds: map[string]int{}}, 0
			for i := range uint64(pairs) {
				mined, other := play(t, api.again(2*i+1)), play(t, api.again(2*i+2))
				all.hold(t, mined, other)
				said := map[string]bool{}
				mined.eachAssertion(t, func(name string, _ uint64, _ *plan.Check, _ map[string]exchange.Ref) { said[name] = true })
				for _, name := range knownRelations[api.name] {
					if f := strings.Fields(name); said[name] || said[strings.Join(f[:4], " ")+" earlier"] {
						found++
					} else if pairs == 1 {
						t.Logf("not asserted: %s", name)
					}
				}
			}
			t.Logf("| %s | %d | %d | %d | %d | %d of %d | %v", api.name, pairs, all.asserted, all.answers, all.wrong, found, pairs*len(knownRelations[api.name]), all.kinds)
			if all.asserted == 0 || all.answers == 0 {
				t.Error("nothing is held against anything")
			}
		})
	}
}

// tally counts the relations that were asserted, those that were contradicted, and the answers that they were held against.
type tally struct {
	asserted, wrong, answers int
	kinds                    map[string]int
}

// hold mines one half of a session, and holds what a suite asserts then against the other half and another session.
func (all *tally) hold(t *testing.T, mined, other *Session) {
	t.Helper()
	executions := append(mined.executions(mined, 6), other.executions(mined, 0)...)
	mined.half().eachAssertion(t, func(name string, seq uint64, c *plan.Check, from map[string]exchange.Ref) {
		if c.Kind == plan.CheckEqual {
			return
		}
		all.asserted++
		all.kinds[strings.Fields(stated(c))[1]]++
		status := mined.Steps[seq-mined.Steps[0].Exchange.Seq].Exchange.Response.Status
		for _, e := range executions {
			r := e[seq]
			if r == nil || r.Status != status {
				continue
			}
			all.answers++
			if wrong := contradicts(c, r, e, from); wrong != "" {
				all.wrong++
				t.Errorf("%s: %s", name, wrong)
				return
			}
		}
	})
}

// half is a session without the second half of its runs.
func (s *Session) half() *Session {
	kept := *s
	kept.Runs = kept.Runs[:len(kept.Runs)/2]
	kept.Steps = slices.Clone(s.Steps)
	for i := range kept.Steps {
		step := &kept.Steps[i]
		step.Observations = slices.DeleteFunc(slices.Clone(step.Observations), func(o *exchange.Observation) bool { return o.Run > len(kept.Runs) })
	}
	return &kept
}

// eachAssertion visits the relations that a suite written from a session asserts, with where the values that tests keep come from; and what is asserted to be, or to hold, an earlier value.
func (s *Session) eachAssertion(t *testing.T, visit func(name string, seq uint64, c *plan.Check, from map[string]exchange.Ref)) {
	t.Helper()
	p, err := build.Plan(s.source(t), build.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range p.Tests {
		from := map[string]exchange.Ref{}
		for _, step := range test.Steps {
			for _, c := range step.Captures {
				from[c.Name] = exchange.Ref{Seq: step.Seq, Place: c.Place}
			}
		}
		for _, step := range test.Steps {
			for i := range step.Checks {
				c := &step.Checks[i]
				earlier := c.Kind == plan.CheckEqual && len(c.Text.BoundNames()) > 0
				if step.Role == plan.CleanUp || step.Left != "" || c.Kind != plan.CheckRelated && c.Kind != plan.CheckHash && c.Near == nil && !earlier {
					continue
				}
				op := s.Operations[step.Seq]
				status := s.Steps[step.Seq-s.Steps[0].Exchange.Seq].Exchange.Response.Status
				visit(fmt.Sprintf("%s %s %d %s", op.Method, op.Template, status, stated(c)), step.Seq, c, from)
			}
		}
	}
}

// execution is what one execution of the client was answered, by exchange.
type execution map[uint64]*exchange.Response

// executions lists those of a session: the runs from a number on, and where that is 0 the recording too. Left out are
// exchanges which the other session has not.
func (s *Session) executions(as *Session, from int) []execution {
	byRun := map[int]execution{}
	put := func(run int, seq uint64, r *exchange.Response) {
		if run < from || s.Operations[seq] != as.Operations[seq] {
			return
		}
		if byRun[run] == nil {
			byRun[run] = execution{}
		}
		byRun[run][seq] = r
	}
	for _, step := range s.Steps {
		put(0, step.Exchange.Seq, step.Exchange.Response)
		for _, o := range step.Observations {
			put(o.Run, o.Seq, o.Response)
		}
	}
	var out []execution
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		out = append(out, byRun[run])
	}
	return out
}

// source is what suites are written from.
func (s *Session) source(t testing.TB) suite.Source {
	t.Helper()
	var all []*exchange.Exchange
	for _, step := range s.Steps {
		all = append(all, step.Exchange)
	}
	return suite.Source{Steps: s.Steps, Operations: s.Operations, Bindings: s.Bindings,
		Sequences: flow.Sequences(all, s.Bindings, s.Operations), Map: judge(t, s, len(s.Runs)), Redactor: exchange.Redactor{Key: []byte("k")}}
}

// stated names what a check states: its place, the relation, what it relates to.
func stated(c *plan.Check) string {
	if c.Kind == plan.CheckEqual {
		return string(c.Place) + " earlier"
	}
	if c.Near != nil {
		return fmt.Sprintf("%s near %d", c.Place, c.Near.After)
	}
	out := fmt.Sprintf("%s %s", c.Place, cmp.Or(string(c.Relation), string(c.Hash)))
	for _, p := range c.Of {
		out += " " + string(p)
	}
	if len(c.Given) > 0 {
		out += " earlier"
	}
	return out
}

// contradicts says how an answer contradicts a check; "" where it does not.
func contradicts(c *plan.Check, r *exchange.Response, e execution, from map[string]exchange.Ref) string {
	values := func(p exchange.Place) (out []string) {
		compare.Walk(r, func(place exchange.Place, raw string) {
			if p.Matches(place) {
				out = append(out, raw)
			}
		})
		return out
	}
	own := values(c.Place)
	if c.Near != nil {
		return farFrom(c.Near, own, r)
	}
	if c.Kind == plan.CheckHash {
		if len(own) == 0 {
			return "nothing is there"
		}
		return isNoDigest(c, own, r, e, from)
	}
	of := make([][]string, len(c.Of))
	for i, p := range c.Of {
		of[i] = values(p)
	}
	r2 := relation.Relation{Is: c.Relation, Of: c.Of}
	var err error
	switch {
	case c.Relation == plan.Unique:
		if slices.Sort(of[0]); len(slices.Compact(slices.Clone(of[0]))) != len(of[0]) {
			err = errors.New("not unique")
		}
	case c.Relation == relation.Ascending || c.Relation == relation.Descending:
		err = r2.CheckOrder(of[0])
	case len(c.Given) == 0:
		err = r2.CheckAll(own, of, func(raw string) (int, bool) {
			n := plan.ReadNode([]byte(raw))
			return len(n.Kids), true
		})
	case len(own) == 1:
		return sinceEarlier(c, own[0], e, from)
	}
	if err != nil {
		return fmt.Sprintf("%v: %.200v of %.200v", err, own, of)
	}
	return ""
}

// isNoDigest says which value is not the digest that it is said to be, of the body, of another value of its answer, or of
// one of an earlier answer; "" where none is, or where what was digested is not known.
func isNoDigest(c *plan.Check, own []string, r *exchange.Response, e execution, from map[string]exchange.Ref) string {
	payload, err := r.Payload()
	content, ok := string(payload), err == nil
	switch {
	case len(c.Given) > 0 && len(c.Given[0]) == 1:
		ref := from[c.Given[0][0].Bound]
		content, ok = message.Value(e[ref.Seq], ref.Place)
	case len(c.Given) > 0:
		return ""
	case c.Of[0] != exchange.PlaceBody:
		var raw string
		raw, ok = compare.At(r, c.Of[0])
		content = plan.TextOf(raw)
	}
	if text := plan.TextOf(own[0]); ok && !plan.InText(text, c.Hash.Of([]byte(content)), c.Length) {
		return fmt.Sprintf("%s is not the %s of %.200s", text, c.Hash, content)
	}
	return ""
}

// farFrom says which time is not as far from the Date of its answer as said; "" where all are.
func farFrom(n *plan.Near, own []string, r *exchange.Response) string {
	date, _ := notation.TextMoment(r.Header.Get("Date"))
	want := date.At.Add(time.Duration(n.After) * time.Second)
	within := time.Duration(n.Within) * time.Second
	for _, raw := range own {
		m, ok := notation.MomentAt(notation.ScalarOf(raw), notation.Span{From: date.At, To: date.At})
		if raw != "null" && (!ok || m.At.Add(-within).After(want) || m.At.Add(m.Unit+within).Before(want)) {
			return fmt.Sprintf("%s in an answer of %v, within %v", raw, date.At, within)
		}
	}
	return ""
}

// sinceEarlier says how a value contradicts its relation to one of an earlier answer; "" where it does not.
func sinceEarlier(c *plan.Check, raw string, e execution, from map[string]exchange.Ref) string {
	ref := from[c.Given[0][0].Bound]
	before, ok := message.Value(e[ref.Seq], ref.Place)
	now, isText := literal.FromJSON(raw)
	if !isText {
		now = raw
	}
	if !ok {
		return ""
	}
	if c.Relation == relation.Product && len(c.Given) == 2 {
		ref = from[c.Given[1][0].Bound]
		other, _ := message.Value(e[ref.Seq], ref.Place)
		if err := (relation.Relation{Is: c.Relation, Of: make([]exchange.Place, 2)}).Check(now, before, other); err != nil {
			return fmt.Sprintf("%s: %v: %s, %s", now, err, before, other)
		}
		return ""
	}
	x, first := new(big.Rat).SetString(before)
	y, second := new(big.Rat).SetString(now)
	switch {
	case c.Relation == plan.Other && before != now:
	case c.Relation == plan.Above && first && second && y.Cmp(x) > 0:
	case c.Relation == relation.Sum && first && second:
		by, _ := new(big.Rat).SetString(c.Given[1][0].Literal)
		if y.Cmp(x.Add(x, by)) == 0 {
			return ""
		}
		fallthrough
	default:
		return fmt.Sprintf("%s after %s", now, before)
	}
	return ""
}

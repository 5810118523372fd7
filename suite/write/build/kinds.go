package build

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/compare"
)

// A fuzzer asks the same in a hundred ways, and each test for that tells the same faults. Exchanges are of one kind
// that have the operation, the status and the shape of the answer in common. Of a kind, those are kept whose answers
// say different things, for there the answer depends on what was asked: some that ask for the same with other values,
// and more that ask in another way, with other parameters, in another language, as somebody else.
const (
	maxValues, maxWays               = 3, 8 // of a kind that went well: of one way to ask, and in all
	maxMadeValues                    = 1    // of one way to ask for what has to be made first
	maxRefusedValues, maxRefusedWays = 1, 3 // of a kind that was refused
)

// kinds is what was kept of each kind.
type kinds struct {
	builder *builder
	kept    map[string][]*exchange.Exchange
}

func newKinds(b *builder) *kinds { return &kinds{b, map[string][]*exchange.Exchange{}} }

func (a *kinds) add(e *exchange.Exchange) {
	kind := a.builder.kindOf(e)
	a.kept[kind] = append(a.kept[kind], e)
}

// unwanted says why a test for an exchange would tell no more than those that were kept; "" where it would.
func (a *kinds) unwanted(e *exchange.Exchange) string {
	kept := a.kept[a.builder.kindOf(e)]
	switch {
	case len(kept) == 0:
		return ""
	case setup.Unsendable(e) != "":
		return leftSent
	case noMethod(e.Response.Status):
		if len(kept) < maxWays && !slices.ContainsFunc(kept, func(k *exchange.Exchange) bool {
			at := a.builder.src.Operations
			return k.Request.Method == e.Request.Method || at[k.Seq].Template == at[e.Seq].Template
		}) {
			return ""
		}
		return leftMethods
	}
	values, ways, enough := maxValues, maxWays, leftEnough
	switch {
	case e.Response.Status >= 400:
		values, ways, enough = maxRefusedValues, maxRefusedWays, leftRefused
	case !e.Request.Safe(): // what is made is another each time
		return leftWritten
	case len(a.builder.session.DependsOn(e.Seq)) > 0:
		values = maxMadeValues
	}
	way, same := a.builder.way(e), 0
	for _, k := range kept {
		if !a.builder.saysElse(k, e) {
			return leftAlike
		}
		if a.builder.way(k) == way {
			same++
		}
	}
	if same < values && len(kept) < ways {
		return ""
	}
	return enough
}

// noMethod reports whether a status says that a resource has no such method (RFC 9110, sections 15.5.6 and 15.6.2).
func noMethod(status int) bool { return status == 405 || status == 501 }

// saysElse reports whether two answers of one shape differ where the map knows of nothing that moves.
func (b *builder) saysElse(one, other *exchange.Exchange) bool {
	if one.Response == nil || other.Response == nil {
		return false
	}
	op, fp := b.operation(other), exchange.Exact(other)
	return slices.ContainsFunc(compare.Responses(one.Response, other.Response), func(d compare.Difference) bool {
		return d.Place.Root() == "body" && (op == nil || op.Volatile(d.Place, fp) == nil)
	})
}

// way tells requests of one operation apart by the names of their parameters, and by what the headers say on which
// answers depend whatever is asked for: language, form, preference, and who asks.
func (b *builder) way(e *exchange.Exchange) string {
	_, query := exchange.SplitTarget(e.Request.Target)
	values, _ := url.ParseQuery(query)
	parts := slices.Sorted(maps.Keys(values))
	for _, name := range []string{"Accept-Language", "Accept", "Prefer", "Range"} {
		parts = append(parts, e.Request.Header.Get(name))
	}
	for _, name := range []string{"If-Match", "If-None-Match", "Authorization", "Cookie"} {
		parts = append(parts, strconv.FormatBool(e.Request.Header.Has(name))) // the value may be another each time
	}
	return strings.Join(parts, "\n")
}

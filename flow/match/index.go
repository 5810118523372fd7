package match

import "github.com/flaketap/flaketap/exchange"

// Index finds recorded requests by what a request asks for. Positions are those in the list that it was made of, and
// come in its order.
type Index struct {
	targets map[string][]int // by method and Target
	routes  map[string][]int // by method and route
}

// NewIndex returns an index of recorded exchanges.
func NewIndex(recorded []*exchange.Exchange) *Index {
	x := &Index{map[string][]int{}, map[string][]int{}}
	for i, e := range recorded {
		target, route := TargetKey(&e.Request), RouteKey(&e.Request)
		x.targets[target] = append(x.targets[target], i)
		x.routes[route] = append(x.routes[route], i)
	}
	return x
}

// TargetKey is equal for requests of the same method and target, see [SameTarget].
func TargetKey(r *exchange.Request) string { return r.Method + " " + Target(r.Target) }

// RouteKey is equal for requests of the same route: of the same method, and with paths that differ in nothing but
// segments that are no words.
func RouteKey(r *exchange.Request) string { return r.Method + " " + route(r) }

// SameTarget returns the positions of the requests with the same method and target.
func (x *Index) SameTarget(r *exchange.Request) []int { return x.targets[TargetKey(r)] }

// SameRoute returns the positions of the requests of the same route.
func (x *Index) SameRoute(r *exchange.Request) []int { return x.routes[RouteKey(r)] }

// Occurrence names a request of an execution by what it asks for, and how many equal ones came before it. It may be a
// map key.
type Occurrence struct {
	Of  exchange.Fingerprint
	Nth int // from 0
}

// Occurrences names the requests of one execution, in its order. The same name in another execution is the same
// request, whatever was sent between.
func Occurrences(exchanges []*exchange.Exchange) []Occurrence {
	count := map[exchange.Fingerprint]int{}
	out := make([]Occurrence, len(exchanges))
	for i, e := range exchanges {
		of := exchange.Exact(e)
		out[i] = Occurrence{of, count[of]}
		count[of]++
	}
	return out
}

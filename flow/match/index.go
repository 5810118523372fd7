package match

import "github.com/flaketap/flaketap/exchange"

// Index finds recorded requests by what a request asks for. Positions count the requests in the order in which they
// were added, from 0, and come in this order. The zero value is empty.
type Index struct {
	count                    int
	methods, routes, targets map[string][]int
}

// Add takes the next recorded request.
func (x *Index) Add(r *exchange.Request) {
	if x.count == 0 {
		x.methods, x.routes, x.targets = map[string][]int{}, map[string][]int{}, map[string][]int{}
	}
	add := func(to map[string][]int, key string) { to[key] = append(to[key], x.count) }
	add(x.methods, r.Method)
	add(x.routes, RouteKey(r.Method, r.Target))
	add(x.targets, TargetKey(r.Method, r.Target))
	x.count++
}

// SameTarget returns the positions of the requests with a method and target.
func (x *Index) SameTarget(method, target string) []int { return x.targets[TargetKey(method, target)] }

// SameRoute returns the positions of the requests of the route of a method and target.
func (x *Index) SameRoute(method, target string) []int { return x.routes[RouteKey(method, target)] }

// SameMethod returns the positions of the requests with a method.
func (x *Index) SameMethod(method string) []int { return x.methods[method] }

// TargetKey is equal for requests of one method and target, see [SameTarget].
func TargetKey(method, target string) string { return method + " " + Target(target) }

// RouteKey is equal for requests of one route: of one method, and with paths that differ in nothing but segments that
// are no words.
func RouteKey(method, target string) string { return method + " " + route(target) }

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

package flow

import "github.com/flaketap/flaketap/exchange"

// textsAt returns the texts at places of a request.
func textsAt[T any](r *exchange.Request, asked map[exchange.Place]T) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	above := ancestors(asked)
	var gather func(s *spot, depth int)
	gather = func(s *spot, depth int) {
		if _, is := asked[s.place]; is {
			out[s.place] = s.value
		}
		if depth == maxNested || !above[s.place] {
			return
		}
		for _, in := range nested(s) {
			gather(&in, depth+1)
		}
	}
	for _, s := range spotsUnder(r, asked) {
		gather(&s, 0)
	}
	return out
}

// spotsUnder returns the values of a request's target, and those of its header and of its body if a place is there.
func spotsUnder[T any](r *exchange.Request, some map[exchange.Place]T) []spot {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	header, body := false, false
	for p := range some {
		switch p.Root() {
		case "path", "query":
		case "body":
			body = true
		default:
			header = true
		}
	}
	seen := places{}
	out := targetSpots(r, seen)
	if header {
		out = append(out, headerSpots(r, seen)...)
	}
	if body {
		out = append(out, bodySpots(r, seen)...)
	}
	return out
}

// ancestors returns all places that some of the given ones lie within.
func ancestors[T any](places map[exchange.Place]T) map[exchange.Place]bool {
	above := map[exchange.Place]bool{}
	for p := range places {
		for p = p.Parent(); p != "" && !above[p]; p = p.Parent() {
			above[p] = true
		}
	}
	return above
}

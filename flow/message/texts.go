package message

import "github.com/flaketap/flaketap/exchange"

// TextsAt returns the texts at places of a request.
func TextsAt[T any](r *exchange.Request, asked map[exchange.Place]T) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	above := ancestors(asked)
	var gather func(s *Site, depth int)
	gather = func(s *Site, depth int) {
		if _, is := asked[s.Place]; is {
			out[s.Place] = s.Value
		}
		if depth == MaxNested || !above[s.Place] {
			return
		}
		for _, in := range Nested(s) {
			gather(&in, depth+1)
		}
	}
	for _, s := range sitesUnder(r, asked) {
		gather(&s, 0)
	}
	return out
}

// sitesUnder returns the values of a request's target, and those of its header and of its body if a place is there.
func sitesUnder[T any](r *exchange.Request, some map[exchange.Place]T) []Site {
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
	out := targetSites(r, seen)
	if header {
		out = append(out, headerSites(r, seen)...)
	}
	if body {
		out = append(out, bodySites(r, seen)...)
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

package refute

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Values returns what an answer has at a place, as raw tokens. A part of a token is one of the answer too.
func Values(r *exchange.Response) func(exchange.Place) []string {
	var places []exchange.Place
	var tokens []string
	compare.Walk(r, func(place exchange.Place, raw string) {
		places, tokens = append(places, place), append(tokens, raw)
	})
	return func(p exchange.Place) (out []string) {
		text, marker, within := p.Text()
		within = within && marker == exchange.PartJWT
		if !within {
			text = p
		}
		for i, place := range places {
			switch {
			case !text.Matches(place):
			case !within:
				out = append(out, tokens[i])
			default:
				if n := partOfToken(plan.TextOf(tokens[i]), p.Segments()[len(text.Segments())+1:]); n != nil {
					out = append(out, n.Raw)
				}
			}
		}
		return out
	}
}

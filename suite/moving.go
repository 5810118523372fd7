package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/textual"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// What stands between the pieces of a URL, of a list of links, of a header with parameters.
var (
	apart = regexp.MustCompile(`[/?&=<>;:,"\s]+`)
)

// moving says of a header that it is what the suite expects but for the pieces of it that were seen to move: the host
// and the port of a URL, an id in it. It gives nothing where no piece stays that says something, of a time of the day,
// and of secrets.
func (w *weakening) moving(seen []any) []expr.Expr {
	want, ok := literal.FromJSON(w.a.Value)
	if !ok || w.a.Relation != exchange.Equal || w.a.Place.Root() != "header" || len(seen) == 0 || want == "" ||
		len(want) > textual.MaxLength || w.unshown(seen) || w.field != nil && w.field.Category == mapfile.Time {
		return nil
	}
	texts := []string{want}
	for _, v := range seen {
		s, ok := v.(string)
		if !ok || w.clock(s) {
			return nil
		}
		texts = append(texts, s)
	}
	pieces, between := apart.Split(want, -1), apart.FindAllString(want, -1)
	columns := make([][]string, len(pieces))
	for _, text := range texts {
		own := apart.Split(text, -1)
		if !slices.Equal(apart.FindAllString(text, -1), between) {
			return nil
		}
		for i, piece := range own {
			if !slices.Contains(columns[i], piece) {
				columns[i] = append(columns[i], piece)
			}
		}
	}
	pattern, stays, moves := "", 0, 0
	for i, column := range columns {
		if i > 0 {
			pattern += literal.QuoteRegexp(between[i-1])
		}
		if len(column) > 1 {
			pattern += textual.PatternOf(column)
			moves++
			continue
		}
		pattern += literal.QuoteRegexp(column[0])
		if i > 0 || !strings.HasPrefix(column[0], "http") { // a scheme says little
			stays += len(column[0])
		}
	}
	if moves == 0 || stays < minFragment {
		return nil
	}
	return []expr.Expr{expr.Match{X: w.subject, Pattern: pattern, Full: true}}
}

// isOneOf reports whether a statement lists values.
func isOneOf(x expr.Expr) bool {
	one, ok := x.(expr.Compare)
	return ok && one.Op == expr.In
}

// unshown reports whether the values of a place are secrets, which no suite is to hold.
func (w *weakening) unshown(seen []any) bool {
	r := w.p.src.Redactor
	return r.Secret(w.a.Place) || slices.ContainsFunc(seen, func(v any) bool {
		s, _ := v.(string)
		return r.Show(w.a.Place, s) != s
	})
}

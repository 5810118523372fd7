package js

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// Joined reads that the text which join makes of an array, as it is or sorted, is one that is written out: the array
// has its pieces. ok is false where an expression is none, and where a piece may stand for something else than a text:
// a number, null, nothing at all.
func (r *Reading) Joined(text, written *Node) (same expr.Expr, ok bool) {
	object, name, args := text.Method()
	if object == nil || name != "join" || len(args) > 1 || written.Form != NodeString {
		return nil, false
	}
	between := ","
	if len(args) == 1 {
		if between = args[0].Text; args[0].Form != NodeString || between == "" {
			return nil, false
		}
	}
	list := expr.List{}
	for piece := range strings.SplitSeq(written.Text, between) {
		if _, isNumber := expr.Number(piece); isNumber || slices.Contains([]string{"", "true", "false", "null"}, piece) {
			return nil, false
		}
		list.Elems = append(list.Elems, expr.Str{Value: piece})
	}
	if array, by, sorted := r.Sorted(object); sorted {
		return SortedAs(array, by, list)
	}
	array, ok := r.Meaning(object)
	return expr.Cmp(array, expr.Eq, list), ok && expr.FromAnswer(array)
}

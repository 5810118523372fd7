package meaning

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Join is the text of the elements of a list with a text between them; false where this is not written out, or it is no
// list of texts.
func Join(list Value, by java.Node) (Value, bool) {
	text, ok := by.(java.Text)
	if !ok || text.Token.Text == "" || list.Bound || list.Typ != "List" && list.Typ != "" || !expr.FromAnswer(list.X) {
		return Value{}, false
	}
	return Value{X: expr.Unknown{What: "a text that is put together"}, Typ: "String", Joins: &Joined{list, text.Token.Text}}, true
}

// pieces are the elements that the list has where the text is another one that is written out, as none of them has in
// it what stands between them.
func (j Joined) pieces(text string) java.Array {
	out := java.Array{Elems: []java.Node{}}
	if text == "" {
		return out
	}
	for piece := range strings.SplitSeq(text, j.By) {
		out.Elems = append(out.Elems, java.TextOf(piece))
	}
	return out
}

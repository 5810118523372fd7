package python

import (
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// destructure gives several names the parts of a value.
func (r *follower) destructure(target []syntax.Token, x syntax.Node) {
	n, rest := 0, false
	seq, written := x.(syntax.Seq)
	taken := expr.FromAnswer(meaning.Of(unmade(x)))
	for i, t := range target {
		if t.Kind != syntax.TokenName {
			rest = rest || t.Text == "*"
			continue
		}
		if i+2 < len(target) && target[i+1].Text == "." { // an attribute
			continue
		}
		if i > 1 && target[i-1].Text == "." {
			if !written || n >= len(seq.Elems) || !r.attributed(target[i-2:i+1], seq.Elems[n]) {
				r.forget(base(target[i-2:]))
			}
			n++
			continue
		}
		switch {
		case rest:
			r.env[t.Text] = meaning.Opaque{What: "the rest of a list"}
			if taken && !written {
				r.env[t.Text] = behindRest(unmade(x), n, target[i-1].Text == "*", target[i+1:])
			}
		case written && n < len(seq.Elems):
			r.env[t.Text] = seq.Elems[n]
		case taken && !written:
			r.env[t.Text] = r.element(syntax.Index{X: x, I: syntax.NumLit{Text: strconv.Itoa(n)}})
		default:
			r.env[t.Text] = meaning.Opaque{What: "a part of a value"}
		}
		n++
	}
}

// behindRest is what *name takes of a list, of which n elements have names, or what a name behind that does; behind are
// the names that follow.
func behindRest(x syntax.Node, n int, itself bool, behind []syntax.Token) syntax.Node {
	from := 1
	for _, t := range behind {
		if t.Kind == syntax.TokenName {
			from++
		} else if t.Text != "," && t.Text != ")" && t.Text != "]" {
			return meaning.Opaque{What: "a part of a value"}
		}
	}
	switch {
	case !itself:
		return syntax.Index{X: x, I: syntax.Unary{Op: "-", X: syntax.NumLit{Text: strconv.Itoa(from)}}}
	case from == 1:
		return syntax.Index{X: x, I: syntax.Slice{From: syntax.NumLit{Text: strconv.Itoa(n)}}}
	}
	return meaning.Opaque{What: "the rest of a list"}
}

// attributed gives an attribute of an object of a class of the suite a value; false where it is of anything else.
func (r *follower) attributed(target []syntax.Token, x syntax.Node) bool {
	of, ok := r.env[target[0].Text].(*pyInstance)
	if !ok || target[1].Text != "." || target[2].Kind != syntax.TokenName {
		return false
	}
	if r.inside(conditional) || r.inside(repeated) || !expr.FromAnswer(meaning.Of(x)) {
		x = meaning.Opaque{What: "the attribute " + target[2].Text + ", which changes"}
	}
	of.attrs["self."+target[2].Text] = x
	return true
}

package meaning

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Names goes through the names in an expression.
func Names(x java.Node, visit func(id string)) {
	switch x := x.(type) {
	case java.Name:
		visit(x.ID)
	case java.Sum:
		for _, y := range x.Xs {
			Names(y, visit)
		}
	case java.Text:
		for _, p := range x.Token.Parts {
			if p.Variable != "" && Word.FindString(p.Variable) == p.Variable {
				visit(p.Variable)
			}
		}
	case java.Call, java.Field:
		root, links := java.Chain(x)
		Names(root, visit)
		for _, l := range links {
			for _, a := range l.Args {
				Names(a.X, visit)
			}
		}
	}
}

// Written evaluates a string as far as it is written out; the rest becomes a NUL.
func Written(x java.Node) string {
	var b strings.Builder
	addWritten(&b, x)
	return b.String()
}

func addWritten(b *strings.Builder, x java.Node) {
	switch x := x.(type) {
	case java.Text:
		for _, p := range x.Token.Parts {
			if p.Variable != "" {
				addWritten(b, java.Name{ID: p.Variable})
			}
			b.WriteString(p.Text)
		}
	case java.Number:
		b.WriteString(x.Text)
	case java.Sum:
		for _, y := range x.Xs {
			addWritten(b, y)
		}
	case java.Name:
		if x.ID != BaseURL {
			b.WriteByte(0)
		}
	default:
		b.WriteByte(0)
	}
}

// BaseURL is the generator's variable for where the API is.
const BaseURL = "baseUrlOfSut"

// MaxParts bounds the pieces of a text that a variable is set to.
const MaxParts = 100

// SetTo gives the meaning of what a variable is set to; nil where it has none.
func SetTo(x java.Node) expr.Expr {
	switch x := x.(type) {
	case java.Text, java.Sum:
		return joinedUp(x)
	case java.Name:
		return expr.Name{ID: x.ID}
	case java.Call:
		root, links := java.Chain(x)
		id, ok := root.(java.Name)
		if !ok {
			return nil
		}
		for i, l := range links {
			if l.Name == "extract" {
				return Extracted(id.ID, links[i+1:])
			}
		}
	}
	return nil
}

// joinedUp gives the meaning of a text of several pieces.
func joinedUp(x java.Node) expr.Expr {
	xs := []java.Node{x}
	if s, ok := x.(java.Sum); ok {
		xs = s.Xs
	}
	var pieces []expr.Expr
	n := 0
	for _, piece := range xs {
		if text, ok := piece.(java.Text); ok {
			for _, p := range text.Token.Parts {
				if n++; p.Variable != "" {
					pieces = append(pieces, expr.Name{ID: p.Variable})
				} else {
					pieces = append(pieces, expr.Str{Value: p.Text})
				}
			}
			continue
		}
		y := SetTo(piece)
		if n++; y == nil || n > MaxParts {
			return nil
		}
		pieces = append(pieces, y)
	}
	return expr.Sum(pieces...)
}

// Extracted gives the meaning of the links behind extract(): header("location"), path("id").toString(), body().path(…).
func Extracted(answer string, links []java.Call) expr.Expr {
	var x expr.Expr
	for _, l := range links {
		var arg string
		if len(l.Args) > 0 {
			arg = Written(l.Args[0].X)
		}
		switch l.Name {
		case "body", "response", "jsonPath", "getBody":
		case "header", "getHeader":
			x = expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: arg}, Default: expr.Str{}}
		case "path", "get", "getString":
			p, ok := ParsePath(arg, expr.Answer{Var: answer, Part: expr.JSON})
			if x = p.X; !ok || p.End != "" {
				return nil
			}
		case "asString":
			x = expr.Answer{Var: answer, Part: expr.Text}
		case "statusCode":
			x = expr.Answer{Var: answer}
		case "toString":
			if x != nil {
				x = expr.ToText{X: x}
			}
		default:
			return nil
		}
	}
	return x
}

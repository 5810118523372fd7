package java

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// WrittenText is a text as far as it is written out; [script.Unknown] stands for the rest.
func WrittenText(x Node) string {
	switch x := x.(type) {
	case Text:
		return x.Token.Text
	case Number:
		return strings.TrimRight(x.Text, "lLdDfF")
	case Sum:
		if len(x.Xs) > 1 {
			_, first := x.Xs[0].(Number)
			if _, second := x.Xs[1].(Number); first && second { // which are added
				return script.Unknown
			}
		}
		out := ""
		for _, y := range x.Xs {
			out += WrittenText(y)
		}
		return out
	case Ternary:
		return script.Either(WrittenText(x.X), WrittenText(x.Y))
	case Name:
		if x.ID == "true" || x.ID == "false" {
			return x.ID
		}
	}
	return script.Unknown
}

// Formatted is a text with values in the place of %s and %d.
func Formatted(format Node, args []Argument) Node {
	text, ok := format.(Text)
	if !ok {
		return Opaque{What: "a text that is put together"}
	}
	var out []Node
	rest := text.Token.Text
	for _, a := range args {
		i := strings.IndexByte(rest, '%')
		if i < 0 || i+1 >= len(rest) || rest[i+1] != 's' && rest[i+1] != 'd' {
			return Opaque{What: "a text that is put together"}
		}
		out = append(out, TextOf(rest[:i]), a.X)
		rest = rest[i+2:]
	}
	return Sum{Xs: append(out, TextOf(rest))}
}

// TextOf is a text as if it were written out.
func TextOf(s string) Node {
	return Text{Token: &Token{Kind: StringToken, Text: s, Parts: []Part{{Text: s}}}}
}

// HoldsAnyJSON reports whether an expression is the class of a type that holds whatever JSON there is: Map.class.
func HoldsAnyJSON(x Node) bool {
	f, _ := x.(Field)
	if inner, kotlin := f.X.(Field); kotlin && f.Name == "java" {
		f = inner
	}
	of, ok := f.X.(Name)
	return ok && f.Name == "class" && slices.Contains([]string{"Map", "List", "JsonNode", "JsonObject", "JsonArray",
		"JsonElement", "HashMap", "LinkedHashMap"}, of.ID)
}

package syntax

// FixtureScope is the scope that a decorator gives a fixture, as far as several tests have one value in it: not where
// pytest makes it with several.
func FixtureScope(decorator Statement) string {
	x, err := ParseExpr(decorator.Tokens[1:])
	call, ok := x.(Call)
	if err != nil || !ok {
		return ""
	}
	scope := ""
	for _, kw := range call.Kw {
		if kw.Name == "params" {
			return ""
		}
		if of, ok := kw.X.(StrLit); ok && kw.Name == "scope" && of.S != "function" {
			scope = of.S
		}
	}
	return scope
}

// Bases lists the classes that a class says it is derived from, by the last parts of their names.
func Bases(tokens []Token) []string {
	bases := []string{}
	for i, t := range tokens {
		if i > 1 && t.Kind == TokenName && i+1 < len(tokens) && (tokens[i+1].Text == "," || tokens[i+1].Text == ")") {
			bases = append(bases, t.Text)
		}
	}
	return bases
}

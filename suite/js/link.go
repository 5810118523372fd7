package js

// Link is a name that a file takes from another one, or gives to others.
type Link struct {
	Name   string // as the file itself calls it, or, of an export, as others do; "*" for all names
	Key    string // as it is called where it comes from: "default" for what a module is, "*" for all of it
	From   string // the other file; "" for the file itself
	Export bool
}

// Links reads an import, or an export of names: none where the statement is neither.
func (p *Parser) Links(st Statement) []Link {
	tokens := p.Tokens[st.First:st.Last]
	if len(tokens) < 2 || !tokens[0].Is("import") && !tokens[0].Is("export") {
		return nil
	}
	export := tokens[0].Is("export")
	from := ""
	for i, t := range tokens {
		if t.Is("from") && i+1 < len(tokens) && tokens[i+1].Kind == JsString {
			from = tokens[i+1].Text
			tokens = tokens[:i]
			break
		}
	}
	if from == "" && !export {
		return nil
	}
	tokens = tokens[1:]
	if len(tokens) > 1 && tokens[0].Is("type") && !tokens[1].Is(",") {
		return nil // types are no values
	}
	var out []Link
	named := false
	for len(tokens) > 0 {
		switch t := tokens[0]; {
		case t.Is("{"):
			named = true
		case t.Is("*"):
			name := "*"
			if len(tokens) > 2 && tokens[1].Is("as") {
				name, tokens = tokens[2].Text, tokens[2:]
			}
			out = append(out, Link{Name: name, Key: "*", From: from, Export: export})
		case t.Kind == Word && !named:
			if export {
				return nil
			}
			out = append(out, Link{Name: t.Text, Key: "default", From: from})
		case t.Is("type") && len(tokens) > 1 && tokens[1].Kind == Word && !tokens[1].Is("as"):
			tokens = tokens[1:]
		case t.Kind == Word || t.Kind == JsString:
			l := Link{Name: t.Text, Key: t.Text, From: from, Export: export}
			if len(tokens) > 2 && tokens[1].Is("as") {
				l.Name, tokens = tokens[2].Text, tokens[2:]
			}
			out = append(out, l)
		}
		tokens = tokens[1:]
	}
	return out
}

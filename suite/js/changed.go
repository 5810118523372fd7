package js

import "strings"

// Changed is what some source gives another value than it was declared with.
type Changed struct {
	Names   map[string]bool // that are assigned
	Members map[string]bool // members of any object that are assigned, or changed in their place
	Wholes  map[string]bool // names of what is changed in its place: an array by push, an object by Object.assign
}

// ChangedBy lists what tokens of a block change. What a constructor assigns to members is what these begin with.
func ChangedBy(tokens []Token, b Block) Changed {
	c := Changed{Names: map[string]bool{}, Members: map[string]bool{}, Wholes: map[string]bool{}}
	c.read(tokens, b)
	return c
}

func (c Changed) read(tokens []Token, b Block) {
	begun := -1 // where the constructor ends that we are in
	for i := b.From; i < b.To; i++ {
		t := tokens[i]
		for _, hole := range t.Holes {
			c.read(hole, Block{0, len(hole)})
		}
		members := c.Members
		if i < begun {
			members = map[string]bool{}
		}
		next := func(text string) bool { return i+1 < len(tokens) && tokens[i+1].Is(text) }
		switch {
		case t.Is("constructor") && next("("):
			if body := tokens[i+1].match + 1; body < len(tokens) && tokens[body].Is("{") {
				begun = max(begun, tokens[body].match)
			}
		case t.Is("delete") && i+1 < len(tokens):
			c.Wholes[tokens[i+1].Text] = true
		case t.Is("assign") && next("(") && i > 1 && tokens[i-2].Is("Object") && i+2 < len(tokens):
			c.Wholes[tokens[i+2].Text] = true
		case t.Kind == Word && ChangesArray(t.Text) && next("(") && i > 1 && tokens[i-1].Is("."):
			c.target(tokens, i-2, c.Wholes, c.Members)
		case t.Is("++"), t.Is("--"):
			if i+1 < len(tokens) && tokens[i+1].Kind == Word {
				c.Names[tokens[i+1].Text], c.Wholes[tokens[i+1].Text] = true, true
			}
			c.target(tokens, i-1, c.Names, members)
		case t.Kind == mark && assigns(t.Text):
			c.target(tokens, i-1, c.Names, members)
		}
	}
}

// target notes what the expression is that ends at a token.
func (c Changed) target(tokens []Token, at int, names, members map[string]bool) {
	if at < 0 {
		return
	}
	t := tokens[at]
	begins := t.match == 0 || t.match > 0 && (tokens[t.match-1].Kind == mark || declares(tokens, t.match))
	if t.Is("}") || t.Is("]") && begins {
		for _, one := range tokens[t.match:at] { // a pattern
			if one.Kind == Word && !declares(tokens, t.match) {
				c.Names[one.Text] = true
			}
		}
		return
	}
	for key := ""; at >= 0; {
		switch t := tokens[at]; {
		case t.Is("]") && t.match > 0:
			at, names = t.match-1, c.Wholes
		case t.Kind != Word:
			return
		case at > 1 && (tokens[at-1].Is(".") || tokens[at-1].Is("?.")):
			if key == "" {
				key = t.Text
				members[key] = true
			}
			at -= 2
			names = nil
		default:
			if names != nil && !declares(tokens, at) {
				names[t.Text] = true
			}
			return
		}
	}
}

// declares reports whether a name or a pattern is declared that begins at a token.
func declares(tokens []Token, at int) bool {
	return at > 0 && (tokens[at-1].Is("const") || tokens[at-1].Is("let") || tokens[at-1].Is("var"))
}

func assigns(op string) bool {
	return strings.HasSuffix(op, "=") && precedence(Token{Kind: mark, Text: op}) == 0
}

// ChangesArray reports whether a method of arrays changes them in their place, so that they have other elements.
func ChangesArray(method string) bool {
	switch method {
	case "push", "unshift", "pop", "shift", "splice", "fill":
		return true
	}
	return false
}

package kotlin

import (
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// modifiers are the words that may stand before a declaration.
func modifiers() []string {
	return []string{"public", "private", "internal", "protected", "open", "abstract", "final", "override", "suspend", "inline",
		"infix", "operator", "tailrec", "external", "lateinit", "const", "data", "sealed", "inner", "value", "annotation", "enum",
		"companion", "actual", "expect", "vararg", "noinline", "crossinline"}
}

// members tells what a class holds, or a file.
func (t *teller) members(i, to int) {
	if t.depth++; t.depth > script.MaxDepth {
		t.depth--
		return
	}
	defer func() { t.depth-- }()
	outer := t.local
	t.local = nil
	for i < to {
		i = max(t.member(i, to), i+1)
	}
	for len(t.local) > 0 {
		t.out, t.local = append(t.out, t.local...), nil
	}
	t.local = outer
}

// member tells one declaration, and returns where what follows it begins.
func (t *teller) member(i, to int) int {
	if t.depth == 1 && t.is(i, to, "package", "import") { // of a file beside
		for i++; i < to && !t.breaks(i); i++ {
		}
		return i
	}
	told := len(t.out)
	for t.is(i, to, "@") {
		from := i
		i = max(t.annotation(i, to), i+1)
		for k := from; k < i; k++ {
			t.copy(k)
		}
	}
	is := map[string]bool{}
	for t.is(i, to, modifiers()...) && !t.is(i+1, to, "(", "=", ".") {
		is[t.in[i].Text] = true
		i++
	}
	if is["companion"] {
		t.out = t.out[:told]
	}
	switch {
	case t.is(i, to, "fun") && t.is(i+1, to, "interface"):
		return t.class(i+1, to, is)
	case t.is(i, to, "class", "interface", "object"):
		return t.class(i, to, is)
	case t.is(i, to, "fun"):
		return t.function(i, to)
	case t.is(i, to, "val", "var"):
		i = t.accessors(t.property(i, to), to)
		t.say(";")
		return i
	}
	t.out = t.out[:told]
	switch {
	case t.is(i, to, "init") && t.is(i+1, to, "{"):
		t.say("@", "BeforeAll", "fun", "init", "(", ")")
		return t.block(i + 1)
	case t.is(i, to, "(", "[", "{"):
		return t.match[i] + 1
	}
	return i + 1
}

// class tells a class from its keyword on; what a companion holds is of the class that it accompanies.
func (t *teller) class(i, to int, is map[string]bool) int {
	told := len(t.out)
	t.name("class", i)
	object := t.is(i, to, "object")
	i++
	if t.isName(i, to) {
		t.copy(i)
		i++
	} else {
		t.say("Companion")
	}
	i = t.generics(i, to)
	for t.is(i, to, "@") || t.is(i, to, modifiers()...) || t.is(i, to, "constructor") {
		if t.is(i, to, "@") {
			i = t.annotation(i, to)
		} else {
			i++
		}
	}
	if t.is(i, to, "(") {
		t.copy(i)
		t.parameters(i+1, t.match[i])
		t.copy(t.match[i])
		i = t.match[i] + 1
	}
	i = t.supertypes(i, to)
	if !t.is(i, to, "{") {
		t.say(";")
		return i
	}
	end := t.match[i]
	switch {
	case is["companion"] && object:
		t.out = t.out[:told]
		t.members(i+1, end)
		return end + 1
	case is["enum"]:
		t.out[told].Text = "enum"
		for k := i; k <= end; k++ {
			t.copy(k)
		}
		return end + 1
	case is["annotation"]:
		t.say(";")
		return end + 1
	}
	t.copy(i)
	t.members(i+1, end)
	t.copy(end)
	return end + 1
}

// supertypes tells what a class extends, and returns where its body begins, or what follows it where it has none.
func (t *teller) supertypes(i, to int) int {
	if !t.is(i, to, ":") {
		return i
	}
	for i++; i < to; i++ {
		switch {
		case t.is(i, to, "{"):
			return i
		case t.is(i, to, "("):
			if t.in[i-1].Kind == java.NameToken {
				t.say("extends")
				t.copy(i - 1)
			}
			i = t.match[i]
		case t.is(i, to, "<"):
			if next := t.generics(i, to); next > i {
				i = next - 1
			}
		case t.breaks(i) && !t.is(i, to, ",") && !t.is(i-1, to, ",", ":"):
			return i
		}
	}
	return i
}

// function tells a function, whose receiver is its first parameter.
func (t *teller) function(i, to int) int {
	told := len(t.out)
	keyword := i
	from := t.generics(i+1, to)
	open := from
	for open < to && !t.is(open, to, "(", "{", "}", "=", ";") {
		if next := t.generics(open, to); next > open {
			open = next
		} else {
			open++
		}
	}
	if !t.is(open, to, "(") || open == from || t.in[open-1].Kind != java.NameToken {
		t.out = t.out[:told]
		return keyword + 1
	}
	t.copy(keyword)
	t.copy(open - 1)
	t.copy(open)
	end := t.match[open]
	if open-1 > from {
		typ, _ := java.KotlinType(t.in, from, open-1)
		t.typed(typ, "this")
		if open+1 < end {
			t.say(",")
		}
	}
	t.parameters(open+1, end)
	t.copy(end)
	i = end + 1
	if t.is(i, to, ":") {
		_, i = java.KotlinType(t.in, i+1, to)
	}
	if t.is(i, to, "where") {
		for i < to && !t.is(i, to, "{", "=") {
			i++
		}
	}
	return t.body(i, to)
}

// body tells what a function does, or gives, behind its type.
func (t *teller) body(i, to int) int {
	if t.is(i, to, ":") {
		_, i = java.KotlinType(t.in, i+1, to)
	}
	switch {
	case t.is(i, to, "{"):
		return t.block(i)
	case t.is(i, to, "="):
		t.say("{", "return")
		i = t.expression(i+1, to)
		t.say(";", "}")
		return i
	}
	t.say(";")
	return i
}

// typed says a variable with its type.
func (t *teller) typed(typ, name string) {
	if typ == "" {
		typ = "var"
	}
	t.say(typ, name)
}

// parameters tells those of a function.
func (t *teller) parameters(i, to int) {
	first := true
	for i < to {
		notes := i
		for t.is(i, to, "@") {
			i = max(t.annotation(i, to), i+1)
		}
		from := i
		for t.is(i, to, append(modifiers(), "val", "var")...) && t.isName(i+1, to) {
			i++
		}
		if !t.isName(i, to) || !t.is(i+1, to, ":") {
			i++
			continue
		}
		if !first {
			t.say(",")
		}
		first = false
		for k := notes; k < from; k++ {
			t.copy(k)
		}
		typ, next := java.KotlinType(t.in, i+2, to)
		if typ == "" {
			typ = "var"
		}
		t.say(typ)
		t.elements(i + 3)
		t.copy(i)
		if i = max(next, i+2); t.is(i, to, "=") {
			t.copy(i)
			i = t.argument(i+1, to)
		}
		for i < to && !t.is(i, to, ",") {
			if t.is(i, to, "(", "[", "{") {
				i = t.match[i]
			}
			i++
		}
	}
}

// extension tells a property of another type as a function that has what it is of as its first parameter, as
// [teller.function] does; one without a getter is left out.
func (t *teller) extension(from, to int) int {
	i := from
	for i < to && !t.is(i, to, ":", "=", ";") && !t.ends(i) {
		i++
	}
	name := i - 1
	end := i
	if t.is(i, to, ":") {
		_, end = java.KotlinType(t.in, i+1, to)
	}
	if t.is(end, to, ";") && t.is(end+1, to, "get") {
		end++
	}
	if name <= from || !t.isName(name, to) || !t.is(end, to, "get") || !t.is(end+2, to, ")") {
		for i = from; i < to && !t.ends(i); i++ {
			if t.is(i, to, "(", "[", "{") {
				i = t.match[i]
			}
		}
		return i
	}
	typ, _ := java.KotlinType(t.in, from, name)
	t.say("fun")
	t.copy(name)
	t.say("(")
	t.typed(typ, "this")
	t.say(")")
	return t.body(end+3, to)
}

// elements tells the type of a list's elements, behind its own.
func (t *teller) elements(i int) {
	if n := len(t.in); t.is(i, n, "<") && t.is(i+2, n, ">") && t.isName(i+1, n) {
		t.say("<", t.in[i+1].Text, ">")
	}
}

// property tells a property or a variable, or several that a value is taken apart to, but for the semicolon.
func (t *teller) property(i, to int) int {
	told, keyword := len(t.out), i
	i = t.generics(i+1, to)
	if t.is(i, to, "(") {
		return t.apart(keyword, i, to)
	}
	name := i
	typ := "var"
	if i++; t.is(i, to, ":") {
		typ, i = java.KotlinType(t.in, i+1, to)
		if typ == "" {
			typ = "var"
		}
	}
	if !t.isName(name, to) || t.is(i, to, ".", "<", "?") {
		t.out = t.out[:told]
		return t.extension(max(name, keyword+1), to)
	}
	t.name(typ, keyword)
	t.elements(name + 3)
	t.copy(name)
	switch {
	case t.is(i, to, "="):
		t.copy(i)
		i = t.expression(i+1, to)
	case t.is(i, to, "by"):
		i = t.delegated(i+1, to)
	}
	return i
}

// delegated tells the value of a property that is made when it is first asked for, where that is one expression.
func (t *teller) delegated(i, to int) int {
	open := i + 1
	if t.is(open, to, "(") {
		open = t.match[open] + 1
	}
	if t.is(i, to, "lazy") && t.is(open, to, "{") {
		if t.statements(open+1, t.match[open]) == 1 {
			t.say("=")
			t.expression(open+1, t.match[open])
		}
		return t.match[open] + 1
	}
	told := len(t.out)
	i = t.expression(i, to)
	t.out = t.out[:told]
	return i
}

// accessors steps over those of a property, and tells a getter that calls nothing as its value.
func (t *teller) accessors(i, to int) int {
	for {
		from := i
		for t.is(i, to, "private", "protected", "internal", "@") {
			if t.is(i, to, "@") {
				i = t.annotation(i, to)
			} else {
				i++
			}
		}
		if t.is(i, to, ";") && t.is(i+1, to, "get", "set") {
			i++
		}
		if !t.is(i, to, "get", "set") || !t.is(i+1, to, "(") && !t.is(i-1, to, "private", "protected", "internal") {
			return from
		}
		getter := t.is(i, to, "get")
		if i++; t.is(i, to, "(") {
			i = t.match[i] + 1
		}
		if t.is(i, to, ":") {
			_, i = java.KotlinType(t.in, i+1, to)
		}
		switch {
		case t.is(i, to, "{"):
			i = t.match[i] + 1
		case t.is(i, to, "="):
			told := len(t.out)
			t.copy(i)
			i = t.expression(i+1, to)
			for _, x := range t.out[told:] {
				if x.Is("(") && x.Start < x.End || !getter {
					t.out = t.out[:told]
					break
				}
			}
		}
	}
}

// apart tells val (a, b) = x as the declarations of x and of what is taken of it.
func (t *teller) apart(keyword, open, to int) int {
	end := t.match[open]
	const whole = "taken apart"
	t.name("var", keyword)
	t.say("a")
	t.out[len(t.out)-1].Text = whole
	i := end + 1
	if t.is(i, to, "=") {
		t.copy(i)
		i = t.expression(i+1, to)
	}
	t.say(";")
	n := 0
	for k := open + 1; k < end; k++ {
		if !t.isName(k, end) {
			continue
		}
		n++
		t.say("var")
		t.out = append(t.out, t.in[k])
		t.out[len(t.out)-1].Start = t.out[len(t.out)-2].End
		t.out[len(t.out)-1].End = t.out[len(t.out)-2].End
		t.say("=", "a", ".", "component"+string(rune('0'+min(n, 9))), "(", ")", ";")
		t.out[len(t.out)-6].Text = whole
		for k+1 < end && !t.is(k+1, end, ",") {
			k++
		}
	}
	return i
}

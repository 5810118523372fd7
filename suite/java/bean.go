package java

import "strings"

// elemBefore is the type of the elements of the list, or of the array, whose variable is declared by a name: what
// stands between the brackets before that; "" where there are none, or more than one name stands there.
func (m *File) elemBefore(name int) (elem string, array bool) {
	at := name - 1
	switch {
	case at >= 3 && m.Tokens[at].Is(">") && m.Tokens[at-2].Is("<"):
		return m.Tokens[at-1].Text, false
	case at >= 2 && m.Tokens[at].Is("]") && m.Tokens[at-1].Is("["):
		return m.Tokens[at-2].Text, true
	}
	return "", false
}

// Elem is the type of the elements that a variable has which is given a value from a token on.
func (m *File) Elem(value int) string {
	if value < 2 || !m.Tokens[value-1].Is("=") {
		return ""
	}
	elem, _ := m.elemBefore(value - 2)
	return elem
}

// jsonName is the name that Jackson's annotations give a member, before a token; "" where they give none.
func (m *File) jsonName(from, to int) string {
	for i := from; i+3 < to; i++ {
		if m.Tokens[i].Is("@") && m.Tokens[i+1].Is("JsonProperty") && m.Tokens[i+2].Is("(") &&
			m.Tokens[i+3].Kind == StringToken {
			return m.Tokens[i+3].Text
		}
	}
	return ""
}

// components notes what a record, or a class of Kotlin, has by its head.
func (m *File) components(class string, from, to int) {
	if m.Fields[class] == nil {
		m.Fields[class] = map[string]Variable{}
	}
	m.Components[class] = m.parameters(from, to)
	for _, p := range m.Components[class] {
		m.Fields[class][p.Name] = Variable{Typ: p.Typ, Elem: p.Elem, JSON: p.JSON}
	}
}

// Member is the field that a member of an object of a class gives, by its name or its getter; false where the class
// has none, or does something else to give it.
func (m *File) Member(class, name string) (field string, v Variable, ok bool) {
	fields := m.Fields[class]
	field = name
	if _, own := fields[name]; !own {
		for _, prefix := range []string{"get", "is"} {
			rest, cut := strings.CutPrefix(name, prefix)
			if cut && rest != "" && rest[:1] == strings.ToUpper(rest[:1]) {
				field = strings.ToLower(rest[:1]) + rest[1:]
			}
		}
	}
	v, ok = fields[field]
	for _, f := range m.Methods {
		if f.Class != class || f.Name != name || len(f.Params) > 0 {
			continue
		}
		body := m.Joined(f.Open+1, f.Close)
		ok = ok && (body == "return"+field+";" || body == "returnthis."+field+";")
	}
	if v.JSON == "" {
		v.JSON = field
	}
	rest, is := strings.CutPrefix(field, "is") // of which Jackson and its module for Kotlin make different names
	return field, v, ok && !(is && rest != "" && rest[:1] == strings.ToUpper(rest[:1]))
}

// constants notes those of an enumeration. One whose constants have bodies of their own, or that says itself what texts
// they are, is none that is known.
func (m *File) constants(class string, from, to int) {
	var names []string
	for i := from; i < to && !m.Tokens[i].Is(";"); i++ {
		if m.Tokens[i].Kind != NameToken {
			return
		}
		names = append(names, m.Tokens[i].Text)
		if i++; i < to && m.Tokens[i].Is("(") {
			i = m.Match[i] + 1
		}
		if i < to && m.Tokens[i].Is(";") {
			break
		}
		if i < to && !m.Tokens[i].Is(",") {
			return
		}
	}
	for _, t := range m.Tokens[from:to] {
		if t.Is("toString") {
			return
		}
	}
	m.Enums[class] = names
}

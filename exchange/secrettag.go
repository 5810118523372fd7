package exchange

import (
	"html"
	"strings"
)

// describes looks at a member or attribute whose value, at v, says what another one beside it is: its name, or that it
// is a password. It reports whether that is all that is to be said of it.
func (s *scanner) describes(name string, v int, n spelling) bool {
	switch {
	case n.assigns && (name == "name" || name == "NAME" || name == "key"):
		s.field(v)
	case n.assigns && (name == "type" || name == "TYPE"):
		s.passwordField(v)
	case !n.assigns && n.quoted && (name == "name" || name == "key"):
		s.setting(v)
	default:
		return false
	}
	return true
}

// setting takes the value of a member of a list of settings, or of headers: {"name": "api_key", "value": "…"}.
func (s *scanner) setting(v int) {
	v = s.blanks(v)
	from, to, ok := s.quotedAt(v)
	if !ok || to-from > maxSecretName || !s.named(s.text[from:to]) {
		return
	}
	escapes := from - v // the quote, and what stands before it in a text within a text
	at := s.blanks(to + escapes)
	if at >= len(s.text) || s.text[at] != ',' {
		return
	}
	at = s.blanks(at + 1)
	from, to, ok = s.quotedAt(at)
	if !ok || s.text[from:to] != "value" {
		return
	}
	if at = s.blanks(to + escapes); at >= len(s.text) || s.text[at] != ':' {
		return
	}
	at = s.blanks(at + 1)
	if from, to, ok := s.quotedAt(at); ok {
		value := unescapeText(s.text[from:to])
		if escapes > 1 {
			value = unescapeText(value)
		}
		s.add(from, to, value)
		return
	}
	s.bare(at, spelling{quoted: true})
}

// blanks returns where the blanks at i end.
func (s *scanner) blanks(i int) int {
	for i < len(s.text) && strings.IndexByte(" \t\r\n", s.text[i]) >= 0 {
		i++
	}
	return i
}

// field takes what belongs to name="…" at v, where that names a secret: the value of an HTML element, or the content of
// a part of a form.
func (s *scanner) field(v int) {
	from, to := s.wordAt(v)
	if to-from > maxSecretName || !s.named(s.text[from:to]) {
		return
	}
	if before := s.text[max(0, from-maxTag):from]; strings.Contains(strings.ToLower(before[strings.LastIndexAny(before,
		"<>\n")+1:]), "content-disposition:") {
		s.part(to)
		return
	}
	begin, end, ok := s.tag(from, to)
	if !ok {
		return
	}
	s.attributes(begin, end, "value", "content")
	name := s.text[begin+1 : end]
	if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	switch text := end + 1; strings.ToLower(name) {
	// what they hold is no value
	case "form", "fieldset", "iframe", "a", "button", "select", "object", "map", "slot", "output":
	case "textarea":
		if length := s.elementEnd(text, name); length > 0 {
			s.add(text, text+length, html.UnescapeString(s.text[text:text+length]))
		}
	default: // <property name="password">x</property>
		length := strings.IndexByte(s.text[text:min(len(s.text), text+maxSecretValue)], '<')
		if length > 0 && s.text[end-1] != '/' && strings.HasPrefix(s.text[text+length:], "</"+name) &&
			strings.TrimSpace(s.text[text:text+length]) != "" {
			s.add(text, text+length, html.UnescapeString(s.text[text:text+length]))
		}
	}
}

// passwordField takes the value of the HTML element that has type="password" at v, whatever its name.
func (s *scanner) passwordField(v int) {
	from, to := s.wordAt(v)
	if !strings.EqualFold(s.text[from:to], "password") {
		return
	}
	if begin, end, ok := s.tag(from, to); ok {
		s.attributes(begin, end, "value")
	}
}

// wordAt returns where the value of an attribute begins and ends that begins at v, in quotes or without.
func (s *scanner) wordAt(v int) (from, to int) {
	from, to, ok := s.quotedAt(v)
	if !ok {
		from, to = v, v
		for to < len(s.text) && nameByte[s.text[to]] {
			to++
		}
	}
	return from, to
}

// maxTag bounds how far from an attribute its tag begins and ends.
const maxTag = 1024

// tag returns where the tag begins, at its <, and ends, at its >, in which an attribute's value stands at from to to.
func (s *scanner) tag(from, to int) (begin, end int, ok bool) {
	low := max(0, from-maxTag)
	begin = low + strings.LastIndexAny(s.text[low:from], "<>")
	end = strings.IndexByte(s.text[to:min(len(s.text), to+maxTag)], '>')
	return begin, to + end, begin >= low && s.text[begin] == '<' && end >= 0
}

// attributes takes the values of attributes of a tag, in quotes or without.
func (s *scanner) attributes(begin, end int, names ...string) {
	for _, name := range names {
		for _, name := range [...]string{name, strings.ToUpper(name)} {
			v := s.attribute(begin, end, name+"=")
			if v < 0 {
				continue
			}
			from, to, ok := s.quotedAt(v)
			if !ok {
				from, to = v, end
				if k := strings.IndexAny(s.text[v:end], " \t\r\n"); k >= 0 {
					to = v + k
				}
			}
			s.add(from, to, html.UnescapeString(s.text[from:to]))
		}
	}
}

// attribute returns where the value begins of an attribute of a tag, given as its name and an equals sign; -1 where the
// tag has none of that name.
func (s *scanner) attribute(begin, end int, assign string) int {
	for at := begin + 1; ; {
		i := strings.Index(s.text[at:end], assign)
		if i < 0 {
			return -1
		}
		if at += i; strings.IndexByte(" \t\r\n\"'/", s.text[at-1]) >= 0 {
			return at + len(assign)
		}
		at += len(assign)
	}
}

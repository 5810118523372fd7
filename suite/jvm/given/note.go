package given

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// note is an annotation: its simple name, and what it is given.
type note struct {
	name       string
	attributes []attribute
}

// attribute is what an annotation is given by a name, "value" where it has none: one value or several, by their tokens.
type attribute struct {
	name   string
	values []extent
}

type extent struct{ from, to int }

// has reports whether an annotation is given something by a name.
func (n note) has(name string) bool { return len(n.values(name)) > 0 }

// values are what an annotation is given by a name.
func (n note) values(name string) (out []extent) {
	for _, a := range n.attributes {
		if a.name == name {
			out = append(out, a.values...)
		}
	}
	return out
}

// first is the one value that an annotation is given by a name; nil for none, and for several.
func (l *listing) first(n note, name string) java.Node {
	if v := n.values(name); len(v) == 1 {
		return l.by.ValueOf(v[0].from, v[0].to)
	}
	return nil
}

// text is that as a text, which is unknown where it is none.
func (l *listing) text(n note, name string) string { return java.WrittenText(l.first(n, name)) }

// notesOf lists the annotations of a method.
func notesOf(m *java.File, f *java.Method) (out []note) {
	for i := f.Head; i < f.Keyword; i++ {
		if !m.Tokens[i].Is("@") {
			continue
		}
		name, last := m.Annotation(i)
		n := note{name: name}
		if open := slices.Index(m.Match[i:last+1], last); open > 0 {
			n.attributes = attributesIn(m, i+open+1, last)
		}
		out = append(out, n)
		i = max(last, i)
	}
	return out
}

// attributesIn reads what stands between the parentheses of an annotation.
func attributesIn(m *java.File, from, to int) (out []attribute) {
	for _, one := range parted(m, from, to) {
		a := attribute{name: "value"}
		if m.Tokens[one.from].Kind == java.NameToken && one.from+1 < one.to && m.Tokens[one.from+1].Is("=") {
			a.name = m.Tokens[one.from].Text
			one.from += 2
		}
		if one.from < one.to && m.Tokens[one.from].Is("arrayOf") {
			one.from++
		}
		if one.from >= one.to {
			continue
		}
		open := &m.Tokens[one.from]
		if (open.Is("{") || open.Is("[") || open.Is("(")) && m.Match[one.from] == one.to-1 {
			a.values = parted(m, one.from+1, one.to-1)
		} else {
			a.values = []extent{one}
		}
		out = append(out, a)
	}
	return out
}

// parted are the pieces of tokens between commas.
func parted(m *java.File, from, to int) (out []extent) {
	begin := from
	for i := from; i <= to; i++ {
		switch t := &m.Tokens[i]; {
		case i == to || t.Is(","):
			if begin < i {
				out = append(out, extent{begin, i})
			}
			begin = i + 1
		case t.Is("("), t.Is("["), t.Is("{"):
			i = m.Match[i]
		}
	}
	return out
}

// csv adds the rows of @CsvSource.
func (l *listing) csv(n note) {
	delimiter := ","
	headed := false
	for _, a := range n.attributes {
		switch a.name {
		case "value", "textBlock":
		case "delimiter":
			delimiter = ""
			for _, v := range a.values {
				delimiter += strings.Trim(l.file.Joined(v.from, v.to), "'")
			}
		case "delimiterString":
			delimiter = l.text(n, a.name)
		case "useHeadersInDisplayName":
			headed = l.text(n, a.name) == "true"
		default:
			l.ok = false
		}
	}
	var rows []string
	for _, v := range n.values("value") {
		rows = append(rows, java.WrittenText(l.by.ValueOf(v.from, v.to)))
	}
	if n.has("textBlock") {
		for line := range strings.Lines(l.text(n, "textBlock")) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				rows = append(rows, line)
			}
		}
	}
	if headed && len(rows) > 0 {
		rows = rows[1:]
	}
	for _, row := range rows {
		columns, ok := columnsOf(row, delimiter)
		l.ok = l.ok && ok
		l.run(columns...)
	}
}

// columnsOf are the values of a row as JUnit reads it: without the blanks around them, null where nothing stands, as
// they are between apostrophes. It is false where the row is not known, or goes on behind a closing apostrophe.
func columnsOf(row, delimiter string) (out []java.Node, ok bool) {
	if strings.Contains(row+delimiter, script.Unknown) || delimiter == "" || strings.Contains(delimiter, `\`) {
		return nil, false
	}
	for more := true; more; {
		value, quoted := "", false
		row = strings.TrimLeft(row, " \t")
		if row, quoted = strings.CutPrefix(row, "'"); quoted {
			for {
				piece, rest, closed := strings.Cut(row, "'")
				if !closed {
					return nil, false
				}
				value += piece
				if row, more = strings.CutPrefix(rest, "'"); !more {
					break
				}
				value += "'"
			}
			row = strings.TrimLeft(row, " \t")
			if row, more = strings.CutPrefix(row, delimiter); !more && row != "" {
				return nil, false
			}
			out = append(out, java.TextOf(value))
			continue
		}
		value, row, more = strings.Cut(row, delimiter)
		if value = strings.TrimSpace(value); value == "" {
			out = append(out, java.Name{ID: "null"})
		} else {
			out = append(out, java.TextOf(value))
		}
	}
	return out, true
}

package before

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// outside puts a variable into the literals of fields and methods that tests share. It is a static field of the class
// that all stands in; in Kotlin it stands above that. A constant is none any more then, where nothing needs it to be.
func (f *File) outside(s *script.Script, t *script.Test, text, variable string) (edits []script.Edit, at, gap int,
	ok bool) {
	all := f.tokens(0, len(s.Text))
	edits, at, ok = handset.Outside(s, t, f.literals(0, len(s.Text)), text, variable, f.words())
	if !ok || len(edits) == 0 {
		return nil, 0, 0, ok
	}
	match := java.Matches(all)
	notes := annotations(all, match)
	for _, e := range slices.Clone(edits) {
		n := slices.IndexFunc(all, func(t java.Token) bool { return t.Start == e.Start })
		if n < 0 || within(notes, n) {
			return nil, 0, 0, false
		}
		name, constant := namedBy(all, n)
		if name != "" && f.fixed(all, notes, name) {
			return nil, 0, 0, false
		}
		if constant != nil {
			edits = append(edits, *constant)
		}
	}
	if f.Kotlin {
		return edits, handset.Above(s.Text, topmost(s.Text, at), "//"), 1, true
	}
	start, ok := member(all, match, edits)
	if !ok {
		return nil, 0, 0, false
	}
	above := handset.Above(s.Text, start, "//")
	return edits, above + len(lineIndent(s.Text[above:])), 1, true
}

// freshOutside is the statement of fresh as a member of a class, or above one.
func (f *File) freshOutside(s *script.Script, t *script.Test, v script.FreshText) string {
	if f.Kotlin {
		return "private " + f.fresh(s, t, v)
	}
	drawn := "private static final " + f.fresh(s, t, v)
	if len(f.Unit(t))+len(drawn) > lineWidth {
		drawn = strings.Replace(drawn, " = ", " =\n    ", 1)
	}
	return drawn
}

// lineIndent is the white space that a text begins with.
func lineIndent(text string) string { return text[:len(text)-len(strings.TrimLeft(text, " \t"))] }

// span is a run of tokens.
type span struct{ from, to int }

func within(some []span, n int) bool {
	return slices.ContainsFunc(some, func(s span) bool { return s.from <= n && n < s.to })
}

// annotations are the arguments of annotations: what stands there has to be constant.
func annotations(all []java.Token, match []int) (out []span) {
	for i := range all {
		if !all[i].Is("@") {
			continue
		}
		n := i + 1
		for n+1 < len(all) && all[n].Kind == java.NameToken && (all[n+1].Is(".") || all[n+1].Is(":")) {
			n += 2
		}
		if n+1 < len(all) && all[n+1].Is("(") && match[n+1] > 0 {
			out = append(out, span{n + 1, match[n+1]})
		}
	}
	return out
}

// namedBy is the name of the field or variable that is declared with a literal, "" for none, and what takes the
// word const of Kotlin away from it; nil where it has none.
func namedBy(all []java.Token, literal int) (name string, constant *script.Edit) {
	i := literal
	for i > 0 && !all[i].Is("=") {
		if all[i].Is(";") || all[i].Is("{") || all[i].Is("}") {
			return "", nil
		}
		i--
	}
	for i--; i > 0 && all[i].Kind == java.NameToken && all[i-1].Is(":"); {
		i -= 2
	}
	if i < 1 || all[i].Kind != java.NameToken {
		return "", nil
	}
	if i > 1 && all[i-1].Is("val") && all[i-2].Is("const") {
		constant = &script.Edit{Start: all[i-2].Start, End: all[i-1].Start}
	}
	return all[i].Text, constant
}

// fixed reports whether a name has to be that of a constant: an annotation, a case or another constant of Kotlin names
// it.
func (f *File) fixed(all []java.Token, notes []span, name string) bool {
	for i, t := range all {
		filled := f.Kotlin && t.Kind == java.StringToken && fills(f.Script.Text[t.Start:t.End], name)
		if filled || t.Kind == java.NameToken && t.Text == name {
			if _, constant := namedBy(all, i); within(notes, i) || i > 0 && all[i-1].Is("case") || constant != nil {
				return true
			}
		}
	}
	return false
}

// fills reports whether a literal of Kotlin may be filled with what has a name: $NAME, ${NAME} or ${Class.NAME}.
func fills(literal, name string) bool {
	_, filled, _ := strings.Cut(literal, "$")
	return strings.Contains(filled, name)
}

// topmost is where the declaration of Kotlin begins that stands in no other and has a place of the file in it, with the
// annotations above it.
func topmost(text string, at int) int {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	for start > 0 && strings.ContainsAny(text[start:start+1], " \t\r\n)}") {
		start = strings.LastIndexByte(text[:start-1], '\n') + 1
	}
	for start > 0 {
		above := strings.LastIndexByte(text[:start-1], '\n') + 1
		if !strings.HasPrefix(text[above:], "@") {
			break
		}
		start = above
	}
	return start
}

// member is where the first member of the class begins that has one of some edits in it, or one before it that may call
// what has, as the class is made from above; false where they do not all stand in one class, or it is an interface.
func member(all []java.Token, match []int, edits []script.Edit) (start int, ok bool) {
	first, last := edits[0].Start, edits[0].Start
	for _, e := range edits {
		first, last = min(first, e.Start), max(last, e.Start)
	}
	open := slices.IndexFunc(all, func(t java.Token) bool { return t.Is("{") })
	for open >= 0 && match[open] > 0 && all[match[open]].Start < first {
		next := slices.IndexFunc(all[match[open]:], func(t java.Token) bool { return t.Is("{") })
		if next < 0 {
			return 0, false
		}
		open = match[open] + next
	}
	if open < 0 || match[open] <= 0 || all[open].Start > first || all[match[open]].Start < last ||
		slices.ContainsFunc(all[:open], func(t java.Token) bool { return t.Is("interface") }) {
		return 0, false
	}
	begin, caller, given := open+1, -1, false // given is that of a field which has a value
	for i := begin; i < match[open]; i++ {
		ends := all[i].Is(";")
		given = given || all[i].Is("=")
		if caller < 0 && (given && all[i].Is("(") || all[i].Is("{") && all[i-1].Is("static")) {
			caller = begin
		}
		if (all[i].Is("{") || all[i].Is("(") || all[i].Is("[")) && match[i] > 0 {
			body := all[i].Is("{")
			i = match[i]
			ends = body && !(all[i+1].Is(";") || all[i+1].Is(",") || all[i+1].Is(")") || all[i+1].Is("."))
		}
		if ends && all[i].Start > first {
			if caller >= 0 {
				begin = caller
			}
			return all[begin].Start, true
		}
		if ends {
			begin, given = i+1, false
		}
	}
	return 0, false
}

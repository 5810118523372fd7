package approval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Language is how a file writes calls.
type Language struct {
	Kotlin  bool
	Literal func(text string) string
	File    *java.File
}

// The classes that options are made of.
const (
	optionsClass   = packageName + ".core.Options"
	scrubberClass  = packageName + ".scrubbers.RegExScrubber"
	scrubbersClass = packageName + ".scrubbers.Scrubbers"
)

// With is the call with other scrubbers; begin begins a line in which it goes on, where it has several.
func (l Language) With(c *Call, scrubs []snapshot.Scrub, begin string) string {
	each := make([]string, len(scrubs))
	for i, s := range scrubs {
		each[i] = l.made(scrubberClass) + "(" + l.Literal(s.Pattern) + ", " + l.Literal(s.Instead) + ")"
	}
	if len(each) == 1 || l.Kotlin { // which is laid out by its own rules
		begin = ""
	}
	by := strings.Join(each, ","+cmp.Or(begin, " "))
	if len(each) > 1 {
		by = l.name(scrubbersClass) + ".scrubAll(" + begin + by + ")"
	}
	return c.called + "(" + c.Value + ", " + l.made(optionsClass) + "(" + by + "))"
}

// made is how a class begins whose object is made.
func (l Language) made(class string) string {
	if l.Kotlin {
		return l.name(class)
	}
	return "new " + l.name(class)
}

// name is what a class is called: by itself where it is imported or can be.
func (l Language) name(class string) string {
	if l.imports(class) {
		return simple(class)
	}
	return class
}

// imports reports whether a class is imported, or can be: in a file that imports classes of the library, and no other
// of its name.
func (l Language) imports(class string) bool {
	library := false
	_, another := l.File.Outer[simple(class)] // a class of the file's own
	for _, name := range l.File.Imports {
		name = strings.TrimPrefix(name, "static ")
		library = library || strings.HasPrefix(name, packageName+".")
		another = another || strings.HasSuffix(name, "."+simple(class)) && name != class
	}
	return library && !another
}

func simple(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// Missing are the classes that calls with so many scrubbers need to be imported for, and are not.
func (l Language) Missing(scrubs int) []string {
	need := []string{optionsClass, scrubberClass}
	if scrubs > 1 {
		need = append(need, scrubbersClass)
	}
	return slices.DeleteFunc(need, func(class string) bool { return !l.imports(class) || l.File.Has(class) })
}

// Import returns the edits that import classes, each before the first import that comes behind it in the alphabet.
func (l Language) Import(s *script.Script, names []string) []script.Edit {
	mark, end := ";", script.LineEnd(s.Lines[0])
	if l.Kotlin {
		mark = ""
	}
	slices.Sort(names)
	var edits []script.Edit
	for _, name := range slices.Compact(names) {
		at, before := place(s, name)
		edits = append(edits, script.Edit{Start: at, End: at, Text: before + "import " + name + mark + end, Once: true})
	}
	return edits
}

// place is where an import of a class goes, and what goes between it and static ones.
func place(s *script.Script, name string) (at int, before string) {
	pos, behind, static := 0, -1, -1
	for _, line := range s.Lines {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "class" || word == "public" || strings.HasPrefix(word, "@"):
			return last(behind, static, s)
		case word == "import" && strings.HasPrefix(rest, "static "):
			static = pos + len(line)
		case word == "import":
			if strings.TrimSuffix(rest, ";") > name {
				return pos, ""
			}
			behind = pos + len(line)
		}
		pos += len(line)
	}
	return last(behind, static, s)
}

// last is the place behind the last import.
func last(behind, static int, s *script.Script) (at int, before string) {
	if behind >= 0 {
		return behind, ""
	}
	return max(static, 0), script.LineEnd(s.Lines[0])
}

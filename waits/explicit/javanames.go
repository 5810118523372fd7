package explicit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// packages are those of the classes that waits name.
var packages = map[string]string{
	"By": "org.openqa.selenium", "TimeoutException": "org.openqa.selenium", "WebDriverException": "org.openqa.selenium",
	"WebDriverWait": "org.openqa.selenium.support.ui", "Duration": "java.time",
}

// javaNames says how waits name classes in a file: by their own names, which are imported where they are not yet, or
// with their packages, where the file calls something else so, or may.
type javaNames struct {
	head    []javaImport // what the file imports
	under   int          // where an import goes in a file without any: behind its package
	whole   map[string]bool
	missing []string // what is to be imported
}

// javaImport is an import that stands in a file.
type javaImport struct {
	name       string
	start, end int // its line
}

func newJavaNames(text string, file *java.File) *javaNames {
	n := &javaNames{whole: map[string]bool{}}
	stands, wild := map[string]bool{}, map[string]bool{}
	tokens, i := file.Tokens, 0
	for i < len(tokens) && (tokens[i].Is("package") || tokens[i].Is("import")) {
		from := i
		for i < len(tokens) && !tokens[i].Is(";") {
			i++
		}
		start := strings.LastIndexByte(text[:tokens[from].Start], '\n') + 1
		end := endOfLine(text, tokens[min(i, len(tokens)-1)].End)
		switch name := file.Joined(from+1, i); {
		case tokens[from].Is("package"):
			n.under = end
		case tokens[from+1].Is("static"):
			n.head = append(n.head, javaImport{"", start, end})
		default:
			n.head = append(n.head, javaImport{name, start, end})
			at, base := name[:max(0, strings.LastIndexByte(name, '.'))], name[strings.LastIndexByte(name, '.')+1:]
			wild[at] = wild[at] || base == "*"
			stands[name] = true
			if of, ours := packages[base]; ours && of != at {
				n.whole[base] = true
			}
		}
		i++
	}
	for ; i < len(tokens); i++ {
		base := tokens[i].Text
		at, ours := packages[base]
		if ours && tokens[i].Kind == java.NameToken && !stands[at+"."+base] && !wild[at] && !(i > 0 && tokens[i-1].Is(".")) {
			n.whole[base] = true // of its package, or an import of a whole one
		}
	}
	for base, at := range packages {
		if !n.whole[base] && !stands[at+"."+base] {
			n.missing = append(n.missing, at+"."+base)
		}
	}
	slices.Sort(n.missing)
	return n
}

// endOfLine is where the line ends that a place is in.
func endOfLine(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// say is how a class is named.
func (n *javaNames) say(class string) string {
	if n.whole[class] {
		return packages[class] + "." + class
	}
	return class
}

// imported is a text, to which waits were added behind its imports, with those that they need: each where it stands
// in the order of the alphabet.
func (n *javaNames) imported(text string) string {
	eol := lineEnd(text)
	for _, name := range slices.Backward(n.missing) {
		at, before := n.under, ""
		plain := slices.DeleteFunc(slices.Clone(n.head), func(i javaImport) bool { return i.name == "" })
		switch {
		case len(plain) > 0:
			at = plain[0].start
			for _, i := range plain {
				if i.name < name {
					at = i.end
				}
			}
		case len(n.head) > 0:
			at = n.head[len(n.head)-1].end
		}
		if at > 0 && text[at-1] != '\n' {
			before = eol
		}
		text = text[:at] + before + "import " + name + ";" + neededBySlashes + eol + text[at:]
	}
	return text
}

package snapshot

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// File is a file of stored snapshots.
type File struct {
	Text    string
	Entries []Entry
	lines   string                      // the text, its lines ended by \n
	name    func(name string) string    // as it stands in the file
	content func(content string) string // so does the content
}

// Entry is one stored snapshot.
type Entry struct {
	Name    string
	Content string // as [Jest] or [Amber] reads it
	Broken  bool   // it is not as its tool writes it: the content is not to be relied on

	start, end  int // with the empty line behind it
	nameAt      [2]int
	contentFrom [2]int
}

// Change is what becomes of an entry.
type Change struct {
	Name    string
	Content string
	Gone    bool
}

// Find returns the index of an entry; false where there is none, or where several have the name.
func (f File) Find(name string) (at int, ok bool) {
	at = slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Name == name })
	return at, at >= 0 && !slices.ContainsFunc(f.Entries[at+1:], func(e Entry) bool { return e.Name == name })
}

// With is the file with some entries changed, by their indexes.
func (f File) With(changes map[int]Change) string {
	var edits []Edit
	for i, e := range f.Entries {
		c, ok := changes[i]
		if !ok {
			continue
		}
		if c.Gone {
			edits = append(edits, Edit{e.start, e.end, ""})
			continue
		}
		if c.Name != e.Name {
			edits = append(edits, Edit{e.nameAt[0], e.nameAt[1], f.name(c.Name)})
		}
		if c.Content != e.Content {
			edits = append(edits, Edit{e.contentFrom[0], e.contentFrom[1], f.content(c.Content)})
		}
	}
	text := Edited(f.lines, edits)
	if strings.HasSuffix(text, "\n\n") && !strings.HasSuffix(f.lines, "\n\n") {
		text = text[:len(text)-1] // what stood between the last entries
	}
	if f.lines != f.Text {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// linesOf is a text with \n at the end of its lines, where each ends with \r\n as on Windows, which Jest and Vitest
// read alike; others stay.
func linesOf(text string) string {
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") && n == strings.Count(text, "\r") {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// errFile is a file that is not as its tool writes it.
var errFile = errors.New("it is not as its tool writes it")

const (
	jestBegins = "exports[`"
	jestIs     = "] = "
	jestEnds   = ";\n"
)

// ReadJest reads a file of Jest's or Vitest's.
func ReadJest(text string) (File, error) {
	f := File{Text: text, name: Backticked, content: func(content string) string { return Backticked(spread(content)) }}
	f.lines = linesOf(text)
	text = f.lines
	if strings.Contains(text, "\r") || !strings.HasPrefix(text, "// ") {
		return f, errFile
	}
	at := strings.Index(text, "\n"+jestBegins) + 1
	for ; at > 0 && at < len(text); at = f.Entries[len(f.Entries)-1].end {
		e := Entry{start: at, nameAt: [2]int{at + len(jestBegins)}}
		if !strings.HasPrefix(text[at:], jestBegins) {
			return f, errFile
		}
		var ok bool
		if e.nameAt[1], ok = ticked(text, e.nameAt[0]); !ok || !strings.HasPrefix(text[e.nameAt[1]+1:], jestIs+"`") {
			return f, errFile
		}
		e.contentFrom[0] = e.nameAt[1] + 1 + len(jestIs+"`")
		e.contentFrom[1], ok = ticked(text, e.contentFrom[0])
		if !ok || !strings.HasPrefix(text[e.contentFrom[1]+1:], jestEnds) {
			return f, errFile
		}
		e.end = e.contentFrom[1] + 1 + len(jestEnds)
		if strings.HasPrefix(text[e.end:], "\n") {
			e.end++
		}
		name, content := text[e.nameAt[0]:e.nameAt[1]], text[e.contentFrom[0]:e.contentFrom[1]]
		e.Name, e.Content = Unticked(name), gathered(Unticked(content))
		e.Broken = f.content(e.Content) != content || f.name(e.Name) != name
		f.Entries = append(f.Entries, e)
	}
	return f, nil
}

// ticked finds the end of a template that begins at some place, behind its backtick.
func ticked(text string, at int) (end int, ok bool) {
	for ; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '`':
			return at, true
		}
	}
	return 0, false
}

// spread gives a text of several lines the ends of lines around it that Jest does, and gathered takes them away.
func spread(content string) string {
	if strings.Contains(content, "\n") {
		return "\n" + content + "\n"
	}
	return content
}

func gathered(content string) string {
	inner, begins := strings.CutPrefix(content, "\n")
	inner, ends := strings.CutSuffix(inner, "\n")
	if begins && ends && strings.Contains(inner, "\n") {
		return inner
	}
	return content
}

var (
	needsTick = regexp.MustCompile("`|\\\\|\\$\\{")
	hasTick   = regexp.MustCompile("\\\\(`|\\\\|\\$\\{)")
)

// Backticked is a text as Jest writes it in a template literal.
func Backticked(text string) string { return needsTick.ReplaceAllString(text, `\$0`) }

// Unticked is the text of a template literal that Jest wrote.
func Unticked(text string) string { return hasTick.ReplaceAllString(text, "$1") }

const (
	amberBegins = "# name: "
	amberEnds   = "\n# ---\n"
	amberIndent = "  "
)

// ReadAmber reads a file of syrupy's.
func ReadAmber(text string) (File, error) {
	f := File{Text: text, lines: text, name: func(name string) string { return name }}
	f.content = func(content string) string {
		return amberIndent + strings.ReplaceAll(content, "\n", "\n"+amberIndent)
	}
	head, _, _ := strings.Cut(text, "\n")
	if strings.Contains(text, "\r") || head != "# serializer version: 1" {
		return f, errFile
	}
	for at := len(head) + 1; at < len(text); at = f.Entries[len(f.Entries)-1].end {
		e := Entry{start: at}
		name, ok := strings.CutPrefix(text[at:], amberBegins)
		end := strings.Index(text[at:], amberEnds)
		nameEnd := strings.IndexByte(name, '\n')
		if !ok || end < len(amberBegins)+nameEnd || nameEnd < 0 {
			return f, errFile
		}
		e.nameAt = [2]int{at + len(amberBegins), at + len(amberBegins) + nameEnd}
		e.contentFrom = [2]int{e.nameAt[1] + 1, at + end}
		if e.contentFrom[0] > e.contentFrom[1] {
			return f, errFile
		}
		e.end = at + end + len(amberEnds)
		content := text[e.contentFrom[0]:e.contentFrom[1]]
		e.Name = name[:nameEnd]
		e.Content = strings.ReplaceAll(strings.TrimPrefix(content, amberIndent), "\n"+amberIndent, "\n")
		e.Broken = f.content(e.Content) != content
		f.Entries = append(f.Entries, e)
	}
	return f, nil
}

// Writer is what stores snapshots, as reasons speak of it.
type Writer struct {
	Name  string // "Jest"
	Adds  string // what writes a snapshot that is missing: "a run without --ci"
	Names string // how a test gives one a name: `toMatchSnapshot("…")`
}

// Broken is why no snapshot of a file is read that is not as the writer writes it.
func (w Writer) Broken(path string) string { return path + " is not as " + w.Name + " writes it" }

// Unknown is why it is not known which of the snapshots in a file is that of which assertion of a test: it has others
// than the test wants. It is "" where these are the same.
func (w Writer) Unknown(path string, want, have []string) string {
	switch {
	case len(have) == 0:
		return "there is no snapshot of its name in " + path + ": " + w.Adds + " writes it"
	case !slices.Equal(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(have))):
		return "which snapshot of " + path + " is its own is not known: others are stored than the test is " +
			"seen to compare with; give each a name, " + w.Names
	}
	return ""
}

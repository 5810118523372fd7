package junit

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// Mute returns the files of a suite's copy that are to be others, by name.
func Mute(files map[string][]byte) map[string][]byte {
	read, own := map[string]*file{}, map[string]bool{}
	for name, text := range files {
		in, ok := languages()[path.Ext(name)]
		if !ok || len(text) > maxFile {
			continue
		}
		parsed, err := in.read(name, string(text))
		if err != nil {
			continue // it does not compile
		}
		for _, m := range parsed.Methods {
			own[m.Name] = true
		}
		read[name] = &file{File: parsed, language: in, source: string(text), probe: in.probe(name), own: own,
			marked: map[int]bool{}}
	}
	out := map[string][]byte{}
	for name, f := range read {
		f.mute()
		if f.besides(f); len(f.edits) > 0 {
			out[name] = f.edited()
		}
	}
	return out
}

// maxFile bounds a file that is read, in bytes.
const maxFile = 4 << 20

// file is a file of the suite, and what is added to it.
type file struct {
	*java.File
	language
	source string
	probe  string          // the class at its end
	own    map[string]bool // the functions of the suite
	opens  []int           // of a closing bracket, where it is opened
	used   map[string]int  // in Kotlin, where a function last leans on a name not being null, or being of a type
	edits  []edit
	marked map[int]bool // where parts begin in which something waits, in bytes
}

// edit puts a text in at a place, in bytes.
type edit struct {
	at   int
	text string
}

func (f *file) insert(at int, text string) { f.edits = append(f.edits, edit{at, text}) }

// marks marks a part, of which the text begins and ends there, as one in which something may wait for a failure.
func (f *file) marks(from, to int, inside func()) {
	again := f.marked[from]
	if f.marked[from] = true; !again {
		f.insert(from, " "+f.call("waits")+"); try {")
	}
	inside()
	if !again {
		f.insert(to, "} finally { "+f.call("waited")+"); } ")
	}
}

// said reports whether a token is one that package kotlin says, and the file does not have.
func said(t *java.Token) bool { return t.Start == t.End }

// call is a call of the class at the end of the file, as far as its arguments.
func (f *file) call(method string) string { return f.probe + "." + method + "(" }

// mute notes all that is added to the file.
func (f *file) mute() {
	f.opens = make([]int, len(f.Tokens))
	for open, end := range f.Match {
		if end > 0 {
			f.opens[end] = open
		}
	}
	for _, m := range f.Methods {
		f.used = f.uses(f, m)
		if test, _ := m.IsTest(); !test || m.Skipped || f.expects(m) {
			f.block(m.Open+1, m.Close, place{})
			continue
		}
		f.test(m)
	}
}

// test goes through a test, and puts its beginning and its end around its body.
func (f *file) test(m *java.Method) {
	begin := " " + f.call("begin") + f.quoted(m.Class+"."+m.Name) + "); try {"
	end := "} catch (" + f.caught + ") { throw " + f.call("ended") + "flaketap); } finally { " + f.call("end") + "); }"
	from, to := m.Open+1, m.Close
	if said(&f.Tokens[m.Open]) && to-from > 2 { // of Kotlin: = expression, which is told with a return and a semicolon
		from, to = from+1, to-1
		f.insert(f.Tokens[from].Start, "try {"+begin[:len(begin)-len(" try {")]+" ")
		f.simple(from, to, place{may: true})
		f.insert(f.Tokens[to].End, " "+end)
		return
	}
	f.insert(f.Tokens[m.Open].End, begin)
	f.block(from, to, place{may: true})
	f.insert(f.Tokens[m.Close].Start, end+" ")
}

// expects reports whether a test may wait for its own failure, or gives something back.
func (f *file) expects(m *java.Method) bool {
	for i := m.Head; i < m.Keyword; i++ {
		if strings.HasPrefix(f.Tokens[i].Text, "expected") && f.Tokens[i].Kind == java.NameToken {
			return true
		}
	}
	if m.Keyword == 0 || !f.Tokens[m.Keyword-1].Is("void") && !f.Tokens[m.Keyword-1].Is("fun") {
		return true
	}
	for i := m.Open; i+2 < m.Close; i++ { // a rule of JUnit 4
		if f.Tokens[i].Is(".") && strings.HasPrefix(f.Tokens[i+1].Text, "expect") && f.Tokens[i+2].Is("(") &&
			strings.Contains(f.source, "ExpectedException") {
			return true
		}
	}
	return false
}

// edited is the file's text with what is added to it.
func (f *file) edited() []byte {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.at - b.at })
	var b bytes.Buffer
	at := 0
	for _, e := range f.edits {
		b.WriteString(f.source[at:e.at])
		b.WriteString(e.text)
		at = e.at
	}
	b.WriteString(f.source[at:])
	b.WriteByte('\n')
	b.Write(bytes.ReplaceAll(f.runtime, []byte("FlaketapProbe"), []byte(f.probe)))
	return b.Bytes()
}

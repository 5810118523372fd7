package junit

import (
	"bytes"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

//go:embed Muted.java
var muted []byte

// Mute returns the files of a suite's copy that are to be others, by name.
func Mute(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range files {
		if path.Ext(name) != ".java" || len(text) > maxFile {
			continue
		}
		tokens, err := java.LexWritten(name, string(text))
		if err != nil {
			continue // it does not compile
		}
		f := &file{File: java.Read(tokens), text: string(text)}
		f.probe = "FlaketapProbe" + noName.ReplaceAllString(path.Base(name), "_")
		if f.mute(); len(f.edits) > 0 {
			out[name] = f.edited()
		}
	}
	return out
}

// maxFile bounds a file that is read, in bytes.
const maxFile = 4 << 20

var noName = regexp.MustCompile(`\W`)

// file is a file of the suite, and what is added to it.
type file struct {
	*java.File
	text  string
	probe string // the class at its end
	opens []int  // of a closing bracket, where it is opened
	edits []edit
}

// edit puts a text in at a place, in bytes.
type edit struct {
	at   int
	text string
}

func (f *file) insert(at int, text string) { f.edits = append(f.edits, edit{at, text}) }

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
		if test, _ := m.IsTest(); !test || m.Skipped || f.expects(m) {
			f.block(m.Open+1, m.Close, place{})
			continue
		}
		f.insert(f.Tokens[m.Open].End, " "+f.call("begin")+`"`+m.Class+"."+m.Name+`"); try {`)
		f.block(m.Open+1, m.Close, place{})
		f.insert(f.Tokens[m.Close].Start, "} catch (Throwable flaketap) { throw "+f.call("ended")+"flaketap); } finally { "+f.call("end")+"); } ")
	}
}

// expects reports whether a test may wait for its own failure, or gives something back.
func (f *file) expects(m *java.Method) bool {
	for i := m.Head; i < m.Keyword; i++ {
		if strings.HasPrefix(f.Tokens[i].Text, "expected") && f.Tokens[i].Kind == java.NameToken {
			return true
		}
	}
	if m.Keyword == 0 || !f.Tokens[m.Keyword-1].Is("void") {
		return true
	}
	for i := m.Open; i+2 < m.Close; i++ { // a rule of JUnit 4
		if f.Tokens[i].Is(".") && strings.HasPrefix(f.Tokens[i+1].Text, "expect") && f.Tokens[i+2].Is("(") &&
			strings.Contains(f.text, "ExpectedException") {
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
		b.WriteString(f.text[at:e.at])
		b.WriteString(e.text)
		at = e.at
	}
	b.WriteString(f.text[at:])
	b.WriteByte('\n')
	b.Write(bytes.ReplaceAll(muted, []byte("FlaketapProbe"), []byte(f.probe)))
	return b.Bytes()
}

package flaky

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
)

// Test is a test under all the names that it has.
type Test struct {
	ID    results.ID
	marks []string   // of its exchanges, in the order of the recording
	read  []readTest // where it stands in the suite
	ran   []ran      // what runners said of it
}

// readTest is a test in a file of the suite.
type readTest struct {
	*script.Test
	file *boundFile
}

// ran is one execution of a test, as its runner tells it.
type ran struct {
	results.Detailed
	run int      // as of [Execution]
	saw []string // as of [results.AssertedIn]
}

// names are the ways in which people write a test's name.
func (t *Test) names() []string {
	out := []string{t.ID.Name}
	for _, between := range []string{" › ", ".", "::", "#", "/", ":", " "} {
		if t.ID.Suite != "" {
			out = append(out, t.ID.Suite+between+t.ID.Name)
		}
	}
	for _, r := range t.read {
		out = append(out, r.Name, filepath.ToSlash(r.file.path)+"::"+r.Name)
	}
	return append(out, t.marks...)
}

// failed counts the executions in which the test failed, and those that ran it.
func (t *Test) failed() (failed, of int) {
	for _, r := range t.ran {
		switch {
		case r.Failed():
			failed, of = failed+1, of+1
		case r.Outcome != results.Skip:
			of++
		}
	}
	return failed, of
}

// tests gathers the tests: of results, of the suite, and of the marks in the recording.
func (in *Input) tests(files []*boundFile) []*Test {
	var all []*Test
	known := map[results.ID]*Test{}
	for _, x := range in.Results {
		for _, r := range x.Results {
			t := known[r.ID()]
			if t == nil {
				t = &Test{ID: r.ID()}
				known[t.ID], all = t, append(all, t)
			}
			t.ran = append(t.ran, ran{Detailed: r, run: x.Run})
		}
	}
	ran := len(all)
	for _, f := range files {
		for _, s := range f.script.Tests {
			t := among(all[:ran], f.path, s.Name)
			if t == nil {
				t = &Test{ID: results.ID{Suite: stem(f.path), Name: s.Name}}
				all = append(all, t)
			}
			t.read = append(t.read, readTest{s, f})
		}
	}
	return in.marked(all)
}

// among finds the test of a file among those that ran; nil where none is it, or several may be.
func among(all []*Test, file, name string) *Test {
	var found, inFile []*Test
	for _, t := range all {
		if !results.SameName(t.ID.Name, name) {
			continue
		}
		found = append(found, t)
		if strings.Contains("_"+script.Folded(t.ID.Suite)+"_", "_"+script.Folded(stem(file))+"_") {
			inFile = append(inFile, t)
		}
	}
	if len(inFile) == 1 {
		return inFile[0]
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// stem is the name of a file without folder and end.
func stem(file string) string {
	name := path.Base(filepath.ToSlash(file))
	return strings.TrimSuffix(name, path.Ext(name))
}

// stage is what pytest says behind the name of the test that is under way.
var stage = regexp.MustCompile(` \((?:setup|call|teardown)\)$`)

// marked adds the marks of the recording to the tests that they name. One that names none is a test by itself.
func (in *Input) marked(all []*Test) []*Test {
	known := map[string]*Test{}
	byName := map[string][]*Test{}
	for _, t := range all {
		byName[script.Folded(t.ID.Name)] = append(byName[script.Folded(t.ID.Name)], t)
	}
	var marks []string
	for _, s := range in.Judged.Steps {
		marks = append(marks, s.Exchange.Sequence)
	}
	for _, e := range in.Added {
		marks = append(marks, e.Sequence)
	}
	for _, mark := range marks {
		if mark == "" {
			continue
		}
		if t, seen := known[mark]; seen {
			if t.marks[len(t.marks)-1] != mark && !slices.Contains(t.marks, mark) {
				t.marks = append(t.marks, mark)
			}
			continue
		}
		t := namedBy(byName, mark)
		if t == nil {
			t = &Test{ID: results.ID{Name: stage.ReplaceAllString(mark, "")}}
			all = append(all, t)
			byName[script.Folded(t.ID.Name)] = append(byName[script.Folded(t.ID.Name)], t)
		}
		known[mark] = t
		t.marks = append(t.marks, mark)
	}
	return all
}

// namedBy finds the test that a mark names: by the longest end of it that is the name of one, the suite deciding
// between several of that name. It is nil where no name fits, or several tests do.
func namedBy(byName map[string][]*Test, mark string) *Test {
	whole := script.Folded(stage.ReplaceAllString(mark, ""))
	for at := 0; at <= len(whole); {
		found := byName[whole[at:]]
		before := strings.Trim(whole[:at], "_")
		if len(found) > 1 {
			found = slices.DeleteFunc(slices.Clone(found), func(t *Test) bool {
				return before == "" || !strings.Contains("_"+script.Folded(t.ID.Suite)+"_", "_"+lastWord(before)+"_") &&
					!strings.Contains("_"+before+"_", "_"+script.Folded(t.ID.Suite)+"_")
			})
		}
		if len(found) == 1 {
			return found[0]
		}
		next := strings.IndexByte(whole[at:], '_')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return nil
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, '_')+1:] }

// find finds the test that a name means: the one that has it, else the one of whose names it is a part.
func find(all []*Test, name string) (*Test, error) {
	var exact, parts []*Test
	for _, t := range all {
		names := t.names()
		if slices.Contains(names, name) {
			exact = append(exact, t)
		}
		if slices.ContainsFunc(names, func(n string) bool {
			return strings.Contains(strings.ToLower(n), strings.ToLower(name))
		}) {
			parts = append(parts, t)
		}
	}
	found := exact
	if len(found) == 0 {
		found = parts
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, console.Advise(fmt.Errorf("%s are named so: %q", console.Count(len(found), "test"), name),
			"give the whole name of one: "+listed(found))
	case len(all) == 0:
		return nil, console.Advise(fmt.Errorf("no test is known, so none is named %q", name), marking)
	}
	var known []string
	for _, t := range all {
		known = append(append(known, t.names()...), strings.Split(script.Folded(t.ID.Name), "_")...)
	}
	return nil, console.Advise(fmt.Errorf("no test is named %q", name),
		console.Suggest(name, known, "there are "+listed(all)))
}

// listed names some tests.
func listed(all []*Test) string {
	const shown = 8
	var out []string
	for _, t := range all[:min(len(all), shown)] {
		out = append(out, console.OneLine(t.ID.String()))
	}
	if more := len(all) - shown; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// byFailures orders tests: those that failed in most executions first.
func byFailures(a, b *Test) int {
	failedA, _ := a.failed()
	failedB, _ := b.failed()
	return cmp.Compare(failedB, failedA)
}

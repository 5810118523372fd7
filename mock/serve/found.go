package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/index"
)

// errNone says that a search has nothing to tell, as where the API never did the same twice: who runs it in CI would
// take that for an API in order.
var errNone = errors.New("no behavior was found")

// WriteFound writes the behaviors that a search with a seed found into a folder, as [index.Files] has them, and says
// which of them look wrong. Where there are none, that is an error.
func WriteFound(dir string, found search.Result, seed uint64, c *console.Console) error {
	all := found.Behaviors
	shown := anyRedactor()
	files, err := index.Files(found, seed, shown)
	if err != nil {
		return err
	}
	out := make([]outfile.File, 0, len(files))
	for _, f := range files {
		out = append(out, outfile.File{Name: f.Name, Data: f.Data})
	}
	if err := outfile.WriteAll(dir, out, nil); err != nil {
		return fmt.Errorf("write behaviors: %w", err)
	}
	if err := removeOld(dir, all); err != nil {
		return fmt.Errorf("write behaviors: %w", err)
	}
	if err := archive.WriteTrials(dir, all); err != nil {
		return err
	}
	wrong := 0
	for i, b := range all {
		if len(b.Findings) > 0 {
			wrong++
			c.Say("%s; flaketap mock serve %s/%s serves its stubs", console.OneLine(told(shown, b)), dir, index.Folder(i))
		}
	}
	for _, r := range found.Unsteady {
		c.Say("flaketap: %s is not searched: with no stubs it ended otherwise each time that it was sent; where it was late, "+
			"give more --patience, and another --out to begin anew", operation(r))
	}
	if len(found.Unbegun) > 0 {
		c.Say("flaketap: not searched: %s: the search ended before it was confirmed what the API does with no stubs; "+
			"give more --trials, or --for", firstOf(found.Unbegun, operation))
	}
	if all := unasking(all); len(all) > 0 {
		c.Say("flaketap: the API asked no external service for %s, so nothing was varied there; is the path right?",
			firstOf(all, func(line string) string { return line }))
	}
	switch {
	case len(all) == 0:
		return fmt.Errorf("search: %w; %s has what was tried", errNone, dir)
	case wrong == 0:
		c.Say("flaketap: %s found, none of them with findings, in %s", console.Count(len(all), "behavior"), dir)
	default:
		c.Say("flaketap: %s found, %d of them with findings, in %s", console.Count(len(all), "behavior"), wrong, dir)
	}
	return nil
}

// removeOld removes what a search that goes on left before and does not write anew: its trials, and stubs whose answers
// were whole of a behavior of which it was not proven again.
func removeOld(dir string, all []*search.Behavior) error {
	remove := func(path ...string) error {
		err := os.Remove(filepath.Join(path...))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for i, b := range all {
		if b.Whole != nil {
			continue
		}
		if err := remove(dir, index.WholeFolder(i), "stubs.json"); err != nil {
			return err
		}
		_ = remove(dir, index.WholeFolder(i)) // but where somebody has put something else
	}
	return remove(dir, archive.Trials)
}

// unasking are the requests for which the API asked no service, with how it answered them: a path may be wrong.
func unasking(all []*search.Behavior) (lines []string) {
	asks := map[string]bool{}
	for _, b := range all {
		asks[b.Request.Method+" "+b.Request.Target] = asks[b.Request.Method+" "+b.Request.Target] || len(b.Calls) > 0
	}
	for _, b := range all {
		if !asks[b.Request.Method+" "+b.Request.Target] && b.End == search.Answered {
			lines = append(lines, fmt.Sprintf("%s (%d)", operation(b.Request), b.Status))
		}
	}
	return lines
}

// firstOf names the first of some things, and says how many more there are.
func firstOf[T any](all []T, name func(T) string) string {
	if len(all) == 1 {
		return name(all[0])
	}
	return fmt.Sprintf("%s and %d more", name(all[0]), len(all)-1)
}

// operation names a request in a line, without its query, which may hold secrets.
func operation(r search.Request) string {
	path, _, _ := strings.Cut(r.Target, "?")
	return r.Method + " " + console.OneLine(path)
}

// foundSamples are what the folder of a search tells of services: the stubs of all its behaviors, and what was learnt
// of fields. is reports whether the folder is one of a search.
func foundSamples(dir string) (all []export.Sample, is bool, err error) {
	found, behaviors, is, err := readFound(dir)
	for _, b := range behaviors {
		all = append(all, export.SamplesOf(b.Stubs)...)
	}
	for _, f := range found.Fields {
		all = append(all, export.LearntSample(f.Endpoint.Service, f.Endpoint.Method, f.Endpoint.Path,
			export.Learnt{Place: f.Place, Kinds: f.Kinds, Values: f.Values}))
	}
	return all, is, err
}

// readFound reads the index of the folder of a search, and the stubs of each behavior by the name of its folder; is
// reports whether it is one.
func readFound(dir string) (found index.Found, all []export.Set, is bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, index.Name)); err != nil {
		return found, nil, false, nil // what is no folder is told where its stubs are read
	}
	found, err = archive.ReadIndex(dir)
	if errors.Is(err, index.ErrOther) {
		return found, nil, false, nil
	}
	if err != nil {
		return found, nil, true, fmt.Errorf("read index: %w", err)
	}
	for i := range found.Behaviors {
		stubs, err := readStubs([]string{filepath.Join(dir, index.Folder(i))})
		if err != nil {
			return found, nil, true, err
		}
		all = append(all, export.Set{Name: index.Folder(i), Stubs: stubs})
	}
	return found, all, true, nil
}

// mostStubs is how many stubs a line tells.
const mostStubs = 3

// told says in a line what is wrong with a behavior, how the request ended, and what services did; secrets of their
// answers are tokens.
func told(shown exchange.Redactor, b *search.Behavior) string {
	path, _, _ := strings.Cut(b.Request.Target, "?")
	out := b.Request.Method + " " + path + ": " + search.Listed(b.Findings)
	if b.End == search.Answered {
		out += fmt.Sprintf(" (%d)", b.Status)
	}
	if b.End == search.Hung {
		out += " (" + b.Wait.String() + ")"
	}
	stubs, err := mock.ParseStubs(b.Stubs, mock.NoFile)
	if err != nil || len(stubs) == 0 {
		return out + " where no service knows anything"
	}
	did := make([]string, 0, mostStubs+1)
	for _, s := range stubs[:min(len(stubs), mostStubs)] {
		s.Name, _, _ = strings.Cut(s.Name, "?")
		s.Response.Body = redact.Body(shown, "application/json", s.Response.Body)
		did = append(did, s.About())
	}
	if more := len(stubs) - mostStubs; more > 0 {
		did = append(did, fmt.Sprintf("%d more", more))
	}
	return out + " where " + strings.Join(did, " and ")
}

package suggest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/folder"
	"github.com/flaketap/flaketap/waits/git"
	"github.com/flaketap/flaketap/waits/read"
)

// Answer is what was found.
type Answer struct {
	Waits []Wait   // those of tests that failed first
	Lacks []string // what could not be looked at, in words
}

// Wait is one wait, with what may be put in its place.
type Wait struct {
	File string // as a user finds it from the working folder
	read.Wait
	Failed      Failures           // of its test, in the results
	Asked       bool               // times were asked for
	Suggestions []waits.Suggestion // the best first, with files as File is; none where there are no longer times
}

// Run answers.
func Run(ctx context.Context, o Options) (*Answer, error) {
	a := &Answer{}
	failed, err := readResults(o.Results)
	if err != nil {
		return nil, err
	}
	places := o.Places
	if len(places) == 0 {
		places = []Place{{Path: cmp.Or(o.Suite, "."), dir: true}}
	}
	suites := map[string]*opened{}
	for _, p := range places {
		outer := outerOf(ctx, p)
		root, err := o.folderOf(p, outer, folder.Project)
		if err != nil {
			return nil, err
		}
		s := suites[root]
		if s == nil {
			if s, err = o.open(ctx, root, outer, places); err != nil {
				return nil, err
			}
			suites[root] = s
			a.Lacks = append(a.Lacks, s.lacks...)
		}
		found, err := s.at(p, failed, o.Most)
		if err != nil {
			return nil, err
		}
		a.Waits = append(a.Waits, found...)
	}
	slices.SortStableFunc(a.Waits, func(x, y Wait) int {
		return cmp.Or(y.Failed.Times-x.Failed.Times, cmp.Compare(x.Failed.above(), y.Failed.above()))
	})
	return a, nil
}

// outerOf is the folder within which a place's suite lies: its repository, else the working folder, else none but its
// own.
func outerOf(ctx context.Context, p Place) string {
	dir := p.Path
	if !p.dir {
		dir = filepath.Dir(p.Path)
	}
	if top := git.Top(ctx, dir); top != "" {
		return top
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, absolute(dir)); err == nil && filepath.IsLocal(rel) {
			return wd
		}
	}
	return absolute(dir)
}

// absolute is a path from the root of the file system, without links.
func absolute(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// opened is a suite that was read, with its history.
type opened struct {
	suite  *folder.Suite
	corpus *waits.Corpus
	lacks  []string
	from   string // the working folder, without links; "" where there is none
}

// open reads a suite and its history.
func (o Options) open(ctx context.Context, root, outer string, places []Place) (*opened, error) {
	var named []string
	for _, p := range places {
		if !p.dir {
			named = append(named, p.Path)
		}
	}
	suite, err := folder.Read(ctx, root, outer, named)
	if err != nil {
		return nil, err
	}
	s := &opened{suite: suite, lacks: suite.Lacks}
	if wd, err := os.Getwd(); err == nil {
		s.from = absolute(wd)
	}
	h := git.History{Lacks: []string{"no history was read, as none was asked for"}}
	if o.Commits >= 0 {
		how := git.Options{Commits: o.Commits, Cache: o.Cache, Paths: folder.Changed(suite.Root)}
		if h, err = git.Read(ctx, suite.Root, how); err != nil {
			return nil, err
		}
	}
	s.lacks = append(s.lacks, h.Lacks...)
	s.corpus = waits.NewCorpus(suite.Files, h.Commits)
	return s, nil
}

// at are the waits at a place. Times are asked for those that a user names, and for those of tests that failed.
func (s *opened) at(p Place, failed tests, most int) ([]Wait, error) {
	var out []Wait
	want := s.nameOf(p.Path)
	for _, f := range s.suite.Files {
		if !p.dir && f.Name != want {
			continue
		}
		for _, w := range f.Waits {
			if p.Line > 0 && (p.Line < w.From || p.Line > w.Line) {
				continue
			}
			found := Wait{File: s.show(f.Name), Wait: w, Failed: failed.of(f.Name, w)}
			if found.Asked = !p.dir || found.Failed.Times > 0; found.Asked {
				found.Suggestions = s.shown(s.corpus.Suggest(f, w, most))
			}
			out = append(out, found)
		}
	}
	if len(out) == 0 && !p.dir {
		return nil, s.noWait(p, want)
	}
	return innermost(out, p), nil
}

// nameOf is the name that a file has in the suite.
func (s *opened) nameOf(path string) string {
	rel, err := filepath.Rel(s.suite.Root, absolute(path))
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// show is a file of the suite as a user finds it from the working folder.
func (s *opened) show(name string) string {
	full := filepath.Join(s.suite.Root, filepath.FromSlash(name))
	if rel, err := filepath.Rel(s.from, full); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return full
}

// shown names the files of sources so.
func (s *opened) shown(all []waits.Suggestion) []waits.Suggestion {
	for _, one := range all {
		for i := range one.Sources {
			one.Sources[i].File = s.show(one.Sources[i].File)
		}
	}
	return all
}

// innermost leaves those waits of a line out whose call only goes on over it: a test with a limit is around all waits
// in it.
func innermost(all []Wait, p Place) []Wait {
	if p.Line == 0 {
		return all
	}
	shortest := -1
	for _, w := range all {
		if n := w.Line - w.From; shortest < 0 || n < shortest {
			shortest = n
		}
	}
	return slices.DeleteFunc(all, func(w Wait) bool { return w.Line != p.Line && w.Line-w.From > shortest })
}

// noWait says that there is no wait at a place, and where the next one is.
func (s *opened) noWait(p Place, name string) error {
	lines, nearest := 0, 0
	for _, f := range s.suite.Files {
		if f.Name != name {
			continue
		}
		lines = f.Lines
		for _, w := range f.Waits {
			if nearest == 0 || gap(w.Line, p.Line) < gap(nearest, p.Line) {
				nearest = w.Line
			}
		}
	}
	switch {
	case read.LanguageOf(p.Path) == "":
		return fmt.Errorf("%s is in no language that is read: want one of %s", p.Path, strings.Join(read.Extensions(), ", "))
	case p.Line > lines:
		return fmt.Errorf("%s is past the end of the file, which has %s", p, console.Count(lines, "line"))
	case nearest > 0:
		return fmt.Errorf("%s has no wait; the nearest is in line %d", p, nearest)
	}
	return fmt.Errorf("%s has no wait; docs/waits.md lists those that are known", p)
}

func gap(a, b int) int { return max(a-b, b-a) }

package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits/read"
)

// The bounds on what is read.
const (
	maxFiles = 20_000
	maxFile  = 1 << 20   // bytes of one
	maxTotal = 512 << 20 // bytes of all
	maxDepth = 40        // folders within each other
	maxSeen  = 1_000_000 // entries of folders that are looked at
)

// Suite is what was read of a folder. The names of its files are relative to it, with slashes; they are not yet linked.
type Suite struct {
	Root  string
	Files []*read.File
	Lacks []string // what was not read, in words
}

// Read reads the suite in a folder, and those files besides whose paths are named, tests or not. What tests import is
// read too where it lies within the outer folder.
func Read(ctx context.Context, root, outer string, named []string) (*Suite, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("read suite: %w", err)
	}
	real, err = filepath.Abs(real)
	if err != nil {
		return nil, fmt.Errorf("read suite: %w", err)
	}
	w := &walker{suite: &Suite{Root: real}, outer: real, read: map[string]bool{}}
	if resolved, err := filepath.EvalSymlinks(outer); err == nil && within(real, resolved) {
		w.outer = resolved
	}
	if w.prefix, err = filepath.Rel(w.outer, real); err != nil || w.prefix == "." {
		w.prefix = filepath.Base(real)
	}
	for _, name := range named {
		if err := w.named(name); err != nil {
			return nil, err
		}
	}
	if err := filepath.WalkDir(real, func(name string, e fs.DirEntry, err error) error {
		return w.entry(ctx, name, e, err)
	}); err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("read suite: %w", err)
	}
	w.imported()
	slices.SortFunc(w.suite.Files, func(a, b *read.File) int { return strings.Compare(a.Name, b.Name) })
	if w.large > 0 {
		w.suite.Lacks = append(w.suite.Lacks, fmt.Sprintf("not read: %s of more than %d bytes", console.Count(w.large, "file"), maxFile))
	}
	return w.suite, nil
}

// walker reads files one after the other.
type walker struct {
	suite  *Suite
	outer  string          // what is imported lies within it
	prefix string          // the folders from there to the suite's, by whose names its files may be tests
	read   map[string]bool // by name
	seen   int
	bytes  int
	large  int
}

// errEnough ends a walk.
var errEnough = errors.New("enough was read")

func (w *walker) entry(ctx context.Context, name string, e fs.DirEntry, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if name == w.suite.Root {
			return err
		}
		w.suite.Lacks = append(w.suite.Lacks, "not read: "+err.Error())
		return nil
	}
	rel := w.relative(name)
	if w.seen++; w.seen > maxSeen || len(w.suite.Files) >= maxFiles || w.bytes > maxTotal {
		w.suite.Lacks = append(w.suite.Lacks, fmt.Sprintf("the folder is too large: %d files were read, the rest was not", len(w.suite.Files)))
		return errEnough
	}
	switch {
	case e.IsDir() && rel != "." && (passed[e.Name()] || strings.HasPrefix(e.Name(), ".") || strings.Count(rel, "/") > maxDepth):
		return fs.SkipDir
	case e.Type().IsRegular() && IsTest(path.Join(filepath.ToSlash(w.prefix), rel)):
		w.file(name)
	}
	return nil
}

// passed are the folders that hold no tests of the suite.
var passed = map[string]bool{"node_modules": true, "vendor": true, "venv": true, "__pycache__": true, "target": true,
	"dist": true, "build": true}

func (w *walker) relative(name string) string {
	rel, err := filepath.Rel(w.suite.Root, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

// named reads a file that the user named.
func (w *walker) named(name string) error {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return fmt.Errorf("read test: %w", err)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return fmt.Errorf("read test: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read test: %s is no file", name)
	case info.Size() > maxFile:
		return fmt.Errorf("read test: %s has more than %d bytes", name, maxFile)
	}
	w.file(real)
	return nil
}

// file reads one. What cannot be read is said.
func (w *walker) file(name string) {
	rel := w.relative(name)
	if w.read[rel] || read.LanguageOf(rel) == "" {
		return
	}
	w.read[rel] = true
	f, err := os.Open(name)
	if err != nil {
		w.suite.Lacks = append(w.suite.Lacks, "not read: "+err.Error())
		return
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		w.suite.Lacks = append(w.suite.Lacks, "not read: "+err.Error())
	case len(src) > maxFile:
		w.large++
	default:
		w.bytes += len(src)
		w.suite.Files = append(w.suite.Files, read.Parse(rel, src))
	}
}

// imported reads what JavaScript's tests import by its path, as it may lie anywhere.
func (w *walker) imported() {
	tried := map[string]bool{}
	for _, f := range w.suite.Files {
		for _, name := range f.Imports {
			if f.Language != read.JavaScript || !strings.HasPrefix(name, ".") || len(w.suite.Files) >= maxFiles {
				continue
			}
			at := filepath.Join(w.suite.Root, filepath.FromSlash(path.Join(path.Dir(f.Name), name)))
			if tried[at] {
				continue
			}
			tried[at] = true
			for _, ending := range endings {
				if w.read[w.relative(at+ending)] {
					break
				}
				real, err := filepath.EvalSymlinks(at + ending)
				if err != nil || !within(real, w.outer) {
					continue
				}
				if info, err := os.Lstat(real); err == nil && info.Mode().IsRegular() {
					w.file(real)
					break
				}
			}
		}
	}
}

// endings are what an import leaves out.
var endings = []string{"", ".ts", ".js", ".tsx", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.js"}

// within reports whether a path is of a folder.
func within(name, folder string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rel)
}

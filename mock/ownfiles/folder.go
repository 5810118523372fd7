package ownfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search"
)

// Bounds of what is read for words.
const (
	maxFile     = 1 << 20   // bytes of a text, or a class
	maxArchive  = 512 << 20 // of a jar, or a program
	maxAll      = 64 << 20  // of all texts and classes, unpacked
	maxFiles    = 2000
	maxPrograms = 4
)

// Choose reads the words of the file or folder named, or where none is, of what a command starts in the working folder,
// and returns which files these are: of programs alone, so that data that the API writes is no part of it. "none" names
// no words. What lies in the folder out, as what a search found earlier, has none.
func Choose(named, start, out string) (words *search.Words, started []string, err error) {
	paths, takes := []string{named}, All
	switch named {
	case "none":
		return nil, nil, nil
	case "":
		if started = Started(".", start); len(started) == 0 {
			return nil, nil, nil
		}
		paths, takes = started, IsCode
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, nil, fmt.Errorf("read words: %w", err)
	}
	words, err = Read(paths, func(name string) bool {
		at, err := filepath.Abs(name)
		return err == nil && !strings.HasPrefix(at, out+string(filepath.Separator)) && takes(name)
	})
	return words, started, err
}

// Read reads the words of files, and of folders what takes says of it, by its path. Of folders are left out those that
// hold what others wrote: hidden ones, node_modules, virtual environments, and jars that are no programs.
func Read(paths []string, takes func(path string) bool) (*search.Words, error) {
	r := &reading{words: &search.Words{}, left: maxAll}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
		case info.IsDir():
			err = r.folder(os.DirFS(p), func(name string) bool { return takes(filepath.Join(p, filepath.FromSlash(name))) })
		default:
			err = r.file(os.DirFS(filepath.Dir(p)), filepath.Base(p), ofAny)
		}
		if err != nil {
			return nil, fmt.Errorf("read words: %w", err)
		}
	}
	return r.words, nil
}

// All takes every file.
func All(string) bool { return true }

// IsCode takes what programs are made of, by the end of its name, and neither data nor settings.
func IsCode(name string) bool {
	return slices.Contains([]string{".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".java", ".kt", ".scala", ".groovy",
		".clj", ".go", ".rb", ".php", ".rs", ".cs", ".ex", ".exs", ".pl", ".lua", ".class", ".jar", ".war"}, strings.ToLower(filepath.Ext(name)))
}

// reading is how far files are read.
type reading struct {
	words           *search.Words
	files, programs int
	left            int // bytes
}

// folder reads the files of a folder in the order of their names.
func (r *reading) folder(dir fs.FS, takes func(name string) bool) error {
	return fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // what one may not read is none of the API's sources
		case err != nil:
			return err
		case d.IsDir() && name != "." && ofOthers(dir, name):
			return fs.SkipDir
		case !d.Type().IsRegular() || !takes(name):
			return nil
		case r.files >= maxFiles || r.left <= 0:
			return fs.SkipAll
		}
		_ = r.file(dir, name, ofMain) // as above
		return nil
	})
}

// packages are names of folders that hold packages.
var packages = []string{"node_modules", "venv", ".venv", "site-packages", "dist-packages", "__pycache__"}

// ofOthers reports whether a folder holds packages that the API uses.
func ofOthers(dir fs.FS, name string) bool {
	base := path.Base(name)
	if strings.HasPrefix(base, ".") || slices.Contains(packages, base) {
		return true
	}
	_, err := fs.Stat(dir, path.Join(name, "pyvenv.cfg"))
	return err == nil
}

// file reads a file as what it begins as; of jars those that jars says.
func (r *reading) file(dir fs.FS, name string, jars jars) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.files++
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	at, random := f.(io.ReaderAt)
	switch head = head[:n]; {
	case random && bytes.HasPrefix(head, []byte("PK\x03\x04")) && info.Size() <= maxArchive:
		r.jar(at, info.Size(), jars)
	case random && isProgram(head) && info.Size() <= maxArchive && r.programs < maxPrograms:
		r.programs++
		units, err := OfProgram(at)
		for _, u := range units {
			r.words.AddUnit(u)
		}
		_ = err // it is none of Go
	case info.Size() <= maxFile:
		return r.small(io.MultiReader(bytes.NewReader(head), f))
	}
	return nil
}

// small reads a text, or a class.
func (r *reading) small(f io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(f, int64(min(maxFile+1, r.left))))
	if err != nil {
		return err
	}
	r.left -= len(content)
	switch {
	case len(content) > maxFile: // it has grown
	case bytes.HasPrefix(content, []byte(magicClass)):
		if u, err := DecodeClass(content); err == nil {
			r.words.AddUnit(u)
		}
	case bytes.IndexByte(content, 0) < 0:
		r.words.Add(content)
	}
	return nil
}

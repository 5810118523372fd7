package search

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Words are the texts of an API's own files that may be names of fields, or values: what stands in quotes first, then
// names after a dot, each in the order in which it stands there.
type Words struct {
	quoted, members []string
	seen            map[string]bool
}

// maxWords bounds how many words there are of each kind.
const maxWords = 150

var (
	inQuotes = regexp.MustCompile("[\"'`]([A-Za-z][A-Za-z0-9_-]{0,39})[\"'`]")
	member   = regexp.MustCompile(`\.([a-z][A-Za-z0-9_]{1,39})\b`)
)

// Add takes the words of a file.
func (w *Words) Add(text []byte) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.quoted = w.add(w.quoted, inQuotes.FindAllSubmatch(text, 4*maxWords))
	w.members = w.add(w.members, member.FindAllSubmatch(text, 4*maxWords))
}

func (w *Words) add(list []string, found [][][]byte) []string {
	for _, m := range found {
		if word := string(m[1]); !w.seen[word] && len(list) < maxWords {
			w.seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// Names may be the names of fields.
func (w *Words) Names() []string { return slices.Concat(w.quoted, w.members) }

// Values may be values that the API compares with.
func (w *Words) Values() []string { return w.quoted }

// Bounds of what is read for words.
const (
	maxWordFile  = 1 << 20
	maxWordFiles = 2000
)

// ReadWords reads the words of the text files of a folder, in the order of their names, but for hidden folders and
// those of packages.
func ReadWords(dir fs.FS) (*Words, error) {
	w, files := &Words{}, 0
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "venv"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case files >= maxWordFiles:
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxWordFile {
			return err
		}
		files++
		text, err := fs.ReadFile(dir, name)
		if err == nil && bytes.IndexByte(text, 0) < 0 {
			w.Add(text)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read words: %w", err)
	}
	return w, nil
}

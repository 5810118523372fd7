package search

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
)

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

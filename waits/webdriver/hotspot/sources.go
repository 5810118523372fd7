package hotspot

import (
	"io/fs"
	"path"
	"strings"
)

// sources are the files of a suite, by their names without the folder.
type sources map[string][]string

// maxSources bounds the files of a suite that are known.
const maxSources = 100_000

// sourcesOf looks for files of Java and Kotlin below a folder. What cannot be read is passed over, and so is what
// tools made: hidden folders, and those of Node.
func sourcesOf(root fs.FS) sources {
	all, seen := sources{}, 0
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		seen++
		base := path.Base(name)
		switch {
		case seen > maxSources:
			return fs.SkipAll
		case err != nil && d == nil, err == nil && !d.IsDir():
		case err != nil, name != "." && strings.HasPrefix(base, "."), base == "node_modules":
			return fs.SkipDir
		}
		if ext := path.Ext(base); err == nil && !d.IsDir() && (ext == ".java" || ext == ".kt") {
			all[base] = append(all[base], name)
		}
		return nil
	})
	return all
}

// find is the file that a call stands in; "" where it is no file of the suite, or may be one of several. Kotlin's files
// need not lie as their packages say.
func (s sources) find(f *frame) string {
	named := s[f.file]
	found := ""
	for _, name := range named {
		if name == f.inPackage() || strings.HasSuffix(name, "/"+f.inPackage()) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	if found == "" && len(named) == 1 && path.Ext(f.file) == ".kt" {
		found = named[0]
	}
	return found
}

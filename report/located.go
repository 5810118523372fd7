package report

import (
	"os"
	"path/filepath"
)

// Located is the path of a file as code hosts know it: from the working directory, where it lies below that, else from
// the root of the repository of that, and as it is given where it lies elsewhere. A path that is not absolute is from
// the working directory already.
func Located(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, ok := under(here, path); ok {
		return below
	}
	if below, ok := under(repository(here), path); ok {
		return below
	}
	return path
}

// under returns a path as it is from a folder that it lies in. The path is absolute; in the folder "" nothing lies.
func under(folder, path string) (string, bool) {
	below, err := filepath.Rel(folder, path)
	return below, err == nil && filepath.IsLocal(below)
}

// repository is the folder of the Git repository that a folder lies in; "" where it lies in none.
func repository(folder string) string {
	for {
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

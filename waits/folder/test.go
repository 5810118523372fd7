package folder

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/waits/read"
)

// testFolders are the names of folders that hold tests, and what helps them.
var testFolders = []string{"test", "tests", "spec", "specs", "e2e", "__tests__", "integration", "cypress", "androidTest",
	"it", "acceptance", "ui-tests", "playwright"}

// testNames say by its name that a file holds tests.
var testNames = map[read.Language]*regexp.Regexp{
	read.JavaScript: regexp.MustCompile(`(^|[._-])(test|tests|spec|cy|e2e|it)\.\w+$`),
	read.Python:     regexp.MustCompile(`^test_|_tests?\.py$|^conftest\.py$|^tests?\.py$`),
	read.Java:       regexp.MustCompile(`^Test|(Tests?|IT|Spec|TestCase)\.java$`),
	read.Kotlin:     regexp.MustCompile(`^Test|(Tests?|IT|Spec)\.kts?$`),
	read.Go:         regexp.MustCompile(`_test\.go$`),
}

// IsTest reports whether a file is one of tests: by its name, or, but in Go, by one of the folders in its path.
func IsTest(name string) bool {
	l := read.LanguageOf(name)
	if l == "" {
		return false
	}
	return testNames[l].MatchString(path.Base(name)) ||
		l != read.Go && slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool {
			return slices.Contains(testFolders, dir)
		})
}

// Around is the folder of the suite that a file belongs to: the outermost one above it, within another folder, that is
// called as folders of tests are; else the one that it lies in.
func Around(file, outer string) string {
	if found := testsAround(file, outer); found != "" {
		return found
	}
	return filepath.Dir(file)
}

// Project is the folder whose tests are like those of a file: the same, but where tests lie beside what they test, as
// no folder above is called as folders of tests are, it is that of the Go module or the package of npm.
func Project(file, outer string) string {
	if found := testsAround(file, outer); found != "" {
		return found
	}
	for at := range above(file, outer) {
		if whole(at) {
			return at
		}
	}
	return filepath.Dir(file)
}

// whole reports whether a folder holds all of a project, not its tests alone.
func whole(dir string) bool {
	return slices.ContainsFunc([]string{"go.mod", "package.json"}, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// Changed are the paths, as git takes them, that hold all tests of a folder and not much else: of a whole project what
// has a word of tests in its path, so that the history of the rest need not be read; all of any other folder.
func Changed(dir string) []string {
	if !whole(dir) {
		return []string{"."}
	}
	paths := []string{":(icase)*test*", ":(icase)*spec*", "*IT.*"}
	for _, word := range []string{"cy", "e2e", "it"} {
		paths = append(paths, ":(glob)**/"+word+".*", ":(glob)**/*[._-]"+word+".*")
	}
	for _, name := range testFolders {
		paths = append(paths, ":(glob)**/"+name+"/**")
	}
	return paths
}

// testsAround is the outermost folder above a file, below another, that is called as folders of tests are; "" where
// there is none.
func testsAround(file, outer string) string {
	found := ""
	for at := range above(file, outer) {
		if at != outer && slices.Contains(testFolders, filepath.Base(at)) {
			found = at
		}
	}
	return found
}

// above are the folders that a file lies in, from the innermost to an outer one.
func above(file, outer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := filepath.Dir(file); within(at, outer) && yield(at); at = filepath.Dir(at) {
			if at == outer || at == filepath.Dir(at) {
				return
			}
		}
	}
}

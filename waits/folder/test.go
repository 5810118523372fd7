package folder

import (
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
	dir := filepath.Dir(file)
	found := dir
	for at := dir; within(at, outer) && at != outer; at = filepath.Dir(at) {
		if slices.Contains(testFolders, filepath.Base(at)) {
			found = at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return found
}

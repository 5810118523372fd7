package results

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Where is a line of a file: the one in which a test failed.
type Where struct {
	File string `json:"file"` // as the runner names it
	Line int    `json:"line"` // from 1; 0: no line is known
}

// String is "file:line"; "" where no line is known.
func (w Where) String() string {
	if w.Line == 0 {
		return ""
	}
	return w.File + ":" + strconv.Itoa(w.Line)
}

// frame is a line that a failure names, and what is said behind it.
type frame struct {
	Where
	says string
}

// frames is a way in which runners write where a failure was: the groups of the pattern are file, line, and what is
// said behind it, if that matters. pick picks the one that failed from those that are no library's, in their order.
type frames struct {
	pattern *regexp.Regexp
	pick    func(suite string, found []frame) Where
}

// waysToPoint lists the ways: pytest, Python, the JVM, Node, Go, Hurl.
var waysToPoint = []frames{
	{regexp.MustCompile(`(?m)^[> ]*([^\s:"]+\.py):(\d+): (\w*)`), innermost},
	{regexp.MustCompile(`File "([^"\n]+\.py)", line (\d+)()`), innermost},
	{regexp.MustCompile(`\((\w+\.(?:java|kt|groovy|scala)):(\d+)()\)`), ofTest},
	{regexp.MustCompile(`(?m)(?:\bat (?:async )?|\()([^()\s]+\.[cm]?[jt]sx?):(\d+):\d+()\)?$`), outermost},
	{regexp.MustCompile(`([^\s:"]+_test\.go):(\d+)()`), outermost},
	{regexp.MustCompile(`--> ([^\s:]+\.hurl):(\d+)()`), outermost},
}

// locate finds the line in which a test of a suite failed, in what its runner says. It is zero where there is none.
func locate(suite, trace string) Where {
	for _, way := range waysToPoint {
		var found []frame
		for _, m := range way.pattern.FindAllStringSubmatch(trace, -1) {
			line, err := strconv.Atoi(m[2])
			if err == nil && line > 0 && !ofLibrary(m[1]) {
				found = append(found, frame{Where{short(strings.TrimPrefix(m[1], "file://"), maxName), line}, m[3]})
			}
		}
		if len(found) == 0 {
			continue
		}
		if picked := way.pick(suite, found); picked.Line > 0 {
			return picked
		}
	}
	return Where{}
}

// outermost is the first frame, where runners begin with the suite's own.
func outermost(_ string, found []frame) Where { return found[0].Where }

// innermost is the last frame, where the suite's own come first. One of another file than the test's counts where it is
// an assertion, as of a helper: other errors come from what is called.
func innermost(suite string, found []frame) Where {
	last := found[len(found)-1]
	if last.says == "AssertionError" {
		return last.Where
	}
	for i := len(found) - 1; i >= 0; i-- {
		file := path.Base(strings.ReplaceAll(found[i].File, `\`, "/"))
		if slices.Contains(strings.Split(suite, "."), strings.TrimSuffix(file, path.Ext(file))) {
			return found[i].Where
		}
	}
	return last.Where
}

// ofTest is the first frame in the file of the test's class, or in one with a test's name: what comes before is of
// libraries, which name no folders.
func ofTest(suite string, found []frame) Where {
	class, _, _ := strings.Cut(suite[strings.LastIndexAny(suite, "./ ")+1:], "$")
	for _, f := range found {
		stem := strings.TrimSuffix(f.File, path.Ext(f.File))
		if stem == class || strings.Contains(stem, "Test") || strings.HasSuffix(stem, "Spec") ||
			strings.HasSuffix(stem, "IT") {
			return f.Where
		}
	}
	return Where{}
}

// ofLibrary reports whether a file is of what a suite was installed with.
func ofLibrary(file string) bool {
	for _, folder := range []string{"site-packages/", "dist-packages/", "node_modules/", "/lib/python", "node:"} {
		if strings.Contains(strings.ReplaceAll(file, `\`, "/"), folder) {
			return true
		}
	}
	return false
}

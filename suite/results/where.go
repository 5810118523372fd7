package results

import (
	"path"
	"regexp"
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

// frames is a way in which runners write where a failure was: the groups of the pattern are file and line.
type frames struct {
	pattern *regexp.Regexp
	last    bool // the innermost frame comes last
	own     bool // only the frames in files of the test's class, or of a test's name, are the suite's
}

// waysToPoint lists the ways: pytest, Python, the JVM, Node, Go, Hurl.
var waysToPoint = []frames{
	{pattern: regexp.MustCompile(`(?m)^[> ]*([^\s:"]+\.py):(\d+): `), last: true},
	{pattern: regexp.MustCompile(`File "([^"\n]+\.py)", line (\d+)`), last: true},
	{pattern: regexp.MustCompile(`\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)`), own: true},
	{pattern: regexp.MustCompile(`(?m)\bat [^\n]*?([^()\s]+\.[cm]?[jt]sx?):(\d+):\d+\)?$`)},
	{pattern: regexp.MustCompile(`([^\s:"]+_test\.go):(\d+)`)},
	{pattern: regexp.MustCompile(`--> ([^\s:]+\.hurl):(\d+)`)},
}

// locate finds the line in which a test of a suite failed, in what its runner says: the innermost frame that is no
// library's. It is zero where there is none.
func locate(suite, trace string) Where {
	for _, way := range waysToPoint {
		var found Where
		for _, m := range way.pattern.FindAllStringSubmatch(trace, -1) {
			line, err := strconv.Atoi(m[2])
			if err != nil || line == 0 || ofLibrary(m[1]) || way.own && !ofTest(suite, m[1]) {
				continue
			}
			found = Where{File: short(strings.TrimPrefix(m[1], "file://"), maxName), Line: line}
			if !way.last {
				break
			}
		}
		if found.Line > 0 {
			return found
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

// ofTest reports whether a file of the JVM is one of a suite: that of the test's class, or one with a test's name.
func ofTest(suite, file string) bool {
	stem := strings.TrimSuffix(file, path.Ext(file))
	class, _, _ := strings.Cut(suite[strings.LastIndexAny(suite, "./ ")+1:], "$")
	return stem == class || strings.Contains(stem, "Test") || strings.HasSuffix(stem, "Spec") ||
		strings.HasSuffix(stem, "IT")
}

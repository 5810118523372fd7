package project

import (
	"os"
	"path"
	"slices"
	"strings"
)

// Next is the command to run next: what makes a suite hold, where one is known that it can run, else what records.
func (s Settings) Next() string {
	if s.Client == "" {
		return "flaketap record"
	}
	if s.Start != "" || s.Reset != "" { // a known start, without which nothing is made to hold
		if suite, command := separated(s.Client); suite != "" {
			return "flaketap stabilize " + Words([]string{suite}) + " -- " + command
		}
	}
	return "flaketap record -- " + s.Client
}

// separated returns the suite that a client runs, and the client with {} in its place, as patched forms of a suite run;
// "" where that is not known: a runner that takes no path, several suites, or what a shell would have to read.
func separated(client string) (suite, command string) {
	words := strings.Fields(client)
	if Words(words) != strings.Join(words, " ") {
		return "", ""
	}
	runner := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "pytest" || path.Base(w) == "mocha" })
	if runner < 0 {
		return "", ""
	}
	at := -1
	for i, w := range words[runner+1:] {
		if _, err := os.Stat(w); err != nil {
			continue
		}
		if at >= 0 {
			return "", ""
		}
		at = runner + 1 + i
	}
	switch {
	case at >= 0:
		suite, words[at] = words[at], "{}"
	case path.Base(words[runner]) == "pytest" && runner == len(words)-1:
		_, because := read(".").pytest()
		suite, words = path.Dir(because), append(words, "{}")
	}
	if path.Clean(suite) == "." { // the stable suite would be written into it
		return "", ""
	}
	return suite, strings.Join(words, " ")
}

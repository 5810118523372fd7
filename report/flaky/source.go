package flaky

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/results"
)

// SourceFile is a file of a suite, in any language.
type SourceFile struct {
	Path string
	Data []byte
}

// lines returns the line of the suite that a failure names, with the one above it: some languages ask in one line and
// say in the next that it failed. They are "" where the suite was not given, lacks the file, or has several that could
// be it. Runners name files from elsewhere than here, so the ends of the paths are compared.
func (in *Input) lines(w results.Where) (line, above string) {
	var found []byte
	most, tied := 0, false
	for _, s := range in.Sources {
		n := commonEnd(filepath.ToSlash(s.Path), filepath.ToSlash(w.File))
		switch {
		case n > most:
			found, most, tied = s.Data, n, false
		case n == most:
			tied = true
		}
	}
	if most == 0 || tied {
		return "", ""
	}
	n := 0
	for text := range strings.Lines(string(found)) {
		if n++; n == w.Line {
			return strings.TrimSpace(text), above
		}
		above = strings.TrimSpace(text)
	}
	return "", ""
}

// failedLine is the line in which a test failed: that of the suite, else the one that its runner shows.
func (in *Input) failedLine(t *Test) failedLine {
	_, where := t.failure()
	line, above := in.lines(where)
	for _, r := range t.failures() {
		if line == "" {
			line = shownLine(r.Trace)
		}
	}
	return failedLine{line, above}
}

// shownLine is the line that pytest marks as the one that failed; "" where a trace has none.
func shownLine(trace string) string {
	shown := ""
	for text := range strings.Lines(trace) {
		if rest, marked := strings.CutPrefix(text, ">  "); marked {
			shown = strings.TrimSpace(rest)
		}
	}
	return shown
}

// failedLine is a line of the suite that failed, and the one above it; both are "" where it is not known.
type failedLine struct{ line, above string }

// naming returns the line that has a name which means a place, with the one that failed; "" where neither has.
func (l failedLine) naming(place exchange.Place) string {
	switch {
	case named(l.line, place):
		return l.line
	case named(l.above, place):
		return l.above + " " + l.line
	}
	return ""
}

// commonEnd counts the parts that two paths have in common, from the end on.
func commonEnd(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[len(as)-1-n] == bs[len(bs)-1-n] && as[len(as)-1-n] != "" {
		n++
	}
	return n
}

// named reports whether a line of code has a name that means a place: its member, its header, or the status, in
// whichever case and with whatever between its words.
func named(line string, place exchange.Place) bool {
	parts := strings.Split(strings.Trim(string(place), "/"), "/")
	last := bare(parts[len(parts)-1])
	for i := len(parts) - 2; i > 0 && strings.Trim(last, "0123456789") == ""; i-- {
		last = bare(parts[i])
	}
	if strings.Trim(last, "0123456789") == "" || len(parts) == 1 && place != exchange.PlaceStatus {
		return false
	}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}) {
		w := bare(word)
		if w == last || place == exchange.PlaceStatus && w == "statuscode" {
			return true
		}
	}
	return false
}

// bare is a name in lower case without what stands between its words.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

package explicit

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// Left is a command that may come too early and got no wait.
type Left struct {
	Line   int
	Does   string
	Reason string
}

// Result is what became of a file.
type Result struct {
	Data    []byte
	Written int // waits
	Left    []Left
}

// language writes the waits of one language.
type language interface {
	// insert returns the lines of a wait, without their indentation, and where the statement begins before
	// which they are to stand; or why nothing can.
	insert(site) (at int, lines []string, err error)
	// finish returns the text with what the waits need besides.
	finish(text string) string
	// comment is what a comment begins with.
	comment() string
}

// Readable reports whether waits can be written into a file of a name.
func Readable(name string) bool { return languageOf(name) != nil }

// languageOf tells a language by a file's name; nil where it is none of those. It reads a text, of which roots are
// the lines on which it looks for elements from the driver itself.
func languageOf(name string) func(name, text string, roots map[int]bool) (language, error) {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs":
		return newJavaScript
	case ".py":
		return newPython
	case ".java":
		return newJava
	}
	return nil
}

// Patch writes the waits of a model into a file: those of commands that came from it. The name is a path, of which
// the model's sources may know the end alone, or more.
func Patch(name string, data []byte, m *oracle.Model) Result {
	text, had := withoutWaits(string(data))
	sites, roots, left := sitesOf(name, m)
	sites, changed := recorded(sites, m, data, []byte(text))
	left = append(left, changed...)
	if !knows(m, name, []byte(text)) || len(sites) == 0 && !had {
		return Result{Data: data, Left: left}
	}
	lang, err := languageOf(name)(name, text, roots)
	if err != nil {
		for _, s := range sites {
			left = append(left, s.left(err))
		}
		return Result{Data: data, Left: left}
	}
	r := Result{Data: []byte(text), Left: left}
	inserts := map[int][]string{}
	for _, s := range sites {
		at, lines, err := lang.insert(s)
		switch {
		case err != nil:
			r.Left = append(r.Left, s.left(err))
		case !slices.Contains(inserts[at], lines[len(lines)-1]):
			inserts[at] = append(append(inserts[at], lang.comment()+marker+s.wait.Says()), lines...)
			r.Written++
		}
	}
	if r.Written > 0 {
		r.Data = []byte(lang.finish(withInserts(text, inserts)))
	}
	return r
}

// recorded splits sites into those whose file was recorded with the text that a file has without its waits, and what
// is left: there, another line may stand in the place of the one that was recorded.
func recorded(sites []site, m *oracle.Model, data, bare []byte) (fit []site, left []Left) {
	for _, s := range sites {
		switch source := s.wait.Source; {
		case m.Recorded(source, bare):
			fit = append(fit, s)
		case m.Recorded(source, data):
			left = append(left, s.left(errWaits))
		default:
			left = append(left, s.left(errChanged))
		}
	}
	return fit, left
}

// knows reports whether a model has commands from a file with a text.
func knows(m *oracle.Model, name string, text []byte) bool {
	return slices.ContainsFunc(m.Waits(), func(w *oracle.Wait) bool {
		_, ok := placeIn(name, w.Source)
		return ok && m.Recorded(w.Source, text)
	})
}

// withInserts puts lines before those that begin at places, with their indentation and the text's line ends.
func withInserts(text string, inserts map[int][]string) string {
	var b strings.Builder
	last, eol := 0, lineEnd(text)
	for _, at := range slices.Sorted(maps.Keys(inserts)) {
		begin := strings.LastIndexByte(text[:at], '\n') + 1
		b.WriteString(text[last:begin])
		for _, line := range inserts[at] {
			b.WriteString(text[begin:at] + line + eol)
		}
		last = begin
	}
	b.WriteString(text[last:])
	return b.String()
}

// lineEnd is how a text ends its lines.
func lineEnd(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Lines that flaketap writes begin, or end, so.
const (
	marker          = "flaketap: ready "
	needed          = "  # flaketap: for its waits"
	neededBySlashes = " // flaketap: for its waits"
)

// withoutWaits is a text without the waits that were written into it before: a marked comment, and the lines behind
// it up to the one that ends the wait; and marked imports.
func withoutWaits(text string) (out string, had bool) {
	var b strings.Builder
	var ends func(line string) bool // nil outside of a wait
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case ends != nil:
			if ends(bare) {
				ends = nil
			}
		case strings.HasPrefix(bare, "// "+marker) || strings.HasPrefix(bare, "# "+marker):
			ends, had = lastOfWait(), true
		case strings.HasSuffix(bare, needed) || strings.HasSuffix(bare, neededBySlashes):
			had = true
		default:
			b.WriteString(line)
		}
	}
	return b.String(), had
}

// lastOfWait tells the last line of a wait, given one after the other: the catch of a try, what a with holds, or the
// one that there is.
func lastOfWait() func(line string) bool {
	tries := false
	return func(line string) bool {
		tries = tries || line == "try {"
		return strings.HasPrefix(line, "} catch (") || !tries && !strings.HasSuffix(line, ":")
	}
}

// most is how long a wait that is written waits: it costs nothing where what is waited for comes.
func most(w *oracle.Wait) time.Duration {
	return max(2*time.Second, (5 * w.Times.Longest).Round(100*time.Millisecond))
}

// Why a wait is not written.
var (
	errChanged = errors.New("the file has changed since it was recorded")
	errWaits   = errors.New("it was recorded with the waits of an earlier patch in it; record the file without them")
	errDriver  = errors.New("no driver is known by a name there")
	errUnread  = errors.New("what it waits for cannot be read by Selenium alone")
	errParts   = errors.New("it is answered something that has many parts")
	errHead    = errors.New("it stands in the head of a loop or of a branch")
	errLine    = errors.New("its statement stands in a line with others")
	errLater   = errors.New("it stands in a function that has no statements")
	errTurns   = errors.New("it is answered another thing each time it comes by, as in a loop or a helper")
	errVaries  = errors.New("its answer differs between runs that passed")
)

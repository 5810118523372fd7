package explicit

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits/marked"
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
	Data     []byte
	Written  int  // waits
	Gone     int  // sleeps
	Retried  int  // callbacks of Cypress's that ask again
	Unmarked int  // specs of Cypress's whose marks were taken out
	Spec     bool // it is one of Cypress's
	Known    bool // the session has commands from it
	Left     []Left
}

// Add counts what was written into another file.
func (r *Result) Add(of Result) {
	r.Written, r.Gone, r.Retried, r.Spec = r.Written+of.Written, r.Gone+of.Gone, r.Retried+of.Retried, r.Spec || of.Spec
	r.Unmarked, r.Known = r.Unmarked+of.Unmarked, r.Known || of.Known
}

// Say says what was done to files; the model is that of the session, nil without one.
func (r *Result) Say(talk *console.Console, model *oracle.Model, how Options) {
	switch {
	case model != nil:
		talk.Say("flaketap: %s written%s", console.Count(r.Written, "wait"), console.OneLine(r.unknown(model)))
	case how.Requests != nil:
		talk.Say("flaketap: %s written", console.Count(r.Written, "wait"))
	}
	if r.Unmarked > 0 {
		talk.Say("flaketap: marks taken out of %s", console.Count(r.Unmarked, "spec"))
	}
	if r.Spec {
		talk.Say("flaketap: %s of Cypress's moved from .then to .should, which asks again until it holds; Cypress is not "+
			"recorded, so nothing shows that any came too early", console.Count(r.Retried, "callback"))
	}
	if how.ReplaceSleeps {
		talk.Say("flaketap: %s taken out", console.Count(r.Gone, "sleep"))
	}
}

// unknown says that a session knows none of the files, and which ones it does know; "" where it knows one.
func (r *Result) unknown(m *oracle.Model) string {
	known := m.Files()
	switch {
	case r.Known:
		return ""
	case len(known) == 0:
		return ": the session does not say which files its commands came from; docs/waits.md has how each framework tells"
	}
	said, more := strings.Join(known[:min(len(known), 5)], ", "), ""
	if len(known) > 5 {
		more = fmt.Sprintf(" and %d more", len(known)-5)
	}
	return ": none of these files is of the session; name one that it was recorded from: " + said + more
}

// File writes into a file what can be written: the waits of a model, where there is one, or what the text alone allows,
// if it is a spec of Cypress's.
func File(path string, data []byte, m *oracle.Model, o Options) Result {
	switch {
	case OfCypress(path, data):
		return Cypress(path, data, o)
	case m != nil && Readable(path):
		if slices.ContainsFunc(m.Files(), func(file string) bool { return isFile(path, file) }) {
			r := Patch(path, data, m, o)
			r.Known = true
			return r
		}
	}
	return Result{Data: data}
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
	// alone reports whether what begins at a place is a statement that may be left out.
	alone(at int) bool
}

// Readable reports whether waits can be written into a file of a name.
func Readable(name string) bool { return languageOf(name) != nil }

// languageOf tells a language by a file's name; nil where it is none of those. It reads a text, of which roots are
// the lines on which it looks for elements from the driver itself.
func languageOf(name string) func(name, text string, roots map[int]bool) (language, error) {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs":
		return newJavaScript
	case ".ts", ".cts", ".mts", ".tsx", ".jsx":
		return func(string, string, map[int]bool) (language, error) { return nil, errTyped }
	case ".py":
		return newPython
	case ".java":
		return newJava
	}
	return nil
}

// Options say what is written besides waits.
type Options struct {
	// ReplaceSleeps takes out the sleeps that the waits make needless.
	ReplaceSleeps bool
	// Requests are what pages asked for around the sleeps of specs of Cypress's; nil where that was not recorded.
	Requests *marked.Recording
}

// patching is a file that waits are written into.
type patching struct {
	name    string
	text    string // without the waits of an earlier patch
	model   *oracle.Model
	lang    language
	inserts map[int][]string // lines that stand before those that begin at a place
	gone    []int            // where sleeps begin that are taken out
	Result
}

// Patch writes the waits of a model into a file: those of commands that came from it. The name is a path, of which
// the model's sources may know the end alone, or more.
func Patch(name string, data []byte, m *oracle.Model, o Options) Result {
	text, had := withoutWaits(string(data))
	sites, roots, left := sitesOf(name, m)
	sites, changed := recorded(sites, m, data, []byte(text))
	left = append(left, changed...)
	if !knows(m, name, []byte(text)) || len(sites) == 0 && !had {
		return Result{Data: data, Left: left}
	}
	read := languageOf(name)
	if playwrightIn(name, m) {
		read = newPlaywright
	}
	lang, err := read(name, text, roots)
	if err != nil {
		for _, s := range sites {
			left = append(left, s.left(err))
		}
		return Result{Data: data, Left: left}
	}
	p := &patching{name: name, text: text, model: m, lang: lang, inserts: map[int][]string{}, Result: Result{Left: left}}
	for _, s := range sites {
		p.wait(s)
	}
	if o.ReplaceSleeps {
		p.sleeps()
	}
	p.Data = []byte(text)
	if p.Written > 0 {
		p.Data = []byte(lang.finish(p.edited()))
	}
	return p.Result
}

// playwrightIn reports whether a file's commands are those of Playwright.
func playwrightIn(name string, m *oracle.Model) bool {
	return slices.ContainsFunc(m.Waits(), func(w *oracle.Wait) bool {
		_, ok := placeIn(name, w.Source)
		return ok && ofPlaywright(w.Command)
	})
}

// wait writes the wait of a site, where it can be written and another one does not wait for the same.
func (p *patching) wait(s site) {
	at, lines, err := p.lang.insert(s)
	switch {
	case err != nil:
		p.Left = append(p.Left, s.left(err))
	case 1+strings.Count(p.text[:at], "\n") <= s.acted && s.acted <= s.line:
		p.Left = append(p.Left, s.left(errActs))
	case !strings.Contains(strings.Join(p.inserts[at], "\n"), strings.Join(lines, "\n")):
		p.inserts[at] = append(append(p.inserts[at], p.lang.comment()+marker+s.wait.Says()), lines...)
		p.Written++
	}
}

// recorded splits sites into those whose file was recorded with the text that a file has without its waits, and what
// is left: there, another line may stand in the place of the one that was recorded.
func recorded(sites []site, m *oracle.Model, data, bare []byte) (fit []site, left []Left) {
	for _, s := range sites {
		switch source := s.place; {
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
		return slices.ContainsFunc(w.Command.Stack(), func(from oracle.Caller) bool {
			_, ok := placeIn(name, from.Place)
			return ok && m.Recorded(from.Place, text)
		})
	})
}

// edited is the text with the waits, which are indented as the lines behind them, and with comments in the place of
// sleeps.
func (p *patching) edited() string {
	var b strings.Builder
	last, eol := 0, lineEnd(p.text)
	for _, at := range slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(p.gone), maps.Keys(p.inserts)))) {
		begin := strings.LastIndexByte(p.text[:at], '\n') + 1
		if slices.Contains(p.gone, at) {
			b.WriteString(p.text[last:at] + p.lang.comment() + instead)
			last = at
			continue
		}
		b.WriteString(p.text[last:begin])
		for _, line := range p.inserts[at] {
			b.WriteString(p.text[begin:at] + line + eol)
		}
		last = begin
	}
	b.WriteString(p.text[last:])
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
// it up to the one that ends the wait; and marked imports. Sleeps that were taken out stand in it again.
func withoutWaits(text string) (out string, had bool) {
	var b strings.Builder
	had = eachLine(text, func(line, was string, written bool) {
		if written {
			line = was
		}
		b.WriteString(line)
	})
	return b.String(), had
}

// eachLine goes through the lines of a text: those that flaketap has written into it come with the one in whose place
// they stand, "" where that is none. had says whether there is one.
func eachLine(text string, each func(line, was string, written bool)) (had bool) {
	var ends func(line string) bool // nil outside of a wait
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		was, written := restored(line)
		switch {
		case ends != nil:
			written, was = true, ""
			if ends(bare) {
				ends = nil
			}
		case strings.HasPrefix(bare, "// "+marker) || strings.HasPrefix(bare, "# "+marker):
			ends, written = lastOfWait(), true
		case strings.HasSuffix(bare, needed) || strings.HasSuffix(bare, neededBySlashes):
			written = true
		}
		had = had || written
		each(line, was, written)
	}
	return had
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

// interval is the time between two looks of a wait that is written: a tenth of what it took in the middle, so that the
// suite goes on a twentieth of that too late. It is 50 ms at most, as what is there for a while only may be over soon,
// and 20 ms at least, as each look goes to the browser and back.
func interval(w *oracle.Wait) time.Duration {
	return min(max(20*time.Millisecond, (w.Times.Median/10).Round(10*time.Millisecond)), 50*time.Millisecond)
}

// Why a wait is not written.
var (
	errChanged = errors.New("the file has changed since it was recorded")
	errWaits   = errors.New("it was recorded with the waits of an earlier patch in it; record the file without them")
	errDriver  = errors.New("no driver is known by a name there")
	errUnread  = errors.New("what it waits for cannot be read by the driver alone")
	errParts   = errors.New("it is answered something that has many parts")
	errHead    = errors.New("it stands in the head of a loop or of a branch")
	errLine    = errors.New("its statement stands in a line with others")
	errLater   = errors.New("it stands in a function that has no statements")
	errTurns   = errors.New("it is answered another thing each time it comes by, as in a loop, in a helper, or in a test that runs with several values")
	errShared  = errors.New("other commands come through its line too, and no line above it is called for this one alone")
	errActs    = errors.New("the action that brings it about stands in the same statement")
	errAlone   = errors.New("it does not stand alone in a line, as a statement that may be left out")
	errNext    = errors.New("what comes after it gets no wait")
	errMore    = errors.New("more happens in the page meanwhile than what is waited for after it")
	errBehind  = errors.New("something that is read after it gets no wait")
	errTyped   = errors.New("TypeScript and JSX are patched for Playwright alone")
	errCall    = errors.New("the call that sends it is not found there")
	errOwn     = errors.New("its locator cannot be repeated in a wait, as it may do more than locate: it calls a function of the suite, for example")
	errHandle  = errors.New("it is asked of an element that the test holds, not of a locator")
	errItself  = errors.New("Playwright waits for it by itself, so a wait before it would add nothing: its time may be too short")
	errExpect  = errors.New("only expect can wait for it, which the file does not import from @playwright/test")
	errVaries  = errors.New("its answer differs between runs that passed")
)

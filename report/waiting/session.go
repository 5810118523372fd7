package waiting

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/read"
)

// session is one that is read to tests.
type session struct {
	name   string
	all    *oracle.Session
	model  *oracle.Model
	show   shower
	source func(string) ([]byte, error)
	files  map[string]*read.File // nil where it is not known which tests it has
}

func newSession(name string, s *oracle.Session, show shower, source func(string) ([]byte, error)) *session {
	return &session{name: show.text(name), all: s, model: oracle.Learn(s), show: show, source: source,
		files: map[string]*read.File{}}
}

// part is the commands of one test in a run.
type part struct {
	name, file string
	browser    int
	commands   []int
	from, to   float64 // milliseconds of the run; its browser belongs to it for so long
}

// addTo adds the tests of a session to a panel. A test of that name that is there already gets times beside its own.
func (s *session) addTo(p *Panel) {
	parts := make([][]part, len(s.all.Runs))
	for i := range s.all.Runs {
		parts[i] = s.parts(&s.all.Runs[i])
	}
	told := s.told(parts)
	if told < 0 {
		return
	}
	run := &s.all.Runs[told]
	fates := s.model.Fates(s.all, told)
	waits := s.waits(run)
	for _, one := range parts[told] {
		name := s.show.text(one.name)
		at := slices.IndexFunc(p.Tests, func(t Test) bool { return t.Name == name })
		switch {
		case at >= 0:
			p.Tests[at].Times = append(p.Tests[at].Times, s.times(one, parts)...)
		case len(p.Tests) >= maxTests:
			p.Left.Tests++
		default:
			t := s.test(run, one, waits)
			s.changes(&t, run, one, fates)
			t.Run, t.Times = told+1, s.times(one, parts)
			p.Tests = append(p.Tests, t)
		}
	}
}

// told is the run that is told command by command: one that passed, else one of which a test did; of these one whose
// reads waited.
func (s *session) told(parts [][]part) int {
	waited := func(r *oracle.Run) bool {
		return slices.ContainsFunc(r.Commands, func(c oracle.Command) bool { return len(c.Later) > 0 })
	}
	best, most := -1, -1
	for i := range s.all.Runs {
		r, score := &s.all.Runs[i], 0
		switch {
		case r.Passed():
			score += 4
		case slices.ContainsFunc(parts[i], func(p part) bool { return passed(r, p) }):
			score += 2
		}
		if waited(r) {
			score++
		}
		if len(parts[i]) > 0 && score > most {
			best, most = i, score
		}
	}
	return best
}

// waits are those of the commands of a run, by their index.
func (s *session) waits(r *oracle.Run) map[int]*oracle.Wait {
	var keys oracle.Keys
	out := map[int]*oracle.Wait{}
	for i := range r.Commands {
		c := &r.Commands[i]
		if w := s.model.Wait(keys.Next(c)); w != nil && w.Prone() {
			out[i] = w
		}
	}
	return out
}

// parts divides the commands of a run among its tests.
func (s *session) parts(r *oracle.Run) []part {
	byBrowser := map[int][]int{}
	var browsers []int
	for i := range r.Commands {
		c := &r.Commands[i]
		if c.Kind == oracle.Neither {
			continue
		}
		if byBrowser[c.Browser] == nil {
			browsers = append(browsers, c.Browser)
		}
		byBrowser[c.Browser] = append(byBrowser[c.Browser], i)
	}
	var out []part
	for _, b := range browsers {
		out = append(out, s.partsOf(r, b, byBrowser[b])...)
	}
	count := map[string]int{}
	for i := range out { // a test that runs again, or in two browsers
		count[out[i].name]++
		if n := count[out[i].name]; n > 1 {
			out[i].name += " (" + strconv.Itoa(n) + ")"
		}
	}
	slices.SortStableFunc(out, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	return out
}

// partsOf divides the commands of one browser, whose indices are given.
func (s *session) partsOf(r *oracle.Run, browser int, commands []int) []part {
	names, files := make([]string, len(commands)), make([]string, len(commands))
	for n, i := range commands {
		names[n], files[n] = s.testOf(r.Commands[i].Source)
	}
	begun := 0 // where those begin that belong to the next command whose test is known
	for n := range names {
		switch c := &r.Commands[commands[n]]; {
		case names[n] != "":
			for ; begun >= 0 && begun < n; begun++ {
				names[begun], files[begun] = names[n], files[n]
			}
			begun = -1
		case begun < 0 && c.Does == "open":
			begun = n
		}
	}
	for n := range names {
		switch {
		case names[n] == "" && n > 0:
			names[n], files[n] = names[n-1], files[n-1]
		case names[n] == "":
			names[n], files[n] = "browser "+strconv.Itoa(browser), ""
		}
	}
	var out []part
	for n, i := range commands {
		c := &r.Commands[i]
		if n == 0 || names[n] != names[n-1] {
			if n > 0 {
				out[len(out)-1].to = c.Start
			}
			out = append(out, part{name: names[n], file: files[n], browser: browser, from: c.Start, to: math.Inf(1)})
		}
		last := &out[len(out)-1]
		last.commands = append(last.commands, i)
	}
	return out
}

// testOf is the test around a place in the suite, file:line:column, and its file; "" where that is not known.
func (s *session) testOf(source string) (test, file string) {
	file, line, _, ok := oracle.CutSource(source)
	if !ok {
		return "", ""
	}
	f, known := s.files[file]
	if !known {
		if text, err := s.source(file); err == nil && s.model.Recorded(source, text) {
			f = read.Parse(file, text)
		}
		s.files[file] = f
	}
	if f == nil {
		return "", ""
	}
	return f.TestAt(line), file
}

// times are how long a test took in the runs of the session, by the way in which they were made.
func (s *session) times(one part, parts [][]part) []Timing {
	var out []Timing
	took := map[string][]float64{}
	for i := range s.all.Runs {
		r := &s.all.Runs[i]
		at := slices.IndexFunc(parts[i], func(p part) bool { return p.name == one.name })
		if at < 0 {
			continue
		}
		way := s.show.text(wayWords(r.Patience))
		if took[way] == nil {
			out = append(out, Timing{Session: s.name, Way: way})
		}
		took[way] = append(took[way], lasted(r, parts[i][at]))
		t := &out[slices.IndexFunc(out, func(t Timing) bool { return t.Way == way })]
		if t.Of++; passed(r, parts[i][at]) {
			t.Passed++
		}
	}
	for i := range out {
		all := slices.Sorted(slices.Values(took[out[i].Way]))
		out[i].Median = tenths(all[(len(all)-1)/2])
	}
	return out
}

// passed reports whether a test passed in a run, as far as that is known of it alone.
func passed(r *oracle.Run, p part) bool {
	return !slices.ContainsFunc(p.commands, func(i int) bool { return !r.PassedAt(r.Commands[i].Start) })
}

// lasted is how long a test took in a run, up to its last answer.
func lasted(r *oracle.Run, p part) float64 {
	return max(0, r.Commands[p.commands[len(p.commands)-1]].Given.At-p.from)
}

// wayWords says how the reads of a run were answered.
func wayWords(patience string) string {
	if patience == "none" {
		return "as it is"
	}
	return "waiting for " + patience
}

// mostTime bounds a time that is told, in milliseconds: some years.
const mostTime = 1e11

// tenths rounds milliseconds.
func tenths(ms float64) float64 {
	return math.Round(min(mostTime, max(-mostTime, ms))*10) / 10
}

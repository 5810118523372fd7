package oracle

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// Bounds of what is told from a background.
const (
	// often is how often a property changes in one run before it may be a clock or an animation.
	often = 8
	// again is how often it does so at least where what brings that about is known.
	again = 3
)

// course is how a property changes in one browser of a run.
type course struct {
	times []float64
	// By what no action is behind: by the cause, behind which actions, and how often.
	driven map[Cause]map[int]int
}

// aside are the properties that nothing is to wait for, with the reason: those that change whatever the suite does, and
// those that nobody sees.
func (s *Session) aside() map[property]Fate {
	out := s.plain()
	varied := s.varied()
	for i := range s.Runs {
		for p, courses := range s.Runs[i].courses() {
			for _, c := range courses {
				switch {
				case len(c.times) > often && periodic(c.times):
					out[p] = Background
				case out[p] == "" && (c.goesOn(Timer) || c.goesOn(Socket) && varied[p]):
					out[p] = Driven
				}
			}
		}
	}
	return out
}

// courses are those of the properties of a run, by browser.
func (r *Run) courses() map[property]map[int]*course {
	acts := r.acts()
	out := map[property]map[int]*course{}
	for _, m := range r.Mutations {
		p := m.property()
		if out[p] == nil {
			out[p] = map[int]*course{}
		}
		c := out[p][m.Browser]
		if c == nil {
			c = &course{driven: map[Cause]map[int]int{}}
			out[p][m.Browser] = c
		}
		c.times = append(c.times, m.At)
		all := acts[m.Browser]
		act := sort.Search(len(all), func(i int) bool { return all[i].sent() >= m.At })
		if act == 0 || m.Cause == "" || m.Since >= all[act-1].sent() { // the loading of the page, or that action, may be behind it
			continue
		}
		if c.driven[m.Cause] == nil {
			c.driven[m.Cause] = map[int]int{}
		}
		c.driven[m.Cause][act]++
	}
	return out
}

// goesOn reports whether a property changes by a cause again and again: more often than once for each action, as it
// would where a page shows by its own clock what actions have brought about.
func (c *course) goesOn(by Cause) bool {
	n := 0
	for _, times := range c.driven[by] {
		n += times
	}
	return n >= again && n > len(c.driven[by])
}

// varied are the properties that do not end the same in all that passed of the runs. What messages bring about late,
// and what ends the same each time, may be what an earlier action has led to.
func (s *Session) varied() map[property]bool {
	ends, out := map[property]string{}, map[property]bool{}
	for i := range s.Runs {
		last := map[property]string{}
		for _, m := range s.Runs[i].Mutations {
			if s.Runs[i].PassedAt(m.At) {
				last[m.property()] = m.New
			}
		}
		for p, is := range last {
			was, known := ends[p]
			out[p] = out[p] || known && was != is
			ends[p] = is
		}
	}
	return out
}

// plain are the attributes that show nowhere, and of which the suite does not speak.
func (s *Session) plain() map[property]Fate {
	shows := map[property]bool{}
	for i := range s.Runs {
		for _, m := range s.Runs[i].Mutations {
			shows[m.property()] = shows[m.property()] || !m.Plain
		}
	}
	words := strings.Join(s.words(), "\n")
	spoken, out := map[string]bool{}, map[property]Fate{}
	for p, is := range shows {
		if _, known := spoken[p.name]; !known && !is {
			spoken[p.name] = strings.Contains(words, strings.TrimPrefix(p.name, "@"))
		}
		if !is && !spoken[p.name] {
			out[p] = Plain
		}
	}
	return out
}

// words are all that the commands of a suite read, and find elements by, each once.
func (s *Session) words() []string {
	all := map[string]bool{}
	for i := range s.Runs {
		for j := range s.Runs[i].Commands {
			c := &s.Runs[i].Commands[j]
			all[c.Does], all[c.Reads] = true, true
			for _, l := range c.Finds() {
				all[l.Value] = true
			}
		}
	}
	return slices.Collect(maps.Keys(all))
}

// periodic reports whether most times lie about equally far apart.
func periodic(times []float64) bool {
	gaps := make([]float64, 0, len(times))
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i]-times[i-1])
	}
	sorted := slices.Sorted(slices.Values(gaps))
	middle := sorted[len(sorted)/2]
	near := 0
	for _, g := range gaps {
		if g >= middle*0.5 && g <= middle*1.5+5 {
			near++
		}
	}
	return near*10 >= len(gaps)*7
}

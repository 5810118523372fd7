package waiting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/waits/oracle"
)

// test tells of the commands and requests of a test in one run.
func (s *session) test(r *oracle.Run, p part, waits map[int]*oracle.Wait) Test {
	t := Test{Name: s.show.text(p.name), File: s.show.text(p.file), Session: s.name, Took: tenths(lasted(r, p)),
		Commands: []Command{}, Requests: []Request{}, Changes: []Change{}, Pruned: []Pruned{}}
	for _, i := range p.commands {
		if len(t.Commands) >= maxCommands {
			t.Left++
			continue
		}
		c := &r.Commands[i]
		one := Command{Does: s.show.text(c.Does), Source: s.show.text(c.Source), Acts: c.Kind == oracle.Acts,
			Start: tenths(c.Start - p.from), First: tenths(c.First.At - p.from), Given: tenths(c.Given.At - p.from),
			Answer: s.answer(c.Given)}
		if w := waits[i]; w != nil {
			one.Wait = s.wait(w)
		}
		t.Commands = append(t.Commands, one)
	}
	for _, q := range r.Requests {
		switch {
		case q.Browser != p.browser || q.Start < p.from || q.Start >= p.to:
		case len(t.Requests) >= maxRequests:
			t.Left++
		default:
			end := tenths(q.End - p.from)
			if q.End == 0 || end > t.Took {
				end = max(t.Took, tenths(q.Start-p.from))
			}
			t.Requests = append(t.Requests, Request{s.show.text(q.What), tenths(q.Start - p.from), end})
		}
	}
	return t
}

// answer says what a command was answered.
func (s *session) answer(a oracle.Answer) string { return s.show.text(cmp.Or(a.Error, a.Value)) }

// wait says what a command waits for.
func (s *session) wait(w *oracle.Wait) *Wait {
	out := &Wait{Early: w.Early, Of: w.Runs, Median: millis(w.Times.Median), Longest: millis(w.Times.Longest),
		Cap: millis(w.Cap())}
	switch {
	case len(w.After) > 0:
		var all []string
		for _, m := range w.After {
			all = append(all, fmt.Sprintf("%s of %s is %q", m.Property, m.Element, m.New))
		}
		out.Until = strings.Join(all, ", ")
	case w.Varies && w.Answer.Error == "":
		out.Until = "it is answered without an error"
	case w.Varies:
		out.Until = "it is answered; passing runs differ in what"
	case w.Answer.Error != "":
		out.Until = "it is refused: " + w.Answer.Error
	default:
		out.Until = "it is answered " + w.Answer.Value
	}
	out.Until = s.show.text(out.Until)
	return out
}

// changes tells of what changed in the pages of a test, and of what of it nothing waits for.
func (s *session) changes(t *Test, r *oracle.Run, p part, fates []oracle.Fate) {
	type kind struct {
		what string
		fate oracle.Fate
	}
	var order []kind
	count := map[kind]int{}
	for i, m := range r.Mutations {
		if m.Browser != p.browser || m.At < p.from || m.At >= p.to {
			continue
		}
		what := s.show.text(m.Property + " of " + m.Element)
		if k := (kind{what, fates[i]}); fates[i] != oracle.Awaited {
			if count[k] == 0 {
				order = append(order, k)
			}
			count[k]++
		}
		if len(t.Changes) >= maxChanges {
			t.Left++
			continue
		}
		t.Changes = append(t.Changes, Change{Element: s.show.text(m.Element), Property: s.show.text(m.Property),
			New: s.show.text(m.New), At: tenths(m.At - p.from), Fate: fates[i]})
	}
	slices.SortStableFunc(order, func(a, b kind) int { return count[b] - count[a] })
	for _, k := range order[:min(len(order), maxPruned)] {
		t.Pruned = append(t.Pruned, Pruned{k.what, FateWords(k.fate), count[k]})
	}
	if n := len(order) - maxPruned; n > 0 {
		t.Pruned = append(t.Pruned, Pruned{report.Count(n, "other property"), "not told one by one", n})
	}
}

// FateWords says why nothing waits for a change.
func FateWords(f oracle.Fate) string {
	switch f {
	case oracle.Background:
		return "background: it changes again and again, at about the same intervals"
	case oracle.Driven:
		return "background: a timer, or messages, from before what the suite did bring it about again and again"
	case oracle.Plain:
		return "it changes nothing that is seen, and the suite does not speak of it"
	case oracle.Hidden:
		return "it is not shown, or outside of the body"
	case oracle.Unasked:
		return "no client of WebDriver asks for it"
	case oracle.Direct:
		return "what the suite did, or the loading of the page, brought it about at once"
	case oracle.Undone:
		return "it came and went: before the next action it is as it was"
	case oracle.Passing:
		return "it changed once more before the next action"
	case oracle.Unneeded:
		return "no command came too early for it"
	}
	return "a command waits for it"
}

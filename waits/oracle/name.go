package oracle

import (
	"encoding/json"
	"slices"
	"strings"
)

// Name says how an element may be found by something of it that is likely to last. The best are by an id; then come
// those by an attribute for tests, by the role with the accessible name, and by the text.
type Name struct {
	By      string  `json:"by"`               // "id", "test id", "role", or "text"
	Locator Locator `json:"locator,omitzero"` // of WebDriver; the zero value where that has none, or it finds others too
	Role    string  `json:"role,omitempty"`
	Tag     string  `json:"tag,omitempty"`  // of a text: that of its element
	Text    string  `json:"text,omitempty"` // a text, an accessible name, or the value of data-testid
}

// ranks are the kinds of names, the best first.
var ranks = []string{"id", "test id", "role", "text"}

// Rank orders kinds of names: less is better. Whatever else finds an element has the last rank.
func Rank(by string) int {
	if i := slices.Index(ranks, by); i >= 0 {
		return i
	}
	return len(ranks)
}

// name keeps the names that the element of a command has in all passing runs that looked for some.
func (w *Wait) name(c *Command) {
	switch {
	case c.Names == nil:
	case w.Names == nil:
		w.Names = make([][]Name, len(c.Names))
		for i, step := range c.Names {
			w.Names[i] = slices.Clone(step)
		}
	case len(w.Names) != len(c.Names):
		w.Names = [][]Name{}
	default:
		for i, step := range c.Names {
			w.Names[i] = slices.DeleteFunc(w.Names[i], func(n Name) bool { return !slices.Contains(step, n) })
		}
	}
}

// steady takes the names out of waits that are no more than a moment's: texts that a page has changed in some run, or
// that are what the command itself is to be answered.
func (m *Model) steady(s *Session) {
	moved := map[string]bool{}
	for i := range s.Runs {
		for _, c := range s.Runs[i].Mutations {
			if c.Property == "text" || c.Property == "@aria-label" {
				moved[spaced(c.Old)], moved[spaced(c.New)] = true, true
			}
		}
	}
	for _, w := range m.order {
		for i, step := range w.Names {
			w.Names[i] = slices.DeleteFunc(step, func(n Name) bool {
				return (n.By == "role" || n.By == "text") && n.Text != "" && (moved[n.Text] || w.says(n.Text))
			})
		}
	}
}

// says reports whether a text is a part of what a command is to be answered, or was answered in the run that is kept.
func (w *Wait) says(text string) bool {
	return slices.ContainsFunc(append(w.Command.answers(), w.Answer), func(a Answer) bool {
		said := spaced(shown(a.Value))
		return said != "" && (strings.Contains(said, text) || strings.Contains(text, said))
	})
}

// spaced is a text with its white space as names have it.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// shown is a value as a page shows it: of a text, what its JSON says.
func shown(value string) (text string) {
	if json.Unmarshal([]byte(value), &text) != nil { // a number, or a list
		return value
	}
	return text
}

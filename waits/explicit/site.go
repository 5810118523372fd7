package explicit

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/waits/oracle"
)

// site is where a wait belongs, and what is waited for. Line and column count from 1; a column of 0 is not known.
type site struct {
	line, column int
	place        string // as the session has it
	driver       string // by what name the driver is known there, as far as the session says
	acted        int    // the line of the same run of its function that brought the last action about; 0 is another's
	wait         *oracle.Wait
}

func (s site) left(err error) Left { return Left{s.line, s.wait.Does, err.Error()} }

// sitesOf lists where a file's waits belong, in order, the lines on which it looks for elements from the driver
// itself, and what cannot be waited for.
func sitesOf(name string, m *oracle.Model) (sites []site, roots map[int]bool, left []Left) {
	roots = map[int]bool{}
	for _, w := range m.Waits() {
		if at, ok := placeIn(name, w.Source); ok {
			roots[at.line] = roots[at.line] || len(w.Command.Found) == 0
		}
	}
	type reading struct{ place, does string } // what a place reads, whenever it comes by
	all, seen := passagesOf(m), map[reading]bool{}
	for _, w := range m.Waits() {
		if !w.Prone() {
			continue
		}
		from, err := all.placeOf(w)
		s, ok := placeIn(name, from.Place)
		if key := (reading{from.Place, w.Does}); !ok || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		s.place, s.driver, s.acted, s.wait = from.Place, from.Driver, actedIn(w, from), w
		switch {
		case err != nil:
			left = append(left, s.left(err))
		case w.Varies && w.Command.By.Using == "":
			left = append(left, s.left(errVaries))
		default:
			sites = append(sites, s)
		}
	}
	return withoutDoubles(sites), roots, left
}

// withoutDoubles is sites without those that wait for an element to be there which another one of the same place
// reads.
func withoutDoubles(sites []site) []site {
	all := slices.Clone(sites)
	return slices.DeleteFunc(sites, func(s site) bool {
		return s.wait.Command.By.Using != "" && slices.ContainsFunc(all, func(o site) bool {
			return o.line == s.line && o.wait != s.wait && slices.Equal(o.wait.Command.Found, s.wait.Command.Finds())
		})
	})
}

// placeIn reads a source, file:line:column, of a file; ok is false where it is another's.
func placeIn(name, source string) (s site, ok bool) {
	file, line, column, ok := oracle.CutSource(source)
	if !ok {
		return s, false
	}
	return site{line: line, column: column}, isFile(name, file)
}

// isFile reports whether a name is that of a file of a session, as far as both say where it lies.
func isFile(name, file string) bool {
	file = path.Clean(file)
	for strings.HasPrefix(file, "../") {
		file = file[3:]
	}
	name = path.Clean(name)
	return file == name || strings.HasSuffix(name, "/"+file) || strings.HasSuffix(file, "/"+name)
}

// aim is what a wait asks again and again, in no language.
type aim struct {
	found []oracle.Locator // the element; none for the page
	reads string           // of it; "" where it has to be there, "all" where so many have to be, of by; or of the page, "windows": so many
	by    oracle.Locator
	is    string // as JSON
}

// reader is how a language reads what an aim reads; "" where it cannot. Of what has a name, as an attribute does,
// readers have the method, by "attribute …".
func (a aim) reader(readers map[string]string, literal func(string) string) string {
	if what, name, named := strings.Cut(a.reads, " "); named && readers[what+" …"] != "" {
		return readers[what+" …"] + "(" + literal(name) + ")"
	}
	return readers[a.reads]
}

// strategies are those by which WebDriver looks for elements, and shadow roots. Clients may have more.
var strategies = []string{"css selector", "link text", "partial link text", "tag name", "xpath", "shadow"}

// aimsOf says what a wait asks, all of which has to be so, where elements can be looked for by strategies, and by names
// that have a locator.
func aimsOf(w *oracle.Wait, strategies []string, has having) ([]aim, error) {
	c := w.Command
	element, all := c.Found, strings.HasPrefix(c.Does, "find all")
	switch {
	case len(w.After) > 0:
	case c.By.Using != "" && !(all && !w.Varies):
		element = selectors(c.Finds(), w.Names, has)
	case c.By.Using == "" && len(c.Found) > 0:
		element = selectors(c.Found, w.Names, has)
	}
	looked := element
	if all && !w.Varies {
		looked = c.Finds()
	}
	for _, l := range looked {
		if l.Using != "" && !slices.Contains(strategies, l.Using) {
			return nil, errUnread
		}
	}
	switch {
	case len(w.After) > 0:
		return stateOf(w.After)
	case c.Kind == oracle.Acts && len(c.Found) == 0:
		return nil, errUnread
	case c.Kind == oracle.Acts:
		return []aim{{found: element, reads: "displayed", is: "true"}}, nil
	case c.By.Using != "" && w.Answer.Error != "" && !w.Varies: // that it is not there, or not to be looked for so
		return nil, errUnread
	case all && !w.Varies:
		if _, err := strconv.ParseUint(w.Answer.Value, 10, 32); err != nil {
			return nil, errUnread
		}
		return []aim{{found: c.Found, reads: "all", by: c.By, is: w.Answer.Value}}, nil
	case c.By.Using != "":
		return []aim{{found: element}}, nil
	case w.Answer.Error != "":
		return nil, errUnread
	case c.Reads == "windows":
		if _, err := strconv.ParseUint(w.Answer.Value, 10, 32); err != nil {
			return nil, errUnread
		}
	}
	return []aim{{found: element, reads: c.Reads, is: w.Answer.Value}}, nil
}

// simpler is a locator with an id said as one.
func simpler(l oracle.Locator) oracle.Locator {
	if id, ok := strings.CutPrefix(l.Value, "#"); ok && l.Using == "css selector" && !strings.ContainsAny(id, " >.:[#,+~*\\\"'") {
		return oracle.Locator{Using: "id", Value: id}
	}
	return l
}

// Package structures reads the types that source declares: structs of Go with tags for JSON, interfaces, classes and
// types of TypeScript, annotated classes of Python, data classes of Kotlin, records of Java.
package structures

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/exchange"
)

// Structure is a type that the files declare: once one of its members is known as a field, the others are, and what
// lies within them.
type Structure struct {
	Name    string // "" where it is declared in the place of a member's type
	Line    int
	indent  int
	List    bool // the member whose type it is holds several
	Members []Member
}

// Member is a member of a structure.
type Member struct {
	Name string     // in JSON, where the file says so
	Type string     // as it is written
	In   *Structure // its own one
}

// Bounds of the structures of an API's files.
const (
	maxStructures = 300
	maxDeclared   = 60 // members of one
)

var (
	// How languages begin a type with members: type page struct, interface Page, class Page(BaseModel):, Items []struct.
	opening = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:export\s+|public\s+|private\s+|static\s+|final\s+)*(?:type|interface|class|data class|struct)\s+(\w+)[^{:(=]*(?:\{|:\s*$|\([^)]*\)?\s*:?\s*\{?\s*$|=\s*\{)|\b(?:struct|interface)\s*\{\s*$`)
	})
	// A member whose name in JSON is in a tag; that which a structure of its own closes has no type before it.
	tagged = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^\\s*(?:\\w+\\s+([\\w.\\[\\]*]+)|\\})\\s+`[^`]*json:\"([\\w-]+)")
	})
	// A member in languages whose types stand behind a colon.
	colon = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:(?:public|private|readonly|override|val|var|pub)\s+)*["']?([a-z_]\w*)["']?\??\s*:\s*([A-Za-z_][\w.<>\[\]| ,]*?)\??\s*(?:=[^>].*)?[;,]?\s*$`)
	})
	// The parameters of a record, and one of them.
	record    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brecord\s+(\w+)\s*\(([^()]*)\)`) })
	parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\w.<>\[\], ]+?)\s+(\w+)\s*(?:,|$)`) })
)

// Read returns the types that a text declares, whose first line is the one behind that of the number. What they hold is
// told by how far lines are indented.
func Read(text string, line int) (all []*Structure) {
	var open []*Structure
	add := func(s *Structure) {
		if len(all) < maxStructures {
			all = append(all, s)
		}
	}
	for l := range strings.Lines(text) {
		line++
		trimmed := strings.TrimSpace(l)
		if trimmed == "" || len(l) > 300 {
			continue
		}
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		var closed *Structure
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			closed = open[len(open)-1]
			open = open[:len(open)-1]
		}
		if m := record().FindStringSubmatch(l); m != nil {
			s := &Structure{Name: m[1], Line: line}
			for _, p := range parameter().FindAllStringSubmatch(m[2], maxDeclared) {
				s.add(p[2], p[1], nil)
			}
			add(s)
			continue
		}
		if len(open) > 0 {
			in := open[len(open)-1]
			if m := tagged().FindStringSubmatch(l); m != nil {
				if m[1] == "" && closed != nil {
					in.add(m[2], "", closed)
				} else {
					in.add(m[2], m[1], nil)
				}
			} else if m := colon().FindStringSubmatch(l); m != nil {
				in.add(m[1], m[2], nil)
			}
		}
		if m := opening().FindStringSubmatch(l); m != nil {
			s := &Structure{Name: m[1], Line: line, indent: indent, List: strings.Contains(l, "[]struct")}
			add(s)
			open = append(open, s)
		}
	}
	return all
}

// add adds a member of a type, or of a structure of its own.
func (s *Structure) add(name, of string, in *Structure) {
	if len(s.Members) >= maxDeclared {
		return
	}
	s.Members = append(s.Members, Member{Name: name, Type: of, In: in})
}

// Field is a member where an answer has it: what its type says, which may be that of a structure.
type Field struct {
	Place  exchange.Place
	Type   string // "" where it is declared in its place
	List   bool   // of structures
	Object bool
}

// Bounds of what is known with one member of a structure: structures within each other, and how far the path of an
// endpoint may be from it, in lines, to tell it from others.
const (
	maxWithin = 4
	Near      = 80
)

var typeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_]\w*`) })

// With are the fields that are declared in the same structure as one that is known, and what lies within all of them.
// Of several structures with such a member it is the one whose line is nearest, as far says; where several are as near,
// none. isList says whether a type is that of a list.
func With(all []*Structure, known exchange.Place, far func(line int) int, isList func(string) bool) (out []Field) {
	segments := known.Segments()
	in := holding(all, segments[len(segments)-1], far)
	if in == nil {
		return nil
	}
	var walk func(s *Structure, at exchange.Place, depth int)
	walk = func(s *Structure, at exchange.Place, depth int) {
		for _, m := range s.Members {
			f, within := Field{Place: at.Key(m.Name), Type: m.Type}, m.In
			if within == nil {
				within = named(all, typeName().FindAllString(m.Type, 6), s)
			}
			if within == nil || depth == 0 {
				out = append(out, f)
				continue
			}
			f.List = m.In != nil && m.In.List || isList(m.Type)
			f.Object = !f.List
			out = append(out, f)
			if f.List {
				walk(within, f.Place.Each(), depth-1)
			} else {
				walk(within, f.Place, depth-1)
			}
		}
	}
	walk(in, known.Parent(), maxWithin)
	return out
}

// named is the structure that one of some names stands for; nil where there is none but the one itself.
func named(all []*Structure, names []string, than *Structure) *Structure {
	for _, s := range all {
		if s.Name != "" && s != than && slices.Contains(names, s.Name) {
			return s
		}
	}
	return nil
}

// holding is the nearest structure with a member of a name; nil where there is none, or several are as near.
func holding(all []*Structure, member string, far func(line int) int) *Structure {
	all = slices.DeleteFunc(slices.Clone(all), func(s *Structure) bool {
		return !slices.ContainsFunc(s.Members, func(m Member) bool { return m.Name == member })
	})
	slices.SortStableFunc(all, func(s, t *Structure) int { return cmp.Compare(far(s.Line), far(t.Line)) })
	if len(all) == 0 || len(all) > 1 && far(all[0].Line) == far(all[1].Line) {
		return nil
	}
	return all[0]
}

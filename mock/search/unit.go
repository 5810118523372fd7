package search

import (
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/records"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Unit is what a compiled file has of one class, or one struct: what is in it stands together, in the order that it has
// there.
type Unit struct {
	Members []Member
	Texts   []string // constants
	Numbers []float64
}

// Member is a field that a [Unit] declares.
type Member struct {
	Name  string    // in JSON, where the unit gives that, else in the source
	Own   string    // in the source, where Name is the one in JSON; else ""
	Given bool      // Name is the one in JSON
	Kind  kind.Kind // Unknown where the type tells nothing
	Of    []Member  // what it has where it is an object, or what its elements have where it is a list
}

var (
	plainWord = lazy.Regexp(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)
	plainPath = lazy.Regexp(`^/?[A-Za-z]\w{0,39}(?:[./][A-Za-z]\w{0,39}){1,4}$`)
)

// Bounds of the texts of a unit that are read for words: how many, and how long.
const (
	maxUnitTexts = 5000
	maxUnitText  = 2000
)

// AddUnit takes the words of a class, or of a struct: each of them stands in a line of its own, far from other units.
func (w *Words) AddUnit(u Unit) {
	w.open()
	from := w.line
	w.kin.reads.BeginStruct()
	w.addRecord(records.Of(0, membersOf(u.Members)), from)
	for _, m := range u.Members {
		w.line++
		w.addMember(m)
	}
	for _, text := range u.Texts[:min(len(u.Texts), maxUnitTexts)] {
		w.line++
		if len(text) > maxUnitText {
			continue
		}
		if plainWord().MatchString(text) {
			w.quoted = w.addWord(w.quoted, text)
		}
		w.addSegments(text)
		if plainPath().MatchString(text) {
			w.addChain(tree.Steps(text, tree.MaxDepth))
		}
	}
	for _, n := range u.Numbers {
		w.line++
		w.addNumber(n)
	}
	w.addOwned(from)
	w.line += 1000
}

func (w *Words) addMember(m Member) {
	if !plainWord().MatchString(m.Name) {
		return
	}
	if m.Given {
		w.quoted = w.addWord(w.quoted, m.Name)
	} else {
		w.members = w.addWord(w.members, m.Name)
	}
	if m.Own != "" {
		w.own[lines.Key(m.Name)] = lines.Key(m.Own)
	}
	w.declare(m.Name, m.Kind)
	w.kin.reads.AddMember(m.Name, w.line)
}

// membersOf are the members of a record by those of a unit whose names in JSON are given.
func membersOf(all []Member) (out []records.Member) {
	for _, m := range all {
		if m.Given {
			out = append(out, records.Member{Name: m.Name, Kind: string(m.Kind), Of: membersOf(m.Of)})
		}
	}
	return out
}

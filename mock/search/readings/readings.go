// Package readings tells which names the files of an API read of one thing: of a variable, or as members of a struct.
package readings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Reading is a name that is read of a thing, which is told by its own name, in a line.
type Reading struct {
	Of, Name string
	Line     int
}

// Readings are those of all files, whose lines are numbered through.
type Readings struct {
	All     []Reading
	structs int // how many there were
}

// Bounds of what is read of one thing.
const (
	maxReadings = 2000
	maxPeers    = 12
	sameThing   = 40 // lines within which a name stands for one thing
)

// How a line reads a name of something: thing["name"], thing.get("name"), read(thing, "name"), thing.name.
var readingOf = lazy.Regexp(`([A-Za-z_]\w*)(?:\??\.?\[\s*|\??\.\w+\(\s*|,\s*)["']([A-Za-z][\w-]{0,39})["']|\b([A-Za-z_]\w*)\??\.([a-z]\w*)\b(\(?)`)

// AddLine takes what a line of a number reads.
func (r *Readings) AddLine(line string, number int) {
	for _, m := range readingOf().FindAllStringSubmatch(line, 20) {
		if m[5] == "" { // a method is no member
			r.add(Reading{m[1] + m[3], m[2] + m[4], number})
		}
	}
}

// Begin begins a struct if the line does.
func (r *Readings) Begin(line string) {
	if strings.Contains(line, "struct {") {
		r.BeginStruct()
	}
}

// BeginStruct begins a struct, whose members are added by AddMember.
func (r *Readings) BeginStruct() { r.structs++ }

// AddMember takes a member of the struct that was begun last.
func (r *Readings) AddMember(name string, line int) {
	r.add(Reading{fmt.Sprint("struct ", r.structs), name, line})
}

func (r *Readings) add(one Reading) {
	if len(r.All) < maxReadings {
		r.All = append(r.All, one)
	}
}

// Peers are the names, of those that are known, which are read of what a name is read of, the nearest first.
func (r *Readings) Peers(name string, known func(name string) bool) []string {
	far := map[string]int{}
	for _, one := range r.All {
		if one.Name != name {
			continue
		}
		for _, o := range r.All {
			d := max(o.Line-one.Line, one.Line-o.Line)
			if o.Of != one.Of || o.Name == name || d > sameThing || !known(o.Name) {
				continue
			}
			if before, is := far[o.Name]; !is || d < before {
				far[o.Name] = d
			}
		}
	}
	out := slices.SortedFunc(maps.Keys(far), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b))
	})
	return out[:min(len(out), maxPeers)]
}

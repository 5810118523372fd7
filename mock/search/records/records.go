package records

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Record is a type whose fields are read of JSON together.
type Record struct {
	Line int // where its fields begin, from 1; 0 where that is not known
	// Fields has those that lie within others behind these. Elements of lists are none.
	Fields []Field
}

// Field is a member of a record, or of what one of them holds.
type Field struct {
	Place exchange.Place // below the body; elements of lists are *
	// Kind is the type in JSON, as JSON Schema names it, with list for array; "" where the declaration does not say.
	Kind string
}

// Member is a field of a record as it is declared.
type Member struct {
	Name string   // in JSON
	Kind string   // see [Field]
	Of   []Member // what it has where it is an object, or what its elements have where it is a list
}

// The kinds that hold members.
const (
	list   = "list"
	object = "object"
)

// Bounds of what a record holds.
const (
	maxDepth  = 6
	maxFields = 200
)

// Of is the record that begins in a line, and declares some members.
func Of(line int, members []Member) Record {
	type level struct {
		at      exchange.Place
		members []Member
	}
	r := Record{Line: line}
	next := []level{{exchange.PlaceBody, members}}
	for range maxDepth {
		levels := next
		next = nil
		for _, l := range levels {
			for _, m := range l.members {
				if len(r.Fields) >= maxFields {
					return r
				}
				p := l.at.Key(m.Name)
				r.Fields = append(r.Fields, Field{p, m.Kind})
				if m.Kind == list {
					p = p.Each()
				}
				next = append(next, level{p, m.Of})
			}
		}
	}
	return r
}

// Has reports whether a record has a field at a place.
func (r Record) Has(p exchange.Place) bool {
	return slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Place == p })
}

// Kind is the kind with which records declare the field at a place; "" where none does, or they differ.
func Kind(all []Record, p exchange.Place) (kind string) {
	for _, r := range all {
		for _, f := range r.Fields {
			switch {
			case f.Place != p || f.Kind == kind || f.Kind == "":
			case kind != "":
				return ""
			default:
				kind = f.Kind
			}
		}
	}
	return kind
}

package parts

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// job is what all parts of a judgement begin with.
type job struct {
	Build           string // of the program
	Recording, Runs []byte // as JSON
	Producers       map[uint64]exchange.Operation
	Bindings        []exchange.Binding // without their uses
	Redactor        exchange.Redactor
	Environment     []string
}

// list is what one part is made of.
type list struct {
	Blocks []int
	Totals volatility.Totals
}

// build names the program as exactly as it knows itself.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	name := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			name += " " + s.Value
		}
	}
	return name
}

// encodeCase returns the job of a case.
func encodeCase(c *volatility.Case) ([]byte, error) {
	j := job{Build: build(), Producers: c.Producers(), Bindings: slices.Clone(c.Bindings),
		Redactor: c.Options.Redactor, Environment: c.Options.Environment}
	for i := range j.Bindings {
		j.Bindings[i].Uses = nil
	}
	var err error
	if j.Recording, err = json.Marshal(c.Recording); err != nil {
		return nil, err
	}
	if j.Runs, err = json.Marshal(c.Runs); err != nil {
		return nil, err
	}
	return encode(j)
}

// decodeCase reads what encodeCase wrote in the same build of the program.
func decodeCase(content []byte) (*volatility.Case, error) {
	var j job
	if err := decode(content, &j); err != nil {
		return nil, err
	}
	if own := build(); j.Build != own {
		return nil, fmt.Errorf("this map is judged by flaketap %s, and this is %s: give all the same one", j.Build, own)
	}
	c := &volatility.Case{Operations: j.Producers, Bindings: j.Bindings,
		Options: volatility.Options{Redactor: j.Redactor, Environment: j.Environment}}
	if err := json.Unmarshal(j.Recording, &c.Recording); err != nil {
		return nil, err
	}
	return c, json.Unmarshal(j.Runs, &c.Runs)
}

// found is what was found about an operation. Where a length is 0 that is said apart, as gob drops it.
type found struct {
	Operation       *verdict.Operation
	NoMin, NoLength []int // the places whose least, and largest, length is 0
}

// encodeFound returns what was found in a part.
func encodeFound(all []*verdict.Operation) ([]byte, error) {
	out := make([]found, len(all))
	for i, o := range all {
		out[i].Operation = o
		for n, p := range o.Places {
			if h := p.Field.Holds; h.MinLength != nil && *h.MinLength == 0 {
				out[i].NoMin = append(out[i].NoMin, n)
			}
			if h := p.Field.Holds; h.MaxLength != nil && *h.MaxLength == 0 {
				out[i].NoLength = append(out[i].NoLength, n)
			}
		}
	}
	return encode(out)
}

// decodeFound reads what encodeFound wrote.
func decodeFound(content []byte) ([]*verdict.Operation, error) {
	var in []found
	if err := decode(content, &in); err != nil {
		return nil, err
	}
	var all []*verdict.Operation
	for _, f := range in {
		if f.Operation == nil {
			return nil, errCut
		}
		for _, p := range f.Operation.Places {
			if p == nil || p.Field == nil || slices.ContainsFunc(p.Field.Holds.Relations, ofNothing) {
				return nil, errCut
			}
			p.Field.Warnings = filled(p.Field.Warnings)
			p.Field.Fingerprints = filled(p.Field.Fingerprints)
		}
		if err := lengths(f.Operation, f.NoMin, func(h *mapfile.Holds) { h.MinLength = new(int) }); err != nil {
			return nil, err
		}
		if err := lengths(f.Operation, f.NoLength, func(h *mapfile.Holds) { h.MaxLength = new(int) }); err != nil {
			return nil, err
		}
		all = append(all, f.Operation)
	}
	return all, nil
}

// ofNothing reports whether a relation is none, as it has no other place.
func ofNothing(r relation.Relation) bool { return len(r.Of) == 0 }

func lengths(o *verdict.Operation, places []int, set func(*mapfile.Holds)) error {
	for _, n := range places {
		if n < 0 || n >= len(o.Places) {
			return errCut
		}
		set(&o.Places[n].Field.Holds)
	}
	return nil
}

// filled returns a list that is one, be it empty.
func filled(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(content []byte, v any) error {
	return gob.NewDecoder(bytes.NewReader(content)).Decode(v)
}

package index

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Name is the name of the index in the folder of a search.
const Name = "index.json"

// most bounds the behaviors, and the fields, of an index: a search tries far fewer.
const most = 100_000

// ErrOther says that a file is something else than the index of a search.
var ErrOther = errors.New("it is not the index of a search")

// Found is what an index says.
type Found struct {
	Behaviors []Listed // the stubs of each lie in the folder that [Folder] names by its position
	Fields    []search.Field
}

// Listed is what an index says of a behavior.
type Listed struct {
	Findings []search.Finding
	Whole    bool // it has stubs whose answers are whole, in the folder that [WholeFolder] names
}

// Decode reads an index. The error is [ErrOther], or says which folder it names where another one is wanted, or of
// what it has too much.
func Decode(data []byte) (found Found, err error) {
	var read struct {
		Flaketap  string
		Behaviors []struct {
			Stubs    string
			Whole    string
			Findings []search.Finding
		}
		Fields []struct {
			Endpoint struct{ Service, Method, Path string }
			Field    exchange.Place
			Types    []kind.Kind
			Values   []any
			Source   search.Source
		}
	}
	if err := json.Unmarshal(data, &read); err != nil || read.Flaketap != "mock-search" {
		return found, ErrOther
	}
	if len(read.Behaviors) > most || len(read.Fields) > most {
		return found, fmt.Errorf("the index has %d behaviors and %d fields: it has %d at most", len(read.Behaviors), len(read.Fields), most)
	}
	for i, b := range read.Behaviors {
		if b.Stubs != Folder(i) { // it might lead out of the folder
			return found, fmt.Errorf("the index names the folder %q, want %q", b.Stubs, Folder(i))
		}
		if b.Whole != "" && b.Whole != WholeFolder(i) {
			return found, fmt.Errorf("the index names the folder %q, want %q", b.Whole, WholeFolder(i))
		}
		found.Behaviors = append(found.Behaviors, Listed{b.Findings, b.Whole != ""})
	}
	for _, f := range read.Fields {
		found.Fields = append(found.Fields, search.Field{Endpoint: search.Endpoint(f.Endpoint), Place: f.Field,
			Kinds: f.Types, Values: f.Values, Source: f.Source})
	}
	return found, nil
}

package mock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// Bounds of what is read.
const (
	maxFile  = 64 << 20
	maxStubs = 100_000
)

// ReadStubs reads the stubs of a folder: each file *.json in it, or, where it has a folder mappings, below that, in the
// order of their names; bodies that stubs name as files come from its folder __files. An error names the file and the
// mapping that is wrong.
func ReadStubs(dir fs.FS) ([]Stub, error) {
	root := "."
	if info, err := fs.Stat(dir, "mappings"); err == nil && info.IsDir() {
		root = "mappings"
	}
	var names []string
	err := fs.WalkDir(dir, root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && root == "." && name != ".":
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".json"):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read stubs: %w", err)
	}
	slices.Sort(names)
	var all []Stub
	for _, name := range names {
		data, err := readFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read stubs: %w", err)
		}
		if isIndex(data) {
			return nil, fmt.Errorf("read stubs: %s: it is the index of what mock search found; the stubs of each behavior lie in "+
				"a folder beside it: name one of these, such as 001", name)
		}
		stubs, err := ParseStubs(data, func(file string) ([]byte, error) { return readFile(dir, path.Join("__files", file)) })
		if err != nil {
			return nil, fmt.Errorf("read stubs: %s: %w", name, err)
		}
		for i := range stubs {
			if stubs[i].Name == "" {
				stubs[i].Name = fmt.Sprintf("%s, mapping %d", name, i+1)
			}
		}
		if all = append(all, stubs...); len(all) > maxStubs {
			return nil, fmt.Errorf("read stubs: %s: there are more than %d", name, maxStubs)
		}
	}
	return all, nil
}

// isIndex reports whether a file is the one that a search for behaviors leaves beside the folders of their stubs.
func isIndex(data []byte) bool {
	var index struct{ Flaketap string }
	return json.Unmarshal(data, &index) == nil && index.Flaketap == "mock-search"
}

// readFile reads a file of the folder.
func readFile(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}
	return fs.ReadFile(dir, name)
}

// file is a file of mappings: one, or a list. Host is of flaketap alone: the host, or host:port, of all of them.
type file struct {
	Host     string            `json:"host"`
	Mappings []json.RawMessage `json:"mappings"`
	Meta     json.RawMessage   `json:"meta"`
}

// NoFile is what [ParseStubs] reads bodies by where mappings have no folder: it refuses those that are files.
func NoFile(name string) ([]byte, error) {
	return nil, fmt.Errorf("there is no file %s: write the body into the mapping", name)
}

// ParseStubs reads the stubs of one file. Bodies that are files of their own are read by a function.
func ParseStubs(data []byte, body func(name string) ([]byte, error)) ([]Stub, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("line %d: %w", 1+bytes.Count(data[:syntax.Offset], []byte("\n")), err)
		}
		return nil, fmt.Errorf("it must be an object of JSON with mappings, or a mapping: %w", err)
	}
	f := file{Mappings: []json.RawMessage{data}}
	if _, several := keys["mappings"]; several {
		f.Mappings = nil
		if err := strict(data, &f); err != nil {
			return nil, err
		}
	}
	if strings.ContainsAny(f.Host, "/ ") {
		return nil, fmt.Errorf("host must be a name or an address, such as rates.example.com or rates.example.com:8080, got %q", f.Host)
	}
	stubs := make([]Stub, 0, len(f.Mappings))
	for i, raw := range f.Mappings {
		stub, err := parseMapping(raw, body)
		if err != nil {
			return nil, fmt.Errorf("mapping %d: %w", i+1, err)
		}
		stub.Request.Service = strings.ToLower(f.Host)
		stubs = append(stubs, stub)
	}
	return stubs, nil
}

// strict decodes JSON into a struct that has all of its members.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		return nil
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		meant := ""
		if word, err := strconv.Unquote(name); err == nil {
			meant = console.Slip(word, namesOf(reflect.TypeOf(into)))
		}
		if meant != "" {
			return fmt.Errorf("%s is not served; did you mean %q?", name, meant)
		}
		return fmt.Errorf("%s is not served", name)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%q must be %s, got %s", wrong.Field, inJSON(wrong.Type), wrong.Value)
	}
	return err
}

// namesOf are the names that a type has in JSON, and those of what lies within.
func namesOf(t reflect.Type) (names []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return namesOf(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			names = append(append(names, cmp.Or(f.Tag.Get("json"), strings.ToLower(f.Name))), namesOf(f.Type)...)
		}
	}
	return names
}

// inJSON names the type of JSON that is read to one of Go.
func inJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return `an object, such as {"equalTo": "…"} where it says what something has to be`
	}
	return "a number"
}

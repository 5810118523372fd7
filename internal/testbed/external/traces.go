package external

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Trace says where one field of a service's answer surfaces in what the API does about one request, sent alone after
// POST /reset: what changes there if the field alone has another value of its type, in a flow that goes well.
type Trace struct {
	Request int    `json:"request"` // the index in Labels.Requests
	Call    string `json:"call"`    // as Field has it
	Host    string `json:"host"`
	Pointer string `json:"pointer"` // as Field has it
	// Surfaces are all of them; none where the API reads the field for this request and nothing comes of it. A field that
	// surfaces in the status may end the request: the rest of the answer and the calls that would have come next are then
	// missing, which is not listed, and no mistake of who says so.
	Surfaces []Surface `json:"surfaces"`
	How      string    `json:"how,omitempty"` // one of Hows, the first that one of the surfaces is; empty where there is none
}

// Hows are the ways in which a value of a service gets to where it surfaces.
func Hows() []string {
	return []string{
		"copied",  // as it is, also into a path or a body
		"altered", // in another form: in capitals, a part of it, rounded, in another unit
		"derived", // by reckoning with others, or by counting
		"decides", // something else is chosen by it
	}
}

// Surface is one place where a field surfaces.
type Surface struct {
	In string `json:"in"` // status, answer or call
	// Pointer is a place of the API's answer, for "answer": RFC 6901, with * for each element where the elements change,
	// and the array itself where it has more or fewer of them, or is not there.
	Pointer string `json:"pointer,omitempty"`
	// Call and Host are the call whose target or body, number or presence changes, for "call".
	Call string `json:"call,omitempty"`
	Host string `json:"host,omitempty"`
	// Given says what it takes beyond another plausible value in the usual answers of proof.json, which are all good: one
	// of Givens, or empty where that is enough.
	Given string `json:"given,omitempty"`
}

// Givens are what surfaces may take. Whoever tries good answers with plausible values finds the first; of the others,
// nobody has to know.
func Givens() []string {
	return []string{
		"branch",  // other fields have values that lead another way, too: a parcel is delivered, and then someone has signed
		"odd",     // the value is of the right type, and no service sends it that is well: empty, no date, a negative price
		"failure", // a service answers with a status that is no success
		"header",  // it is a header of the call that changes, and that alone
	}
}

// ReadTraces reads the traces of the API in a folder, and holds them against its labels: each is of a field that has a
// label, and says where.
func ReadTraces(dir string) ([]Trace, error) {
	l, err := Load(dir)
	if err != nil {
		return nil, err
	}
	var traces []Trace
	if err := decodeFile(filepath.Join(dir, "traces.json"), &traces); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range traces {
		t := &traces[i]
		key := fmt.Sprint(t.Request, t.Host, t.Call, t.Pointer)
		if seen[key] {
			return nil, fmt.Errorf("check traces of %s: trace %d: %s %s is there twice", dir, i, t.Call, t.Pointer)
		}
		seen[key] = true
		if err := t.check(l); err != nil {
			return nil, fmt.Errorf("check traces of %s: trace %d: %w", dir, i, err)
		}
	}
	return traces, nil
}

func (t *Trace) check(l *Labels) error {
	at := slices.IndexFunc(l.Services, func(s Service) bool { return s.Host == t.Host })
	switch {
	case t.Request < 0 || t.Request >= len(l.Requests):
		return fmt.Errorf("there is no request %d", t.Request)
	case at < 0:
		return fmt.Errorf("%s is no host of a service", t.Host)
	case !slices.ContainsFunc(l.Services[at].Fields, func(f Field) bool {
		return f.Call == t.Call && f.Pointer == t.Pointer
	}):
		return fmt.Errorf("%s %s is no field of %s", t.Call, t.Pointer, t.Host)
	case len(t.Surfaces) == 0 && t.How != "", len(t.Surfaces) > 0 && !slices.Contains(Hows(), t.How):
		return fmt.Errorf("the field surfaces in %d places, and how is %q", len(t.Surfaces), t.How)
	}
	seen := map[Surface]bool{}
	for _, s := range t.Surfaces {
		if seen[s] {
			return fmt.Errorf("a surface is there twice: %+v", s)
		}
		seen[s] = true
		if err := s.check(l); err != nil {
			return err
		}
	}
	return nil
}

func (s Surface) check(l *Labels) error {
	method, path, _ := strings.Cut(s.Call, " ")
	switch {
	case s.Given != "" && !slices.Contains(Givens(), s.Given):
		return fmt.Errorf("%q is nothing that a surface needs", s.Given)
	case s.In == "status" && s == Surface{In: s.In, Given: s.Given}:
		return nil
	case s.In == "answer" && s == Surface{In: s.In, Given: s.Given, Pointer: s.Pointer} && isPointer(s.Pointer):
		return nil
	case s.In != "call" || s.Pointer != "" || method == "" || !strings.HasPrefix(path, "/"):
		return fmt.Errorf("a surface is no status, no place of an answer, and no call: %+v", s)
	case !slices.ContainsFunc(l.Services, func(v Service) bool { return v.Host == s.Host }):
		return fmt.Errorf("%s is no host of a service", s.Host)
	}
	return nil
}

// isPointer reports whether a text is a JSON Pointer (RFC 6901).
func isPointer(text string) bool {
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(text)
	return (text == "" || strings.HasPrefix(text, "/")) && !strings.Contains(rest, "~")
}

package external

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Labels says what an API calls, and what it does.
type Labels struct {
	About    []string  `json:"about"` // what the API is, for people
	Services []Service `json:"services"`
	// Behaviors are what the API does, each on purpose.
	Behaviors []Label `json:"behaviors"`
	// Bugs are what it does by mistake. The variable MEND switches each off by its ID.
	Bugs []Label `json:"bugs"`
	// Requests are those of requests.json: what Label.Request counts.
	Requests []Request `json:"-"`
}

// Service is one that the API calls.
type Service struct {
	Name   string  `json:"name"` // the name that SERVICES has for it
	Scheme string  `json:"scheme"`
	Host   string  `json:"host"`
	Port   int     `json:"port"`
	Fields []Field `json:"fields"` // what the API reads of its answers
}

// Field is a part of a service's answer that the API reads.
type Field struct {
	Call    string `json:"call"`    // the method and the template of the path: GET /meters/{id}
	Pointer string `json:"pointer"` // RFC 6901, with * for each element of an array; header/NAME for a header
	Type    string `json:"type"`    // string, number, boolean, array or object
}

// Request is one that a client sends to the API.
type Request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"` // with the query
	Header map[string]string `json:"headers,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// Label is a behavior or a bug: what brings it about, and how it is recognised. It is recognised where everything holds
// that is said of status, headers, body, calls and time; what is not said may be anything.
type Label struct {
	ID       string `json:"id"`
	Endpoint string `json:"endpoint"`
	Kind     string `json:"kind,omitempty"` // of a bug, one of Kinds
	Answers  string `json:"answers"`        // what answers of the services bring it about, for people
	// Request has the indexes of the requests that show it, each alone; After has those that must be sent before, if any.
	Request Numbers   `json:"request"`
	After   []int     `json:"after,omitempty"`
	Status  Numbers   `json:"status,omitempty"`
	Headers []Pattern `json:"headers,omitempty"`
	Body    []Part    `json:"body,omitempty"`
	Calls   []Calls   `json:"calls,omitempty"`
	// Hangs is a number of seconds: the API has not answered after that time.
	Hangs float64 `json:"hangs,omitempty"`
}

// Kinds are the kinds of bugs.
func Kinds() []string {
	return []string{
		"crash",   // 500, with a trace on stderr
		"leak",    // a trace in the answer
		"hang",    // no answer while a service gives none
		"endless", // the same call again and again
		"wrong",   // an answer that is not true: a success after a failure, above all
		"undone",  // what was begun at a service is not undone after a failure
	}
}

// Numbers are those that are meant, written as a number or as a list of numbers. No status means any.
type Numbers []int

// UnmarshalJSON reads both forms.
func (n *Numbers) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]int)(n))
	}
	*n = Numbers{0}
	return json.Unmarshal(data, &(*n)[0])
}

// Pattern says what a header has to look like.
type Pattern struct {
	Name    string `json:"name"`
	Matches Regexp `json:"matches"`
}

// Part says what a part of a JSON body has to be. The pointer "" is the whole body, as text if it is matched.
type Part struct {
	Pointer string            `json:"pointer"`
	Equals  json.RawMessage   `json:"equals,omitempty"`
	Not     []json.RawMessage `json:"not,omitempty"`     // it is there, and none of these
	Matches Regexp            `json:"matches,omitempty"` // it is a text that matches; of other values, their JSON
	Absent  bool              `json:"absent,omitempty"`
}

// Calls says how often the API calls a service: at least once where neither bound is given.
type Calls struct {
	Host     string    `json:"host"`
	Method   string    `json:"method,omitempty"` // any where it is empty
	Path     Regexp    `json:"path,omitempty"`   // of the path with its query
	Min      *int      `json:"min,omitempty"`
	Max      *int      `json:"max,omitempty"`
	Answered *Answered `json:"answered,omitempty"` // counts only the calls that were answered so
}

// Answered says what a service answered to a call.
type Answered struct {
	Status Numbers `json:"status,omitempty"`
	Fault  bool    `json:"fault,omitempty"` // nothing that is HTTP, or not in time
}

// Regexp is a regular expression that is found somewhere in a text; the empty one in each.
type Regexp struct{ *regexp.Regexp }

// UnmarshalText compiles it.
func (r *Regexp) UnmarshalText(text []byte) (err error) {
	r.Regexp, err = regexp.Compile(string(text))
	return err
}

func (r Regexp) in(text string) bool { return r.Regexp == nil || r.MatchString(text) }

// Load reads the labels and the requests of the API in a folder, and checks what can be checked without running it.
func Load(dir string) (*Labels, error) {
	l := &Labels{}
	if err := decodeFile(filepath.Join(dir, "labels.json"), l); err != nil {
		return nil, err
	}
	if err := decodeFile(filepath.Join(dir, "requests.json"), &l.Requests); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("check labels of %s: %w", dir, err)
	}
	return l, nil
}

// decodeFile reads a file of JSON. A member that it does not know is an error: a label that is misspelt says nothing.
func decodeFile(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("read labels: %s: %w", path, err)
	}
	return nil
}

func (l *Labels) check() error {
	seen := map[string]bool{}
	for i, label := range slices.Concat(l.Behaviors, l.Bugs) {
		bug := i >= len(l.Behaviors)
		switch {
		case label.ID == "" || seen[label.ID]:
			return fmt.Errorf("the id %q is empty or used twice", label.ID)
		case bug != slices.Contains(Kinds(), label.Kind):
			return fmt.Errorf("%s: the kind %q is that of no bug, or a bug has none", label.ID, label.Kind)
		case len(label.Request) == 0:
			return fmt.Errorf("%s: no request shows it", label.ID)
		case len(label.Status)+len(label.Body)+len(label.Calls) == 0 && label.Hangs == 0:
			return fmt.Errorf("%s: nothing tells it", label.ID)
		}
		seen[label.ID] = true
		for _, request := range slices.Concat(label.Request, label.After) {
			if request < 0 || request >= len(l.Requests) {
				return fmt.Errorf("%s: there is no request %d", label.ID, request)
			}
		}
		for _, c := range label.Calls {
			if !slices.ContainsFunc(l.Services, func(s Service) bool { return s.Host == c.Host }) {
				return fmt.Errorf("%s: %s is no host of a service", label.ID, c.Host)
			}
		}
	}
	return nil
}

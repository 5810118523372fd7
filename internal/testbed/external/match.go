package external

import (
	"encoding/json"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Outcome is what was seen of one request to the API: its answer, and the calls that the API made meanwhile.
type Outcome struct {
	Request  int // the index in Labels.Requests
	Status   int // 0 where there was no answer
	Header   http.Header
	Body     []byte
	Calls    []Call
	Hang     bool // there was no answer, and nobody waits any longer
	Duration time.Duration
}

// Call is one call of a service.
type Call struct {
	Method string
	Host   string // with or without the port
	Path   string // with the query
	Status int    // what was answered; 0 where that was not HTTP, or nothing in time
}

// Matches reports whether the outcome is what the label is about.
func (l *Label) Matches(o *Outcome) bool {
	switch {
	case !slices.Contains(l.Request, o.Request),
		len(l.Status) > 0 && !slices.Contains(l.Status, o.Status),
		l.Hangs > 0 && !o.Hang && o.Duration.Seconds() < l.Hangs:
		return false
	}
	for _, h := range l.Headers {
		if value := o.Header.Values(h.Name); len(value) == 0 || !h.Matches.in(value[0]) {
			return false
		}
	}
	for _, c := range l.Calls {
		if !c.holds(o.Calls) {
			return false
		}
	}
	return partsHold(l.Body, o.Body)
}

// partsHold reports whether everything holds that is said of a body.
func partsHold(parts []Part, body []byte) bool {
	if len(parts) == 0 {
		return true
	}
	var root any
	isJSON := json.Unmarshal(body, &root) == nil
	for _, p := range parts {
		if p.Pointer == "" && p.Matches.Regexp != nil {
			if !p.Matches.in(string(body)) {
				return false
			}
			continue
		}
		value, there := lookup(root, p.Pointer)
		if !p.holds(value, there && isJSON) {
			return false
		}
	}
	return true
}

func (p *Part) holds(value any, there bool) bool {
	if p.Absent || !there {
		return p.Absent && !there
	}
	if p.Equals != nil && !equal(p.Equals, value) {
		return false
	}
	if slices.ContainsFunc(p.Not, func(not json.RawMessage) bool { return equal(not, value) }) {
		return false
	}
	text, isText := value.(string)
	if !isText {
		data, _ := json.Marshal(value) // it was read from JSON
		text = string(data)
	}
	return p.Matches.in(text)
}

func equal(want json.RawMessage, got any) bool {
	var value any
	return json.Unmarshal(want, &value) == nil && reflect.DeepEqual(value, got)
}

// lookup finds the value at a JSON Pointer.
func lookup(value any, pointer string) (any, bool) {
	for _, key := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			member, there := v[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
			if !there {
				return nil, false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// holds reports whether the calls that were made are as many as they have to be.
func (c *Calls) holds(made []Call) bool {
	n := 0
	for _, call := range made {
		if c.counts(call) {
			n++
		}
	}
	if c.Min == nil && c.Max == nil {
		return n > 0
	}
	return (c.Min == nil || n >= *c.Min) && (c.Max == nil || n <= *c.Max)
}

func (c *Calls) counts(call Call) bool {
	host := call.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !strings.EqualFold(host, c.Host) || c.Method != "" && c.Method != call.Method || !c.Path.in(call.Path) {
		return false
	}
	if c.Answered == nil {
		return true
	}
	return c.Answered.Fault == (call.Status == 0) &&
		(len(c.Answered.Status) == 0 || slices.Contains(c.Answered.Status, call.Status))
}

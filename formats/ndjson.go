package formats

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
)

// ndjson is the state of reading a report of Schemathesis: one event a line. The events that end a scenario hold what
// was sent and answered in it. One such line can be as large as the run was long, so it is read by its members.
type ndjson struct {
	*source
	jsonScan
	entry   int               // the exchange read last, from 1
	label   string            // of the scenario: its operation, for most
	parents map[string]string // from the test cases of the scenario to those that they follow
	failed  string            // label of the error seen last
	failure string            // what it was: type and message
}

func readNDJSON(s *source) error {
	n := &ndjson{source: s, jsonScan: jsonScan{in: s.in, line: 1}}
	n.source.in = nil // one reader has the file
	s.at = func() string {
		if n.entry == 0 {
			return fmt.Sprintf("line %d", n.line)
		}
		return fmt.Sprintf("line %d, at or after entry %d, at byte %d", n.line, n.entry, n.offset)
	}
	first := true
	for {
		switch c, err := n.peek(); {
		case errors.Is(err, io.EOF) && !first:
			return nil
		case err != nil:
			return err
		case c != '{':
			return fmt.Errorf("found %q, want the beginning of an event", c)
		}
		if err := n.members(n.event); err != nil {
			return err
		}
		first = false
	}
}

// event reads an event.
func (n *ndjson) event(name string) error {
	n.label, n.parents = "", nil
	if name == "NonFatalError" {
		return n.problem()
	}
	if c, err := n.peek(); err != nil || c != '{' {
		return errors.Join(err, n.skip())
	}
	return n.members(func(key string) error {
		if c, err := n.peek(); err != nil {
			return err
		} else if key == "recorder" && c == '{' {
			return n.members(n.recorder)
		}
		return n.skip()
	})
}

// problem reads an error, which comes before the scenario that it befell.
func (n *ndjson) problem() error {
	raw, err := n.value(n.maxEntry)
	if err != nil {
		return err
	}
	var e struct {
		Label string `json:"label"`
		Value struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"value"`
	}
	// An error in another form tells nothing, and is no reason to stop.
	if json.Unmarshal(raw, &e) == nil {
		n.failed, n.failure = e.Label, e.Value.Type+": "+e.Value.Message
	}
	return nil
}

// recorder reads what was recorded of a scenario.
func (n *ndjson) recorder(key string) error {
	c, err := n.peek()
	if err != nil {
		return err
	}
	switch {
	case key == "label" && c == '"':
		raw, err := n.value(maxJSONName)
		if err != nil {
			return err
		}
		n.label = gjson.ParseBytes(raw).String()
		return nil
	case key == "cases" && c == '{':
		n.parents = map[string]string{}
		return n.members(n.testCase)
	case key == "interactions" && c == '{':
		return n.members(n.interaction)
	}
	return n.skip()
}

// testCase reads a test case, of which its parent matters.
func (n *ndjson) testCase(id string) error {
	raw, err := n.value(n.maxEntry)
	if err != nil {
		return err
	}
	if parent := gjson.GetBytes(raw, "parent_id"); parent.Type == gjson.String && len(n.parents) < maxNames {
		n.parents[id] = parent.String()
	}
	return nil
}

// maxChain bounds how far a test case is followed to the one that began it.
const maxChain = 1000

// root returns the test case that began what the case id belongs to. What was found out is kept, so that long chains
// are walked once.
func (n *ndjson) root(id string) string {
	root := id
	for range maxChain {
		parent, found := n.parents[root]
		if !found {
			break
		}
		root = parent
	}
	for x := id; x != root; {
		next := n.parents[x]
		n.parents[x] = root
		x = next
	}
	return root
}

// interaction reads one exchange.
func (n *ndjson) interaction(id string) error {
	raw, err := n.value(n.maxEntry)
	if err != nil {
		return err
	}
	n.entry++
	if !json.Valid(raw) {
		return fmt.Errorf("test case %.20q: not JSON", id)
	}
	p, err := n.parts(id, gjson.ParseBytes(raw))
	if err != nil {
		return fmt.Errorf("test case %.20q: %w", id, err)
	}
	e, err := p.exchange()
	if err != nil {
		return fmt.Errorf("test case %.20q: %w", id, err)
	}
	e.Sequence = n.root(id)
	return n.send(e)
}

func (n *ndjson) parts(id string, v gjson.Result) (*parts, error) {
	var p parts
	var request, response gjson.Result
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "request":
			request = value
		case "response":
			response = value
		case "timestamp":
			p.start = unixTime(value.Num)
		}
		return true
	})
	var err error
	request.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "method":
			p.method = value.String()
		case "uri":
			p.url = value.String()
		case "headers":
			p.fields = jsonFields(value)
		case "body":
			p.body, err = jsonBytes(value)
		}
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	if !has(p.fields, "X-Schemathesis-TestCaseId") { // the report leaves it out because the name of the member says it
		p.fields = append(p.fields, harPair{Name: "X-Schemathesis-TestCaseId", Value: id})
	}
	if response.IsObject() {
		return &p, p.readAnswer(response)
	}
	p.fault = n.fault()
	return &p, nil
}

// readAnswer reads the response.
func (p *parts) readAnswer(response gjson.Result) (err error) {
	size := int64(0)
	response.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "status_code":
			p.status = statusCode(value.Raw)
		case "headers":
			p.answerFields = jsonFields(value)
		case "content":
			p.answer, err = jsonBytes(value)
		case "elapsed":
			p.elapsed = milliseconds(value.Num * 1000)
		case "content_size":
			size = value.Int()
		}
		return err == nil
	})
	if err != nil {
		return fmt.Errorf("response body: %w", err)
	}
	if p.status == 0 {
		return errors.New("the response has no status code")
	}
	p.answered, p.cut = true, max(size-int64(len(p.answer)), 0)
	if !p.start.IsZero() {
		p.start = p.start.Add(-p.elapsed) // it was recorded when the answer was there
	}
	return nil
}

// fault says what became of a request without an answer, by the error that ended its scenario.
func (n *ndjson) fault() *exchange.Fault {
	if n.failure == "" || n.failed != n.label {
		return &exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the report"}
	}
	return &exchange.Fault{Kind: faultKind(n.failure), Text: n.failure}
}

// jsonFields returns header fields in their order: names with a list of values each, or one.
func jsonFields(v gjson.Result) []harPair {
	var fields []harPair
	v.ForEach(func(name, values gjson.Result) bool {
		if !values.IsArray() {
			fields = append(fields, harPair{Name: name.String(), Value: fieldBytes(values.String())})
			return true
		}
		values.ForEach(func(_, value gjson.Result) bool {
			fields = append(fields, harPair{Name: name.String(), Value: fieldBytes(value.String())})
			return true
		})
		return true
	})
	return fields
}

// jsonBytes returns a body: {"$base64": "…"}, or text.
func jsonBytes(v gjson.Result) ([]byte, error) {
	if v.Type == gjson.String {
		return []byte(v.String()), nil
	}
	coded := ""
	v.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "$base64" {
			coded = value.String()
		}
		return true
	})
	b, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		return nil, fmt.Errorf("decode base64: %w", err)
	}
	return b, nil
}

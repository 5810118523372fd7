package external

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// What the services have to do for a label to be seen, the plainest first.
const (
	GoodAnswers = "good answers"
	Status      = "a status"
	Broken      = "a broken answer"
	FieldValue  = "a field"
	Failure     = "a field of a failure"
	HeaderValue = "a header"
	Order       = "a sequence"
	Delay       = "a delay"
	Several     = "two calls at once"
	Earlier     = "an earlier request"
)

// Needs says of each label of the API in a folder, by its ID, what the services have to do, by the case that proves it.
func (l *Labels) Needs(dir string) (map[string]string, error) {
	var all struct {
		Calls json.RawMessage                       `json:"calls"`
		Cases map[string]map[string]json.RawMessage `json:"cases"`
	}
	if err := decodeFile(filepath.Join(dir, "proof.json"), &all); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, labels := range [][]Label{l.Behaviors, l.Bugs} {
		for _, label := range labels {
			out[label.ID] = label.needs(all.Cases[label.ID])
		}
	}
	return out, nil
}

func (l *Label) needs(answers map[string]json.RawMessage) string {
	switch {
	case len(l.After) > 0:
		return Earlier
	case len(answers) == 0:
		return GoodAnswers
	case len(answers) > 1:
		return Several
	}
	for _, raw := range answers {
		var has map[string]json.RawMessage
		if strings.HasPrefix(string(raw), "[") || json.Unmarshal(raw, &has) != nil {
			return Order
		}
		is := func(name string) bool { _, there := has[name]; return there }
		switch {
		case is("silent"):
			return Delay
		case is("reset") || is("text"):
			return Broken
		case is("headers"):
			return HeaderValue
		case is("status") && is("body"):
			return Failure
		case is("status"):
			return Status
		}
	}
	return FieldValue
}

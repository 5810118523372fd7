package postman

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// What is drawn is drawn by a script before the first request of a folder, beside the scripts that it has, written as
// what stands around it is.
func TestDrawnBeforeFirst(t *testing.T) {
	const statement = `{"listen":"prerequest","script":{"type":"text/javascript","exec":["// say","draw();"]}}`
	for name, c := range map[string]struct{ item, want string }{
		"no script": {`{"name":"a","request":{"url":"{{b}}/a"}}`, `{"event": [` + statement + `],"name":"a","request":{"url":"{{b}}/a"}}`},
		"an empty list": {`{"name":"a","event":[],"request":{"url":"{{b}}/a"}}`,
			`{"name":"a","event":[` + statement + `],"request":{"url":"{{b}}/a"}}`},
		"one": {`{"name":"a","event":[{"listen":"test"}],"request":{"url":"{{b}}/a"}}`,
			`{"name":"a","event":[` + statement + `,{"listen":"test"}],"request":{"url":"{{b}}/a"}}`},
		"lines": {"{\n\t\t\t\"name\": \"a\",\n\t\t\t\"request\": {\"url\": \"{{b}}/a\"}\n\t\t}",
			"{\n\t\t\t\"event\": [\n\t\t\t\t{\n\t\t\t\t\t\"listen\": \"prerequest\",\n"},
	} {
		text := "{\"info\":{},\n\t\"item\":[\n\t\t" + c.item + "\n\t]}"
		s, err := script.Read(Dialect(), "a.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		edits := s.Writer.Graft.Place(s, s.Tests[0], []string{"// say", "draw();"}, nil, nil)
		got := script.Apply(s.Text, edits)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s", name, got)
		}
		if _, err := script.Read(Dialect(), "a.json", []byte(got)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

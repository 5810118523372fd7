package postman

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
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

// Before a set-up it is drawn before the first request of that, beside the script that takes what the set-up gives; and
// it is read again as a variable that the folder sets once.
func TestDrawnBeforeSetUp(t *testing.T) {
	const text = `{"info":{},"item":[{"name":"a","request":{"url":"{{b}}/a"},"event":[{"listen":"test","script":{"exec":[` +
		`"pm.test('n', () => pm.expect(pm.response.json().n).to.eql(pm.variables.get('flaketap_fresh_name')));"]}}]}]}`
	s, err := script.Read(Dialect(), "a.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	by := s.Writer.Graft
	made := script.SetUpRequest{Method: "POST", Target: []script.TextPart{{Text: "/a"}}, Status: 201}
	open, _ := by.SetUp(s, s.Tests[0], []script.SetUpRequest{made}, nil)
	drawn := by.Fresh(s, s.Tests[0], script.FreshText{Name: script.FreshPrefix + "name", Letters: script.Digits, Length: 4})
	got := script.Apply(s.Text, by.Place(s, s.Tests[0], append([]string{drawn}, open...), nil, nil))
	want := `"event":[` + encoded(preRequest([]string{drawn})) + `,{"listen":"test","script":`
	if !strings.Contains(got, want) || strings.Count(got, "prerequest") != 1 {
		t.Errorf("%s\nwant %s", got, want)
	}
	for of, known := range map[string]bool{text: false, got: true} {
		again, err := script.Read(Dialect(), "a.json", []byte(of))
		if err != nil {
			t.Fatal(err)
		}
		is := slices.ContainsFunc(again.Tests[0].Assertions, func(a *script.Assertion) bool {
			c, _ := a.Meaning.(expr.Compare)
			return expr.Identical(c.Y, expr.Name{ID: script.FreshPrefix + "name"})
		})
		if is != known {
			t.Errorf("what is drawn is known: %t\n%s", is, of)
		}
	}
}

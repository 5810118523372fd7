package handset

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// TestPassed: what a path is made with is known where it is a part of a variable that the test but reads.
func TestPassed(t *testing.T) {
	for _, tt := range []struct{ name, body, target, want string }{
		{"in a template", "await http.get(`/users/${made.id}`)", "/users/\x00", "made.id"},
		{"behind a text", `await http.get("/users/" + made.id)`, "/users/\x00", "made.id"},
		{"with something behind", "await http.get(`/users/${made.id}/posts`)", "/users/\x00/posts", "made.id"},
		{"behind a host", "await fetch(`http://localhost:1/users/${made.id}`)", "/users/\x00", "made.id"},
		{"behind a base", "await fetch(`${BASE}/users/${made.id}`)", "/users/\x00", "made.id"},
		{"a name alone", "await http.get(`/users/${id}`)", "/users/\x00", ""},
		{"two", "await http.get(`/users/${made.id}/${made.no}`)", "/users/\x00/\x00", ""},
		{"another path", "await http.get(`/pets/${made.id}`)", "/users/\x00", ""},
		{"declared in the test", "const made = 1; await http.get(`/users/${made.id}`)", "/users/\x00", ""},
		{"of a loop", "for (const made of all) await http.get(`/users/${made.id}`)", "/users/\x00", ""},
		{"a member that is given a value", "made.id = 3; await http.get(`/users/${made.id}`)", "/users/\x00", ""},
		{"part of a text", "await http.get(`/users/x${made.id}`)", "/users/x\x00", ""},
	} {
		c := &script.Call{Target: tt.target, At: script.Span{End: len(tt.body)}}
		s := &script.Script{Text: tt.body, Tests: []*script.Test{{Calls: []*script.Call{c}, BodyEnd: len(tt.body)}}}
		if PassInJavaScript(s); c.Given != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, c.Given, tt.want)
		}
	}
	c := &script.Call{Target: "/users/\x00/posts"}
	for sent, want := range map[string]string{"/users/a1/posts": "a1", "/users/12/posts": "", "/users/a%201/posts": "", "/users/a1": "",
		"/pets/a1/posts": ""} {
		if value, ok := c.Passed(sent); ok != (want != "") || ok && value != want {
			t.Errorf("%s: %q, %v, want %q", sent, value, ok, want)
		}
	}
}

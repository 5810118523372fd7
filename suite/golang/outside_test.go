package golang

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A constant that tests send is a variable where it is drawn; one that others are declared with, or made of, stays.
func TestOutsideOfTests(t *testing.T) {
	for name, c := range map[string]struct {
		declared, want string // "" where it cannot be
	}{
		"a constant": {"const email = \"ada@example.com\"\n", "var email = fresh_email\n"},
		"with a comment": {"// who joins\nconst email string = \"ada@example.com\" // always\n",
			"// who joins\nvar email string = fresh_email // always\n"},
		"a part of it":         {"const email = \"mailto:ada@example.com\"\n", "var email = \"mailto:\" + fresh_email\n"},
		"a variable":           {"var email = \"ada@example.com\"\n", "var email = fresh_email\n"},
		"several":              {"const (\n\temail = \"ada@example.com\"\n\tother = 1\n)\n", ""},
		"another made of it":   {"const email = \"ada@example.com\"\n\nconst to = \"mailto:\" + email\n", ""},
		"a function around it": {"func email() string { return \"ada@example.com\" }\n", "func email() string { return fresh_email }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			const head = "package a\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"testing\"\n\t\"time\"\n)\n\n"
			const rest = "\nfunc TestJoin(t *testing.T) {\n\tres, err := http.Get(\"http://x/members?email=\" + fmt.Sprint(email, time.Now()))\n" +
				"\tif err != nil || res.StatusCode != 200 {\n\t\tt.Fatal(err)\n\t}\n}\n"
			s, err := script.Read(Dialect(), "a_test.go", []byte(head+c.declared+rest))
			if err != nil {
				t.Fatal(err)
			}
			edits, at, _, ok := s.Writer.Graft.Outside(s, s.Tests[0], "ada@example.com", "fresh_email")
			switch got := script.Apply(s.Text, edits); {
			case c.want == "" && ok:
				t.Errorf("it can be, as\n%s", got)
			case c.want != "" && (!ok || at != len(head) || got != head+c.want+rest):
				t.Errorf("%t %d\n%s", ok, at, got)
			}
		})
	}
}

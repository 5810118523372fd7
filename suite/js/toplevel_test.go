package js

import (
	"strings"
	"testing"
)

// A function is there before the line that declares it: what it speaks of has to be so, too.
func TestReached(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a constant":       {"use(1);\nconst EMAIL = 'HERE';\n", "const EMAIL"},
		"nobody calls it":  {"use(1);\nfunction email() {\n  return 'HERE';\n}\nuse(email());\n", "function email"},
		"called above":     {"use(1);\nconst A = email();\nconst B = 2;\nfunction email() {\n  return 'HERE';\n}\n", "const A"},
		"in a template":    {"const A = `to ${email()}`;\nasync function email() {\n  return 'HERE';\n}\n", "const A"},
		"by another":       {"const A = to();\nfunction to() {\n  return email();\n}\nexport function* email() {\n  yield 'HERE';\n}\n", "const A"},
		"one calls itself": {"const A = 1;\nfunction email(n) {\n  return n ? email(n - 1) : 'HERE';\n}\n", "function email"},
		"in a closure":     {"const A = () => email();\nexport default function email() {\n  return 'HERE';\n}\n", "const A"},
		"an end":           {"export default async function", "export"},
	} {
		tokens, err := Tokens("a.test.js", c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := Reached(c.text, tokens, max(0, strings.Index(c.text, "HERE")))
		if !strings.HasPrefix(c.text[got:], c.want) {
			t.Errorf("%s: %q", name, c.text[got:])
		}
	}
}

package importing

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// A module that edits speak of is imported once, where somebody would look for it, and not where its name is taken.
func TestModules(t *testing.T) {
	const speaks = `assert re.search("^a", r.text)`
	for name, c := range map[string]struct{ head, said, want string }{
		"among others":       {"import json\nimport time\n", speaks, "import json\nimport re\nimport time\n"},
		"behind the last":    {"import json  # ours\n\nimport pytest\n", speaks, "import json  # ours\nimport re\n\nimport pytest\n"},
		"before names":       {"import json\nfrom os import path\n", speaks, "import json\nimport re\nfrom os import path\n"},
		"above a library":    {"import requests\n", speaks, "import re\n\nimport requests\n"},
		"behind the future":  {"from __future__ import annotations\n\nimport requests\n", speaks, "from __future__ import annotations\n\nimport re\n\nimport requests\n"},
		"two modules":        {"import requests\n", speaks + "; uuid.uuid4()", "import re\nimport uuid\n\nimport requests\n"},
		"nothing imported":   {"", speaks, "import re\n\n\n"},
		"imported already":   {"import re\n", speaks, "import re\n"},
		"another's name":     {"from lib import re\n", speaks, "from lib import re\n"},
		"none that is meant": {"import requests\n", `x.re.search(a); "re.x("; __import__("re").search(b)`, "import requests\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll(c.head+"def test_a():\n    pass\n", "\n", eol)
			stmts, err := syntax.Statements("test_a.py", text)
			if err != nil {
				t.Fatal(err)
			}
			s := &script.Script{Text: text, Lines: script.SplitLines(text)}
			edits := Modules(s, stmts, []script.Edit{{Text: c.said}, {Text: c.said}}, "re", "uuid")
			got, _, _ := strings.Cut(script.Apply(text, edits), "def test_a")
			if want := strings.ReplaceAll(c.want, "\n", eol); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

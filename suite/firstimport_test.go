package suite

import (
	"strings"
	"testing"
)

// What a patch speaks of in a file without imports is imported where Python allows it.
func TestFirstImport(t *testing.T) {
	const body = "def test_order(client, snapshot):\n    body = client.get(\"/order\").json()\n    assert body == snapshot\n"
	const imports = "from syrupy.matchers import path_type\n"
	for name, c := range map[string]struct{ head, want string }{
		"nothing above":        {"", imports + "\n\n"},
		"a comment":            {"# ours\n", imports + "\n\n# ours\n"},
		"docstring":            {"\"\"\"Orders.\n\nOf ours.\"\"\"\n\n\n", "\"\"\"Orders.\n\nOf ours.\"\"\"\n\n" + imports + "\n\n"},
		"docstring, comment":   {"'Orders.'  # all\n\n\n", "'Orders.'  # all\n\n" + imports + "\n\n"},
		"shebang and encoding": {"#!/usr/bin/python\n# -*- coding: utf-8 -*-\n", "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n" + imports + "\n\n"},
		"future":               {"'''Orders.'''\nfrom __future__ import annotations\n\n\n", "'''Orders.'''\nfrom __future__ import annotations\n" + imports + "\n\n"},
		"a constant":           {"N = 1\n\n\n", imports + "\n\nN = 1\n\n\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			files := map[string]string{
				"conftest.py": "import pytest\nimport requests\nclass Client:\n    def get(self, path):\n" +
					"        return requests.get('http://localhost:1' + path)\n@pytest.fixture\ndef client():\n    return Client()\n",
				"__snapshots__/test_a.ambr": "# serializer version: 1\n# name: test_order\n  dict({\n    'id': 1,\n  })\n# ---\n",
			}
			p := patchedAmong(t, "test_a.py", strings.ReplaceAll(c.head+body, "\n", eol), files, `{"id":2}`, `{"id":3}`, `{"id":4}`)
			head, _, _ := strings.Cut(string(p.Data), "def test_order")
			if want := strings.ReplaceAll(c.want, "\n", eol); head != want {
				t.Errorf("%s: %q, want %q\n%s", name, head, want, p.Data)
			}
		}
	}
}

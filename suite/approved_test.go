package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Texts that pytest-snapshot and approvaltests compare are scrubbed of what moves, where a member's name tells it from
// all others, and what is stored agrees; what no scrubber can say is said without them.
func TestApprovedTexts(t *testing.T) {
	const stored = "{\n  \"at\": \"2026-01-01T00:00:00Z\",\n  \"id\": 7,\n  \"name\": \"Ada\"\n}"
	moving := []string{`{"id":7,"name":"Ada","at":"2026-01-01T00:00:00Z"}`, `{"id":8,"name":"Ada","at":"2026-01-02T03:04:05Z"}`}
	still := []string{moving[0], moving[0]}
	const dumps = "json.dumps(r.json(), indent=2, sort_keys=True)"
	const shot, plain = "snapshots/test_it/test_it/order.json", "test_it.test_it.approved.json"
	scrubbed := strings.NewReplacer(`"2026-01-01T00:00:00Z"`, `"<at>"`, "7", `"<id>"`).Replace(stored)
	const at, id = `'"at": "[^"\\]*(?:\\.[^"\\]*)*"'`, `'"id": -?[0-9]+'`
	for _, c := range []struct {
		name, says, path, stored string
		answers                  []string
		want, mended, reason     string
	}{
		{"what holds stays", "snapshot.assert_match(" + dumps + ", 'order.json')", shot, stored, still, "", "", ""},
		{"what moves is scrubbed", "snapshot.assert_match(" + dumps + ", 'order.json')", shot, stored, moving,
			"snapshot.assert_match(re.sub(r" + id + `, '"id": "<id>"', re.sub(r` + at + `, '"at": "<at>"', ` + dumps + ")), 'order.json')", scrubbed, ""},
		{"what approvaltests verify", "verify_as_json(r.json())", plain, stored, moving,
			"verify_as_json(r.json(), options=Options().with_scrubber(combine_scrubbers(create_regex_scrubber(r" + at + `, '"at": "<at>"'), create_regex_scrubber(r` +
				id + `, '"id": "<id>"'))))`, scrubbed, ""},
		{"the text of an answer", "verify(r.text)", "test_it.test_it.approved.txt", `{"id":7}` + "\n", []string{`{"id":7}`, `{"id":8}`},
			`verify(r.text, options=Options().with_scrubber(create_regex_scrubber(r'"id":-?[0-9]+', '"id":"<id>"')))`, `{"id":"<id>"}` + "\n", ""},
		{"a name that others have", "verify(r.text)", "test_it.test_it.approved.txt", `{"a":{"id":7},"id":3}`, []string{`{"a":{"id":7},"id":3}`, `{"a":{"id":8},"id":3}`},
			`assert (isinstance(r.json()["a"]["id"], int) and len(r.json()["a"]) == 1 and r.json()["id"] == 3 and len(r.json()) == 2)`, "", ""},
		{"no JSON", "verify(r.text)", "test_it.test_it.approved.txt", "as of 7", moving, "", "", "what is approved is no JSON: scrub what moves, by a pattern"},
		{"no file", "verify(r.text)", "other", "{}", moving, "", "", "there is no approved text in test_it.test_it.approved.txt"},
		{"other options", "verify(r.text, options=other())", "test_it.test_it.approved.txt", stored, moving, "", "",
			"its options are not known: what is read is Options().with_scrubber(create_regex_scrubber(pattern, text))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := "import json\nimport re\n\nimport requests\nfrom approvaltests import verify, verify_as_json\n\n\ndef test_it(snapshot):\n" +
				"    r = requests.get('/order')\n    SAYS\n"
			files := map[string]string{c.path: c.stored}
			text := strings.Replace(file, "SAYS", c.says, 1)
			p := patchedAmong(t, "test_it.py", text, files, c.answers...)
			reason := ""
			for _, a := range p.Unknown {
				reason = a.Reason
			}
			if reason != c.reason {
				t.Errorf("it is not understood: %q", reason)
			}
			got := withoutBreaks(uncommented(string(p.Data), "# "))
			if want := withoutBreaks(strings.Replace(file, "SAYS", c.want, 1)); c.want != "" && !strings.Contains(got, want[strings.Index(want, "def test"):]) ||
				c.want == "" && string(p.Data) != text {
				t.Errorf("got\n%s\nwant\n%s", p.Data, c.want)
			}
			if strings.Contains(c.want, "Options") != strings.Contains(got, "from approvaltests import Options") {
				t.Errorf("its imports are others:\n%s", p.Data)
			}
			for _, b := range p.Beside {
				files[b.Path] = b.Text
			}
			if c.mended == "" {
				c.mended = c.stored
			}
			if diff := cmp.Diff(c.mended, files[c.path]); diff != "" {
				t.Error(diff)
			}
			again := patchedAmong(t, "test_it.py", string(p.Data), files, c.answers...)
			if string(again.Data) != string(p.Data) || len(again.Beside) > 0 {
				t.Errorf("patched again it is\n%s", again.Data)
			}
		})
	}
}

// withoutBreaks is a program in which it does not matter how lines are broken.
func withoutBreaks(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("( ", "(", ", )", ")", " )", ")").Replace(text)
}

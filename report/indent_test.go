package report

import (
	"strings"
	"testing"
)

// TestDeepJSONStaysSmall: the text of an exchange grows with its body, not with the square of how deep that is nested.
func TestDeepJSONStaysSmall(t *testing.T) {
	shown := func(body string) string {
		var b strings.Builder
		if err := (&Detail{Response: &Message{Body: Body{Size: len(body), Text: body}}}).Text(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	deep := strings.Repeat(`{"a":[`, 2000) + strings.Repeat("]}", 2000)
	if got := shown(deep); len(got) > 2*len(deep) || !strings.Contains(got, deep) {
		t.Errorf("%d bytes became %d", len(deep), len(got))
	}
	if got := shown(`{"a":"[[{\"[[","b":[1]}`); !strings.Contains(got, "  {\n    \"a\": \"[[{\\\"[[\",\n    \"b\": [\n      1\n    ]\n  }\n") {
		t.Errorf("a document is not indented: %s", got)
	}
	brackets := `["` + strings.Repeat(`[\\\"`, 100) + `"]`
	if got := shown(brackets); !strings.Contains(got, "  [\n    \"") {
		t.Errorf("brackets within a string count: %s", got)
	}
}

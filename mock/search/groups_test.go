package search

import (
	"fmt"
	"strings"
	"testing"
)

// What tells which code has run leads on where a group of names runs some and does nothing else that shows: a known
// field, of the same service or of another one, is changed beside them, and what then comes is brought down to the
// name that does it.
func TestCoverageOfGroupsLeads(t *testing.T) {
	gap, idle := strings.Repeat("\n", 300), ""
	for i := range 20 {
		idle += fmt.Sprintf("read(\"idle%c\")\n", 'a'+i)
	}
	for _, from := range []string{"prices.example:443", "gifts.example:443"} {
		for _, covers := range []bool{true, false} {
			o := oneRequest("/offer")
			o.Words = wordsOf(`read("kind")` + gap + `"gift"` + gap + idle + `read("wrap")`)
			found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
				items := w.get("prices.example:443", "/items")
				if items.status != 200 {
					return 502, `{"ok": false}`
				}
				more := w.get(from, "/items")
				switch {
				case more.status != 200:
					return 502, `{"ok": false}`
				case at(more.json, "kind") == nil:
					return 502, `{"error": "KeyError: 'kind'"}`
				case at(items.json, "wrap") == nil:
					return 200, `{"ok": true}`
				}
				if covers {
					w.covered = append(w.covered, "offer.py:12")
				}
				if at(more.json, "kind") != "gift" {
					return 200, `{"ok": true}`
				}
				return 200, `{"ok": true, "wrapped": true}`
			})
			b := reached(found.Behaviors, "{ok: true, wrapped: true}")
			if (b != nil) != covers {
				t.Errorf("%s, coverage: %v, reached: %v, of %q", from, covers, b != nil, outline(found.Behaviors))
			}
			if b != nil && (strings.Contains(string(b.Stubs), "idle") || !strings.Contains(string(b.Stubs), "wrap")) {
				t.Errorf("%s: it is reached by %s", from, b.Stubs)
			}
		}
	}
}

// Where the group does what is known from another answer, its few names are a base of what follows on what they ran.
func TestCoverageOfGroupsLeadsFromWhatIsKnown(t *testing.T) {
	gap := strings.Repeat("\n", 300)
	for _, covers := range []bool{true, false} {
		o := oneRequest("/offer")
		o.Words = wordsOf(`read("kind")` + gap + `"gift"` + gap + `read("idle")` + "\n" + `read("wrap")`)
		found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
			r := w.get("prices.example:443", "/items")
			switch {
			case r.status == 404:
				return 200, `{"ok": true}`
			case r.status != 200:
				return 502, `{"ok": false}`
			case at(r.json, "kind") == nil:
				return 502, `{"error": "KeyError: 'kind'"}`
			case at(r.json, "wrap") == nil:
				return 200, `{"bare": true}`
			}
			if covers {
				w.covered = append(w.covered, "offer.py:12")
			}
			if at(r.json, "kind") != "gift" {
				return 200, `{"ok": true}`
			}
			return 200, `{"ok": true, "wrapped": true}`
		})
		if b := reached(found.Behaviors, "{ok: true, wrapped: true}"); (b != nil) != covers {
			t.Errorf("coverage: %v, reached: %v, of %q", covers, b != nil, outline(found.Behaviors))
		}
	}
}

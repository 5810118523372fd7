package search

import (
	"fmt"
	"testing"
)

// Names that are read of the same thing as a known field are tried all at once: of many that do nothing, each takes no
// trials of its own, and the one that does something is found.
func TestGuessesAreTriedAtOnce(t *testing.T) {
	text := "\"/parcels\"\nstatus = s.read(\"status\")\n"
	for i := range 10 {
		text += fmt.Sprintf("s.read(\"idle%c\")\n", 'a'+i)
	}
	o := oneRequest("/parcels/4")
	o.Words, o.Trials = wordsOf(text+"grams = s.read(\"grams\")\nif grams > 30000:\n"), 70
	found := searchWorld(t, o, parcelCouriers)
	wanted(t, found, `{couriers: "one"}`, `{couriers: "two"}`)
}

// Where a good answer alone mends an error, a field that was in it did not.
func TestAnAnswerAloneMends(t *testing.T) {
	c := change{base: &base{setting: setting{}}, answer: ok().with("/body/prices", 1.0), supposed: []field{{place: "/body/prices"}}}
	h, better := &hunt{tried: map[string]sight{}}, sight{sign: "better"}
	if h.needless(c, better) {
		t.Error("the field is needless before the answer was tried without it")
	}
	alone := c.base.setting.with(c.endpoint, ok()).key()
	if h.tried[alone] = better; !h.needless(c, better) {
		t.Error("the field is needed though the answer alone does the same")
	}
	if h.tried[alone] = (sight{sign: "worse"}); h.needless(c, better) {
		t.Error("the field is needless though the answer alone does not do the same")
	}
}

// Where a redirect leads is asked, and is not searched like a service.
func TestRedirectsAreNotSearched(t *testing.T) {
	o := oneRequest("/a")
	o.Words = wordsOf("\"/x\"\nread(\"one\")\nread(\"two\")\n")
	trials := 0
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/x")
		if r.status != 302 {
			return 200, fmt.Sprintf(`{"status": %d}`, r.status/500)
		}
		trials++
		return 200, fmt.Sprintf(`{"moved": %d}`, w.get("a.example:80", elsewhere).status/400)
	})
	if len(found.Behaviors) == 0 || trials == 0 || trials > 20 {
		t.Errorf("%d trials of where it leads", trials)
	}
}

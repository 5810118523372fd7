package search

import (
	"math/rand/v2"
	"testing"
)

// Where a value of what was read last changes nothing, it may want another type, and that is tried at once.
func TestTypesOfWhatWasReadLast(t *testing.T) {
	o := oneRequest("/hours")
	o.Trials = 20
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "doctors.example:80", "/7"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		w.read(service, target, r, "/body/name", Read{})
		if _, is := w.read(service, target, r, "/body/kept", Read{}).(bool); !is {
			return 502, `{"error": "unreadable"}`
		}
		return 200, `{"hours": true}`
	})
	wanted(t, found, `{hours: true}`)
}

// What is read of an answer that fails is supplied in one that fails.
func TestReadOfFailures(t *testing.T) {
	o := oneRequest("/hold")
	o.Trials, o.Words = 120, wordsOf("if reason == \"closed\":\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "hours.example:80", "/holds"
		r := w.get(service, target)
		switch {
		case r.gone || r.json == nil:
			return 502, `{"error": "down"}`
		case r.status == 409 && w.read(service, target, r, "/body/reason", Read{}) == "closed":
			return 422, `{"error": "closed then"}`
		}
		return r.status, `{"held": true}`
	})
	wanted(t, found, `{error: "closed then"}`)
}

// What a list is looked for in without a word, though a number in its place does no harm, is tried as one.
func TestReadAndPassedOver(t *testing.T) {
	o := oneRequest("/plan")
	o.Trials = 60
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "plans.example:80", "/mine"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		w.read(service, target, r, "/body", Read{})
		plan, object := w.read(service, target, r, "/body/plan", Read{}).(map[string]any)
		if !object {
			return 500, `{"error": "Cannot read properties of undefined (reading 'limits')"}`
		}
		w.read(service, target, r, "/body/plan/limits", Read{})
		if list, _ := plan["limits"].([]any); len(list) > 0 && w.read(service, target, r, "/body/plan/limits/*/left", Read{}) == 0.0 {
			return 200, `{"left": false}`
		}
		return 200, `{"left": true}`
	})
	wanted(t, found, `{left: true}`, `{left: false}`)
}

// An error that names a member of something that is not there is about what was read last.
func TestReadOfWhatIsMissing(t *testing.T) {
	o := oneRequest("/plan")
	o.Trials = 16
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		const service, target = "plans.example:80", "/mine"
		r := w.get(service, target)
		if r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "down"}`
		}
		w.read(service, target, r, "/body", Read{})
		if _, object := w.read(service, target, r, "/body/other", Read{}).(map[string]any); object {
			return 400, `{"error": "an object"}`
		}
		_, object := w.read(service, target, r, "/body/plan", Read{}).(map[string]any)
		if !object {
			return 500, `{"error": "Cannot read properties of undefined (reading 'limit')"}`
		}
		return 200, `{"plan": true}`
	})
	wanted(t, found, `{plan: true}`)
}

// A place that was tried as an object, and read, need not be tried so again from another base; one that was not read is.
func TestOpenedOnce(t *testing.T) {
	for target, want := range map[string]int{"/reads": 1, "/passes": 2} {
		w := &world{handle: func(w *world, r Request) (int, string) {
			const service, target = "plans.example:80", "/mine"
			if got := w.get(service, target); r.Target == "/reads" {
				w.read(service, target, got, "/body/a", Read{})
			}
			return 200, `{}`
		}}
		s := &searcher{api: w, o: Options{Trials: 100}, known: newKnowledge(), random: rand.New(rand.NewPCG(0, 0))}
		s.covered = map[string]bool{}
		s.add([]Request{{Method: "GET", Target: target}})
		h, tries := s.hunts[0], 0
		for _, other := range []any{1.0, 2.0} {
			tried := w.trials
			e, a := Endpoint{"plans.example:80", "GET", "/mine"}, Answer{Status: 200, JSON: map[string]any{"other": other}}
			c := change{endpoint: e, answer: a.with("/body/a", map[string]any{}), gene: "opened /body/a", opens: "/body/a",
				base: &base{setting: setting{}}, tries: new(int), everywhere: new(int)}
			if err := s.tryChange(t.Context(), h, c); err != nil {
				t.Fatal(err)
			}
			if w.trials > tried {
				tries++
			}
		}
		if tries != want {
			t.Errorf("%s: it is tried %d times, want %d", target, tries, want)
		}
	}
}

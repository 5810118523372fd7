package search

import "testing"

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

// A place that was tried as an object, and read, need not be tried so again.
func TestOpenedOnce(t *testing.T) {
	e, k := Endpoint{}, newKnowledge()
	c := change{gene: "opened /body/a", opens: "/body/a", base: &base{setting: setting{}}, tries: new(int), everywhere: new(int)}
	if k.open(c, sight{}); k.opened[gene{e, c.gene}] {
		t.Error("it was not read")
	}
	if k.open(c, sight{reads: map[Endpoint][]Read{e: {{Place: "/body/a"}}}}); !k.opened[gene{e, c.gene}] {
		t.Error("it was read")
	}
	s, h := searcher{known: k}, &hunt{tried: map[string]sight{}, turns: map[Endpoint]int{}}
	if _, _, news := s.begin(h, &c); news {
		t.Error("it is tried again")
	}
}

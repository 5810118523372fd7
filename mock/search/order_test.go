package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What the API gives back of a field, as it is or in capitals, is one behavior, whatever the value; one that decides is
// several.
func TestEchoesAreOneBehavior(t *testing.T) {
	o := oneRequest("/users/7")
	o.Words = wordsOf("\"/people\"\nread(\"nick\")\nread(\"adult\")\n\"plain\" \"other\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/people/7")
		nick, adult := at(r.json, "nick"), at(r.json, "adult")
		if r.status != 200 || r.gone || nick == nil {
			return 502, `{"error": "sent no nick"}`
		}
		text, is := nick.(string)
		if !is {
			return 200, fmt.Sprintf(`{"nick": %s, "adult": %t}`, jsonOf(nick), adult == true)
		}
		return 200, fmt.Sprintf(`{"nick": %q, "shout": %q, "adult": %t}`, text, strings.ToUpper(text), adult == true)
	})
	wanted(t, found, `{adult: true, nick: text given, shout: "X"}`, `{adult: false, nick: text given, shout: "X"}`)
	if n := len(found.Behaviors); n > 7 {
		t.Errorf("%d behaviors: %q", n, outline(found.Behaviors))
	}
}

// A truth value that is given back turns a behavior into another, though nothing else differs.
func TestTruthValuesAreNoEchoes(t *testing.T) {
	o := oneRequest("/users/7")
	o.Words = wordsOf("\"/people\"\nread(\"adult\")\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		adult, is := at(w.get("a.example:80", "/people/7").json, "adult").(bool)
		if !is {
			return 502, `{"error": "sent no adult"}`
		}
		return 200, fmt.Sprintf(`{"adult": %t}`, adult)
	})
	wanted(t, found, `{adult: true}`, `{adult: false}`)
}

// jsonOf is a value as JSON.
func jsonOf(v any) string { return geneOf(v)[1:] }

// A member of an object that only the words name is varied, too.
func TestMembersOfFoundObjectsAreVaried(t *testing.T) {
	o := oneRequest("/cover/7")
	o.Words = wordsOf("\"/members\"\nplan = read(\"plan\")\n\"other\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		plan, is := at(w.get("a.example:80", "/members/7").json, "plan").(map[string]any)
		if !is {
			return 500, `{"error": "TypeError: Cannot read properties of undefined (reading 'share')"}`
		}
		share, is := plan["share"].(float64)
		switch {
		case !is:
			return 502, `{"error": "sent no share"}`
		case share == 0:
			return 200, `{"free": true}`
		}
		return 200, `{"free": false}`
	})
	wanted(t, found, `{free: false}`, `{free: true}`)
}

// A word of the files that a service is made to answer is no reason to take a segment of the API's own paths, which is
// the same, for one that varies.
func TestOwnSegmentsDoNotVary(t *testing.T) {
	o := oneRequest("/pay/7")
	o.Words = wordsOf("\"/payments\"\nread(\"state\")\n\"payments\" \"done\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		if at(w.get("a.example:80", "/payments/p1").json, "state") == "done" {
			return 200, `{"paid": true}`
		}
		return 200, `{"paid": false}`
	})
	wanted(t, found, `{paid: true}`)
	for _, b := range found.Behaviors {
		for _, e := range b.Asked {
			if e.Path != "/payments/{}" {
				t.Errorf("%s is asked", e)
			}
		}
	}
}

// What led one request furthest is known beside what led another further: they ask for other things.
func TestWhatLedEachRequestFurthest(t *testing.T) {
	e := Endpoint{Service: "a.example:80"}
	with := func(a Answer, endpoints ...Endpoint) *base {
		return &base{setting: setting{e: a}, sight: sight{status: 200, endpoints: endpoints}}
	}
	k, book, cover := newKnowledge(), &hunt{}, &hunt{}
	full := ok().with("/body/active", true)
	if len(k.led(book, with(ok(), e, Endpoint{Path: "/holds"}))) != 1 || len(k.led(cover, with(full, e))) != 1 {
		t.Error("the answer is not better than none")
	}
	if len(k.led(cover, with(ok(), e))) != 0 || !k.best(e, cover, ok()).has("/body/active") || k.best(e, book, full).has("/body/active") {
		t.Errorf("known are %v", k.bests)
	}
}

// A base that has a good answer of a service comes before others behind the front, where the front has none of it: the
// answer may be what broke the API.
func TestBasesWithAnAnswerThatTheFrontLacks(t *testing.T) {
	weather, prices := Endpoint{Service: "a.example:80"}, Endpoint{Service: "b.example:80"}
	both := []Endpoint{weather, prices}
	h := &hunt{front: &base{score: 15, endpoints: both, setting: setting{prices: ok()}}}
	broken := &base{score: 4, endpoints: both, setting: setting{weather: ok(), prices: ok()}}
	of := func(e Endpoint) int { return h.behind(&change{base: broken, endpoint: e, rank: probe}) }
	if of(weather) >= of(prices) || of(weather) == 0 {
		t.Errorf("the weather comes %d later, the prices %d", of(weather), of(prices))
	}
}

// A request that asks more services gets more of the trials.
func TestRequestsThatAskMoreGetMoreTrials(t *testing.T) {
	o := oneRequest("/one")
	o.Requests = append(o.Requests, Request{Method: "GET", Target: "/three"})
	o.Trials = 160
	o.Words = wordsOf("\"/a\" \"/b\" \"/c\"\nread(\"id\")\nread(\"count\")\nread(\"kind\")\n\"new\" \"old\" \"odd\"\n")
	trials := map[string]int{}
	searchWorld(t, o, func(w *world, r Request) (int, string) {
		trials[r.Target]++
		paths := []string{"/a"}
		if r.Target == "/three" {
			paths = []string{"/a", "/b", "/c"}
		}
		for _, path := range paths {
			if r := w.get("a.example:80", path); r.status != 200 || r.gone || at(r.json, "id") == nil {
				return 502, fmt.Sprintf(`{"error": "%s sent no id"}`, path[1:])
			}
		}
		return 200, `{"ok": true}`
	})
	if 2*trials["/three"] < 3*trials["/one"] {
		t.Errorf("trials: %v", trials)
	}
}

// An API that swallows what is wrong with an answer does not tell whether it reads that: an answer that has all names of
// its files does.
func TestFieldsBehindSwallowedFailures(t *testing.T) {
	o := oneRequest("/trips/7")
	o.Trials = 150
	o.Words = wordsOf("\"/weather\" \"/seats\"\nread(\"level\")\nread(\"free\")\n\"calm\" \"storm\"\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		if r := w.get("a.example:80", "/weather/7"); r.status != 200 || r.gone || r.json == nil {
			return 502, `{"error": "weather failed"}`
		}
		free, is := at(w.get("b.example:80", "/seats/7").json, "free").(float64)
		if !is {
			return 200, `{"booked": true}`
		}
		return 200, fmt.Sprintf(`{"booked": true, "left": %v}`, free-1)
	})
	wanted(t, found, `{booked: true, left: number}`)
	for _, b := range found.Behaviors {
		if strings.Contains(b.Shape, "left") && b.Trial > 60 {
			t.Errorf("%s is reached in trial %d", b.Shape, b.Trial)
		}
	}
}

// What is passed over since it costs more at least would not have been tried.
func TestCheapestChangeIsFirst(t *testing.T) {
	s := &searcher{api: &shop{}, o: options(), known: newKnowledge(), random: rand.New(rand.NewPCG(1, 0)), covered: map[string]bool{}}
	s.add(s.o.Requests)
	if err := s.first(t.Context(), s.hunts); err != nil {
		t.Fatal(err)
	}
	h, steps := s.hunts[0], 0
	for at, cost := h.first(); at >= 0 && steps < 300; at, cost = h.first() {
		for i, c := range h.pending {
			if other := h.cost(c); other < cost || other == cost && h.turns[c.endpoint] < h.turns[h.pending[at].endpoint] {
				t.Fatalf("change %d costs %d and is first, %d costs %d", at, cost, i, other)
			}
		}
		if err := s.tryChange(t.Context(), h, h.take(at)); err != nil {
			t.Fatal(err)
		}
		steps++
	}
	if steps < 100 {
		t.Errorf("%d changes were tried", steps)
	}
}

// Of changes that cost the same, the one comes first whose endpoint had fewer turns, wherever it stands.
func TestFewerTurnsComeFirst(t *testing.T) {
	often, seldom := Endpoint{Service: "a.example:80"}, Endpoint{Service: "b.example:80"}
	front := &base{}
	of := func(e Endpoint) *change {
		return &change{base: front, endpoint: e, rank: good, tries: new(int), everywhere: new(int)}
	}
	h := &hunt{front: front, turns: map[Endpoint]int{often: 2, seldom: 1}, pending: []*change{of(often), of(seldom), of(often)}}
	if at, _ := h.first(); at != 1 {
		t.Errorf("the change at %d is first, want 1", at)
	}
}

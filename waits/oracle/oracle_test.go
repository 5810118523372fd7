package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var age = []Locator{{Using: "css selector", Value: "#age"}}

// act is a click at a time; read is what the text of #age was answered at first and, a while later, in the end.
func act(at float64, does string) Command {
	return Command{Browser: 1, Kind: Acts, Does: does, Source: "a.js:1:1", Start: at, Sent: at, First: Answer{Value: "null", At: at + 1}, Given: Answer{Value: "null", At: at + 1}}
}

func read(at float64, first, given string, held float64) Command {
	c := Command{Browser: 1, Kind: Reads, Does: "text", Source: "a.js:2:1", Found: age, Reads: "text", Start: at,
		First: Answer{Value: first, At: at}, Given: Answer{Value: given, At: at + held}}
	if first != given {
		c.Later = []Answer{{Value: given, At: at + held}}
	}
	return c
}

func change(at float64, property, before, after string) Mutation {
	return Mutation{Browser: 1, Element: "#age", Property: property, Old: before, New: after, At: at, Later: true, Visible: true}
}

func one(r Run, status int) *Session {
	r.Status = status
	return &Session{Runs: []Run{r}}
}

func TestReads(t *testing.T) {
	ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	early := Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300)}}
	byItself := Run{Commands: []Command{act(10, "click"), read(120, `"23"`, `"23"`, 0)}, Mutations: []Mutation{change(60, "text", "", "23")}}
	atOnce := byItself
	atOnce.Mutations = []Mutation{change(60, "text", "", "23")}
	atOnce.Mutations[0].Later = false
	other := byItself
	other.Mutations = []Mutation{change(60, "text", "", "nothing like it")}
	ticking := byItself
	ticking.Mutations = nil
	for i := range 12 {
		ticking.Mutations = append(ticking.Mutations, change(11+float64(i)*10, "text", "", "23"))
	}
	found := Run{Commands: []Command{act(10, "click"), read(20, "", "", 180), read(210, `"23"`, `"23"`, 0)}, Mutations: byItself.Mutations}
	heldBack := Run{Commands: []Command{act(10, "click"), read(420, `""`, `"23"`, 300)}}
	heldBack.Commands[0].Sent = 410
	behind := Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300), read(330, `"23"`, `"23"`, 0)}}
	behind.Commands[1].Source = "a.js:9:1"
	late := Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300), read(330, `"23"`, `"23"`, 0)}}
	late.Commands[1].Source, late.Commands[2].Unseen = "a.js:9:1", true
	title := Run{Commands: []Command{act(10, "click"), read(120, `"23"`, `"23"`, 0)}}
	title.Commands[1].Found, title.Commands[1].Unseen = nil, true
	find := &found.Commands[1]
	find.Does, find.By, find.Found, find.Reads = "find", age[0], nil, ""
	find.First.At = 90
	for _, tt := range []struct {
		name    string
		session *Session
		known   bool
		prone   bool
		longest time.Duration
	}{
		{"was early", one(early, 0), true, true, ms(310)},
		{"was early behind an action that was held", one(heldBack, 0), true, true, ms(310)},
		{"was early and failed", one(early, 1), false, false, 0},
		{"came by itself in time", one(byItself, 0), true, true, ms(50)},
		{"was there when its element was", one(found, 0), true, false, ms(50)},
		{"was there at once", one(atOnce, 0), true, false, ms(110)},
		{"was there once another one was", one(behind, 0), true, false, ms(20)},
		{"was there in a window that was watched too late", one(late, 0), true, true, ms(320)},
		{"was there, and is of no element", one(title, 0), true, false, ms(110)},
		{"something else changed", one(other, 0), true, false, ms(110)},
		{"a clock", one(ticking, 0), true, false, ms(110)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := waitOf(tt.session, "a.js:2:1", "text")
			if (w != nil) != tt.known {
				t.Fatalf("known: %v", w != nil)
			}
			if w == nil {
				return
			}
			if w.Prone() != tt.prone || w.Times.Longest != tt.longest {
				t.Errorf("prone %v, %v", w.Prone(), w.Times)
			}
			if !w.Ready(Answer{Value: `"23"`}) || w.Ready(Answer{Value: `"24"`}) || w.Ready(Answer{Error: "no such element"}) {
				t.Error("it is ready with what it was not answered")
			}
		})
	}
}

// A run that failed tells what is early, and not what is right; answers that differ between runs that passed are any.
func TestRunsTogether(t *testing.T) {
	good := Run{Commands: []Command{act(10, "click"), read(500, `"23"`, `"23"`, 0)}}
	bad := Run{Status: 1, Commands: []Command{act(10, "click"), read(20, `""`, `""`, 0)}}
	w := waitOf(&Session{Runs: []Run{bad, good, bad}}, "a.js:2:1", "text")
	if w.Early != 2 || w.Runs != 3 || w.Answer.Value != `"23"` {
		t.Errorf("early in %d of %d, %v", w.Early, w.Runs, w.Answer)
	}
	different := Run{Commands: []Command{act(10, "click"), read(500, `"42"`, `"42"`, 0)}}
	w = waitOf(&Session{Runs: []Run{good, different}}, "a.js:2:1", "text")
	if !w.Varies || !w.Ready(Answer{Value: `"7"`}) || w.Ready(Answer{Error: "no such element"}) {
		t.Errorf("varies %v", w.Varies)
	}
	gone := Run{Commands: []Command{act(10, "click"), read(500, "", "", 0)}}
	gone.Commands[1].Given.Error = "no such element"
	w = waitOf(&Session{Runs: []Run{good, gone}}, "a.js:2:1", "text")
	if !w.Varies || !w.Ready(Answer{Error: "no such element"}) {
		t.Errorf("varies %v, %v", w.Varies, w.Answer)
	}
	if c := w.Cap(); c < time.Second {
		t.Errorf("it is held for %s", c)
	}
}

// In a run that failed, what came while no test ran that failed is right, as far as that is known.
func TestTestsThatPassed(t *testing.T) {
	run := func(failed ...Span) *Session {
		other := read(900, `"7"`, `"7"`, 0)
		other.Source = "a.js:7:1"
		r := Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300), act(800, "click"), other},
			Mutations: []Mutation{change(850, "text", "23", "7")}, Failed: failed}
		return one(r, 1)
	}
	for _, tt := range []struct {
		name          string
		failed        []Span
		first, second bool // whether it is known what the two reads are answered
	}{
		{"nothing is known", nil, false, false},
		{"the second", []Span{{From: 700, To: 1000}}, true, false},
		{"the first", []Span{{From: 0, To: 700}}, false, true},
		{"both", []Span{{From: 0, To: 600}, {From: 600, To: 1000}}, false, false},
	} {
		s := run(tt.failed...)
		if s.Passed() != (tt.first || tt.second) || s.Runs[0].Passed() {
			t.Errorf("%s: the session has something to learn from: %v", tt.name, s.Passed())
		}
		first, second := waitOf(s, "a.js:2:1", "text"), waitOf(s, "a.js:7:1", "text")
		if (first != nil) != tt.first || (second != nil) != tt.second {
			t.Errorf("%s: known are %v, %v", tt.name, first, second)
		}
		if first != nil && (first.Answer.Value != `"23"` || !first.Prone() || first.Times.N != 1) {
			t.Errorf("%s: the first waits for %v, %v", tt.name, first.Answer, first.Times)
		}
		if second != nil && (second.Answer.Value != `"7"` || !second.Later || second.Times.N != 1) {
			t.Errorf("%s: the second waits for %v, %v", tt.name, second.Answer, second.Times)
		}
	}
}

// An action waits for what the one before it brings about late, unless a run passed without.
func TestMachines(t *testing.T) {
	run := func(status int, second float64, changes ...Mutation) Run {
		return Run{Status: status, Commands: []Command{act(10, "click a"), act(second, "click b")}, Mutations: changes}
	}
	text, toast := change(300, "text", "", "23"), []Mutation{change(200, "@hidden", "x", ""), change(250, "@hidden", "", "x")}
	hidden := text
	hidden.Visible = false
	direct := text
	direct.Later = false
	late := func(m Mutation) Mutation { m.At = 900; return m }
	for _, tt := range []struct {
		name string
		runs []Run
		want []string
	}{
		{"early in a run that failed", []Run{run(0, 600, text), run(1, 20, text)}, []string{"text 23"}},
		{"early in a run that passed", []Run{run(0, 600, text), run(0, 20, text), run(1, 20, text)}, nil},
		{"never early", []Run{run(0, 600, text), run(1, 600, text)}, nil},
		{"a toast that has gone", []Run{run(0, 600, toast...), run(1, 20, toast...)}, nil},
		{"not to be seen", []Run{run(0, 600, hidden), run(1, 20, hidden)}, nil},
		{"what the first action does at once", []Run{run(0, 600, direct), run(1, 20, direct)}, nil},
		{"another state each time", []Run{run(0, 600, text), run(0, 600, change(300, "text", "", "24")), run(1, 20, text)}, nil},
		{"a part that differs", []Run{run(0, 600, text, change(310, "@title", "", "9:01"), change(320, "children", "0", "2")),
			run(0, 600, change(300, "children", "0", "2"), change(305, "@title", "", "9:02"), text), run(1, 20, text)}, []string{"text 23", "children 2"}},
		{"a part that came before it in the run that failed", []Run{run(0, 600, change(15, "children", "0", "2"), text),
			run(1, 20, change(15, "children", "0", "2"), text)}, []string{"children 2", "text 23"}},
		{"an element that has gone", []Run{run(0, 600, text, change(310, "gone", "", "gone")), run(1, 20, text)}, nil},
		{"one that came back", []Run{run(0, 600, change(200, "gone", "", "gone"), text), run(1, 20, text)}, []string{"text 23"}},
		{"in no run that failed, as its browser was ended", []Run{run(0, 600, text), run(1, 20)}, []string{"text 23"}},
		{"not in each run that passed", []Run{run(0, 600, text), run(0, 600), run(1, 20, text)}, nil},
		{"a box that is checked", []Run{run(0, 600, change(300, "checked", "false", "true")), run(1, 20, change(300, "checked", "false", "true"))}, []string{"checked true"}},
		{"what the second action brings about", []Run{run(0, 600, late(text)), run(1, 20, late(text))}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			w := waitOf(&Session{Runs: tt.runs}, "a.js:1:1", "click b")
			for _, m := range w.After {
				got = append(got, m.Property+" "+m.New)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if len(tt.want) == 1 && tt.want[0] == "text 23" && (w.Reached(nil) || w.Reached([]Mutation{text, change(400, "text", "23", "")}) || !w.Reached([]Mutation{text})) {
				t.Error("the state is not told from others")
			}
		})
	}
}

// What a page tells of at once has one time: what is waited for is the same each time it is learned, the last as told.
func TestMachineOfOneTime(t *testing.T) {
	var changes []Mutation
	for _, name := range []string{"@class", "text", "@hidden", "children"} {
		changes = append(changes, change(300, name, "", "23"))
	}
	late := Run{Commands: []Command{act(10, "click a"), act(600, "click b")}, Mutations: changes}
	early := Run{Status: 1, Commands: []Command{act(10, "click a"), act(20, "click b")}, Mutations: changes}
	for range 20 {
		w := waitOf(&Session{Runs: []Run{late, late, early}}, "a.js:1:1", "click b")
		if diff := cmp.Diff(changes[1:], w.After); diff != "" {
			t.Fatal(diff)
		}
	}
}

// What was held is told from what passed by itself.
func TestHeld(t *testing.T) {
	m := Learn(one(Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300)}}, 0))
	waited := act(10, "click")
	waited.Sent = 110
	for _, tt := range []struct {
		run  Run
		want string
	}{
		{Run{Commands: []Command{act(10, "click"), read(20, `"23"`, `"23"`, 0)}}, ""},
		{Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 200)}}, "text 200ms true"},
		{Run{Commands: []Command{waited, read(20, `""`, `"24"`, 1000)}}, "click 100ms true, text 1s false"},
	} {
		var got []string
		for _, h := range m.Held(&tt.run) {
			got = append(got, fmt.Sprint(h.Command.Does, " ", h.Took, " ", h.Ready))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("held %v, want %s", got, tt.want)
		}
	}
}

func TestTransients(t *testing.T) {
	toast := read(20, `""`, `""`, 0)
	toast.Later = []Answer{{Value: `"Saved"`}, {Value: `""`}}
	stays := read(30, `""`, `"23"`, 10)
	stays.Source = "a.js:3:1"
	r := Run{Commands: []Command{toast, stays}}
	if got := slices.Collect(maps.Keys(r.Transients())); len(got) != 1 || got[0].Source != "a.js:2:1" {
		t.Error(got)
	}
}

// A read of what passes knows what there is before and after, and whether there was something else on the way.
func TestRest(t *testing.T) {
	toast := func(given string, later ...string) Run {
		c := read(20, `""`, given, 0)
		c.Later = nil
		for _, l := range later {
			c.Later = append(c.Later, Answer{Value: l})
		}
		return Run{Commands: []Command{c}}
	}
	for _, tt := range []struct {
		name  string
		runs  []Run
		rest  bool
		steps bool
	}{
		{"stays", []Run{toast(`"Saved"`, `"Saved"`)}, false, false},
		{"passes", []Run{toast(`"Saved"`, `"Saved"`, `""`)}, true, false},
		{"passes in another run", []Run{toast(`"Saved"`, `"Saved"`), toast(`""`, `"Saved"`, `""`)}, true, false},
		{"by way of another", []Run{toast(`"Saved"`, `"Saving"`, `"Saved"`, `""`)}, true, true},
		{"not waited for", []Run{toast(`""`, `"Saved"`, `""`)}, false, false},
	} {
		for i := range tt.runs[1:] { // none but the first has passed
			tt.runs[1+i].Status = 1
		}
		w := Learn(&Session{Runs: tt.runs}).Waits()[0]
		if (w.Rest != nil) != tt.rest || tt.rest && w.Rest.Value != `""` || w.Steps != tt.steps {
			t.Errorf("%s: rest %v, steps %t", tt.name, w.Rest, w.Steps)
		}
	}
}

// waitOf is the wait of the first command from a place that does something.
func waitOf(s *Session, source, does string) *Wait {
	for _, w := range Learn(s).Waits() {
		if w.Source == source && w.Does == does && w.Turn == 1 {
			return w
		}
	}
	return nil
}

// The same command has a key for each time that it comes, whatever comes in between.
func TestKeys(t *testing.T) {
	var k Keys
	one, two := &Command{Browser: 1, Kind: Acts, Source: "s", Does: "d"}, &Command{Browser: 2, Kind: Acts, Source: "s", Does: "d"}
	a, p, b, c := k.Next(one), k.Peek(one), k.Next(one), k.Next(two)
	if a.Turn != 1 || p != b || b.Turn != 2 || c.Turn != 1 || c == a {
		t.Errorf("%v %v %v %v", a, p, b, c)
	}
}

// Browsers are told apart by what is done in them, in whichever order they begin, and by their order where that is the
// same.
func TestKeysOfBrowsers(t *testing.T) {
	keysOf := func(order ...string) map[string]Key {
		var keys Keys
		out := map[string]Key{}
		for n, test := range order {
			keys.Next(&Command{Browser: n, Kind: Neither, Source: "hook", Does: "POST timeouts"})
			for _, does := range []string{"open", "click"} {
				key := keys.Next(&Command{Browser: n, Kind: Acts, Source: map[string]string{"open": test, "click": "helper"}[does], Does: does})
				if out[test+does] == (Key{}) {
					out[test+does] = key
				}
			}
		}
		return out
	}
	all, other, alone := keysOf("a", "b"), keysOf("b", "a"), keysOf("b")
	if !maps.Equal(all, other) || all["bclick"] != alone["bclick"] || all["aclick"] == all["bclick"] {
		t.Errorf("%v\n%v\n%v", all, other, alone)
	}
	if same := keysOf("a", "a", "b"); same["aclick"] != all["aclick"] || same["bclick"] != all["bclick"] {
		t.Errorf("%v", same)
	}
}

func TestFile(t *testing.T) {
	s := one(Run{Patience: "none", Commands: []Command{act(10, "click <a>"), read(20, `""`, `"23"`, 300)}, Mutations: []Mutation{change(60, "text", "", "23")}}, 1)
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(b.Bytes()))
	if diff := cmp.Diff(s, back); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for text, want := range map[string]string{
		"":                             "EOF",
		b.String()[:b.Len()/2]:         "unexpected EOF; the file is damaged or cut off, so record the suite again",
		`{"flaketap":"volatile-map"}`:  "no session",
		`{"flaketap":"waits-session"}`: "version 0",
		b.String() + "{}":              "behind its end",
		`{"flaketap":"waits-session","version":1,"runs":[{"commands":[{"kind":"eats"}]}]}`: `unknown kind "eats"`,
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives %v, want %s", text, err, want)
		}
	}
}

// Whatever a file holds, nothing panics, and what is learned can be asked for.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	s := one(Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300), act(400, "click")}, Mutations: []Mutation{change(60, "text", "", "23")}}, 0)
	if err := s.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"flaketap":"waits-session","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		m := Learn(s)
		for _, w := range m.Waits() {
			if m.Wait(w.Key) != w || w.Says() == "" {
				t.Errorf("%v is lost", w.Key)
			}
		}
		for i := range s.Runs {
			_ = m.Held(&s.Runs[i])
			_ = s.Runs[i].Transients()
		}
	})
}

// A file that was another one in two runs is none that waits belong into; one that cannot be read may be any.
func TestFilesThatAreSeen(t *testing.T) {
	r := Run{Commands: []Command{{Source: "x:y/a.js:2:3", Callers: []Caller{{Place: "calls.js:4:1"}}}, {Source: "b.js:1:1"}, {Source: "gone.js:1:1"}, {}}}
	texts := map[string]string{"x:y/a.js": "a", "b.js": "b", "calls.js": "c"}
	read := func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	s := &Session{Runs: []Run{r, r}}
	s.See(&r, read)
	texts["b.js"] = "changed"
	s.See(&r, read)
	m := Learn(s)
	for _, tt := range []struct {
		source, text string
		want         bool
	}{
		{"x:y/a.js:9:9", "a", true}, {"x:y/a.js:2:3", "other", false}, {"b.js:1:1", "b", false}, {"b.js:1:1", "changed", false},
		{"gone.js:1:1", "anything", true}, {"calls.js:4:1", "c", true}, {"calls.js:4:1", "other", false},
	} {
		if got := m.Recorded(tt.source, []byte(tt.text)); got != tt.want {
			t.Errorf("%s with %q: %v", tt.source, tt.text, got)
		}
	}
}

// What nothing waits for is told with its reason, and what is waited for as such.
func TestFates(t *testing.T) {
	r := Run{Commands: []Command{act(10, "click"), read(20, `""`, `"23"`, 300), act(1000, "click")}}
	other := func(element string, m Mutation) Mutation { m.Element = element; return m }
	hidden, direct := other("#hidden", change(60, "text", "", "x")), other("#busy", change(61, "text", "", "x"))
	hidden.Visible, direct.Later = false, false
	r.Mutations = []Mutation{
		change(5, "text", "", "loaded"),
		change(60, "text", "", "23"),
		hidden, direct,
		other("#list", change(62, "@style", "", "x")),
		other("#toast", change(63, "children", "0", "1")),
		other("#toast", change(90, "children", "1", "0")),
		other("#list", change(91, "children", "0", "2")),
		other("#list", change(92, "children", "2", "5")),
	}
	want := []Fate{Direct, Awaited, Hidden, Direct, Unasked, Undone, Undone, Passing, Unneeded}
	for i := range 12 {
		r.Mutations = append(r.Mutations, other("#clock", change(100+10*float64(i), "text", fmt.Sprint(i), fmt.Sprint(i+1))))
		want = append(want, Background)
	}
	s := one(r, 0)
	if diff := cmp.Diff(want, Learn(s).Fates(s, 0)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// An action waits for what changed before it, where runs in which it came earlier failed.
func TestFatesOfActions(t *testing.T) {
	late := Run{Commands: []Command{act(10, "click"), act(100, "press")}, Mutations: []Mutation{change(60, "text", "", "23")}}
	early := Run{Status: 1, Commands: []Command{act(10, "click"), act(20, "press")}, Mutations: late.Mutations}
	s := &Session{Runs: []Run{late, early}}
	if got := Learn(s).Fates(s, 0); got[0] != Awaited {
		t.Errorf("got %v", got)
	}
}

// What a timer or a socket brings about again and again, and no action, is background after a few times already; what
// actions may be behind, and what comes once for each, is not.
func TestDriven(t *testing.T) {
	// run has two actions, and changes at times, each to its time and another text.
	run := func(cause Cause, since float64, other string, at ...float64) Run {
		r := Run{Commands: []Command{act(10, "open"), act(100, "click"), act(500, "press")}}
		for _, at := range at {
			m := change(at, "text", "", fmt.Sprint(at, other))
			m.Cause, m.Since = cause, since
			r.Mutations = append(r.Mutations, m)
		}
		return r
	}
	failed := func(r Run) Run {
		r.Status, r.Failed = 1, []Span{{From: 420, To: 1000}}
		return r
	}
	for _, tt := range []struct {
		name string
		runs []Run
		want Fate
	}{
		{"a ticker from before", []Run{run(Timer, 50, "", 120, 190, 400)}, Driven},
		{"of no known cause", []Run{run("", 0, "", 120, 190, 400)}, Unneeded},
		{"twice alone", []Run{run(Timer, 50, "", 120, 190)}, Unneeded},
		{"a ticker that the action set", []Run{run(Timer, 110, "", 120, 190, 400)}, Unneeded},
		{"once for each action, and while loading", []Run{run(Timer, 5, "", 50, 120, 510)}, Unneeded},
		{"a feed", []Run{run(Socket, 50, "a", 120, 190, 400), run(Socket, 50, "b", 120, 190, 400)}, Driven},
		{"a feed that answers", []Run{run(Socket, 110, "a", 120, 190, 400), run(Socket, 110, "b", 120, 190, 400)}, Unneeded},
		{"a feed that ends otherwise where a test failed", []Run{run(Socket, 50, "", 120, 190, 400), failed(run(Socket, 50, "", 120, 190, 400, 450))},
			Unneeded},
		{"messages that end the same", []Run{run(Socket, 50, "", 120, 190, 400), run(Socket, 50, "", 120, 190, 400)}, Unneeded},
	} {
		s := &Session{Runs: tt.runs}
		fates := Learn(s).Fates(s, 0)
		if got := fates[len(fates)-1]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// An attribute that shows nowhere is none that an action waits for, unless the suite speaks of it.
func TestPlain(t *testing.T) {
	plain := change(300, "@data-rev", "1", "2")
	plain.Plain = true
	shown := change(310, "@data-rev", "2", "3")
	speaks := read(5, `"1"`, `"1"`, 0)
	speaks.Reads = "attribute data-rev"
	found := speaks
	found.Reads, found.Found = "text", []Locator{{Using: "css selector", Value: "[data-rev='2']"}}
	for _, tt := range []struct {
		name    string
		before  []Command
		changes []Mutation
		want    Fate
	}{
		{"shows nowhere", nil, []Mutation{plain}, Plain},
		{"may show", nil, []Mutation{plain, shown}, Awaited},
		{"is read", []Command{speaks}, []Mutation{plain}, Awaited},
		{"is looked for", []Command{found}, []Mutation{plain}, Awaited},
	} {
		run := func(status int, second float64) Run {
			return Run{Status: status, Commands: append(slices.Clone(tt.before), act(10, "click"), act(second, "press")), Mutations: tt.changes}
		}
		s := &Session{Runs: []Run{run(0, 600), run(1, 20)}}
		fates := Learn(s).Fates(s, 0)
		if got := fates[len(fates)-1]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

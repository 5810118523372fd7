package webdriver

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// A read that is asked again is asked of what has come in the place of its element, once something has, as where a
// frame loads itself anew, also where that was so at first; while a suite is recorded, it is told of that.
func TestReadsOfElementsThatGiveWay(t *testing.T) {
	element := func(id string) string { return `{"` + elementKey + `":"` + id + `"}` }
	d := &fakeDriver{answers: map[string][]string{
		"POST /element":        {element("e1"), "!no such element", element("e2")},
		"GET /element/e1/text": {`"0"`, `{"error":"stale element reference"}`},
		"GET /element/e2/text": {`"0"`, `"23"`},
	}}
	c := newSuite(t, d, none{})
	c.find("#age")
	c.tap.patience = until{value: `"23"`}
	if got := c.ask("GET", session+"/element/e1/text", ""); got != `"23"` {
		t.Errorf("the text is %s", got)
	}
	if got := c.ask("GET", session+"/element/e1/text", ""); got != `"23"` {
		t.Errorf("an element that is gone at first: %s", got)
	}
	c.tap.patience = quiet{}
	if got := c.ask("GET", session+"/element/e1/text", ""); got != stale {
		t.Errorf("while it is recorded: %s", got)
	}
	commands := c.tap.end().Commands
	if read := commands[1]; read.First.Value != `"0"` || len(read.Later) != 1 || read.Later[0].Value != `"23"` {
		t.Errorf("noted: %+v", read)
	}
}

// Of a page that nobody watched from its beginning it is not known for a while whether it is at rest; with its next
// document, and once it is gone, it is.
func TestPagesThatWereThereBefore(t *testing.T) {
	w := newWatcher(1, time.Now())
	before := time.Now().Add(-time.Hour)
	atRest := func() bool { return w.quietFor(before) > rest }
	w.missed("p1")
	w.missed("p2")
	if atRest() {
		t.Error("it is taken to be at rest")
	}
	w.begins("p1")
	w.forgetPage("p2")
	if !atRest() {
		t.Error("it is not, though nothing is under way")
	}
	w.unseen["p1"] = time.Now().Add(-unseenFor)
	if !atRest() {
		t.Error("it never is")
	}
}

// What is read behind an action that brought such a page is noted as read of one that was not seen, also where it is
// there and cannot be watched yet; what is read once it is gone is not.
func TestWindowsThatAreWatchedTooLate(t *testing.T) {
	b := newFakeBrowser(t)
	c, n := conversing(t, b.addr, none{})
	w := c.browserOf(id(n)).watcher
	run := func(kind oracle.Kind) {
		c.Command(oracle.Command{Browser: n, Kind: kind, Does: string(kind)}, false, values(`"23"`).ask, nil)
	}
	run(oracle.Acts)
	run(oracle.Reads)
	for len(b.calls) > 0 {
		<-b.calls
	}
	b.tell <- `{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"` + busyPage + `","type":"page","url":"http://x/"}}}`
	<-b.calls
	run(oracle.Reads)
	if w.missedSince(time.Now()) {
		t.Error("it came with an action that came later")
	}
	c.Ends(n)
	run(oracle.Reads)
	var unseen []bool
	for _, command := range c.end().Commands {
		unseen = append(unseen, command.Unseen)
	}
	if diff := cmp.Diff([]bool{false, false, true, false}, unseen); diff != "" {
		t.Error(diff)
	}
}

// What a page says of an element is kept within bounds.
func TestNamesAreBounded(t *testing.T) {
	id := oracle.Name{By: "id", Locator: oracle.Locator{Using: "css selector", Value: "#a"}}
	long := oracle.Name{By: "text", Text: strings.Repeat("x", maxName+1)}
	nth := oracle.Name{By: "id", Locator: oracle.Locator{Using: "css selector", Value: "p", Nth: 2}}
	many := make([]oracle.Name, 100)
	for i := range many {
		many[i] = id
	}
	if diff := cmp.Diff([][]oracle.Name{{id}}, bare([][]oracle.Name{{long, id, nth}})); diff != "" {
		t.Error(diff)
	}
	if got := bare([][]oracle.Name{many}); len(got[0]) != maxNames {
		t.Errorf("%d names", len(got[0]))
	}
	if got := bare(make([][]oracle.Name, maxSteps+1)); got != nil {
		t.Errorf("%d roots", len(got))
	}
}

// The names of what is read are asked of who finds it, where there is time for that, and what is acted on has those of
// the last look.
func TestNamesAreNoted(t *testing.T) {
	id := [][]oracle.Name{{{By: "id", Locator: oracle.Locator{Using: "css selector", Value: "#a"}}}}
	for _, p := range []patience{none{}, quiet{}} {
		c, n := conversing(t, "", p)
		read := oracle.Command{Browser: n, Kind: oracle.Reads, Does: "text of locator('#a')", Reads: "text", Names: id}
		c.Command(read, false, values(`"23"`).ask, func() [][]oracle.Name { return id })
		want := id
		if !p.looks() {
			want = nil
		}
		if diff := cmp.Diff(want, c.end().Commands[0].Names); diff != "" {
			t.Errorf("%T: %s", p, diff)
		}
	}
	b := &browser{named: map[string][][]oracle.Name{"e1": id}}
	tp := &tap{patience: quiet{}}
	u := &turn{request: request{about: "e1"}, browser: b, command: oracle.Command{Kind: oracle.Acts}}
	if tp.name(u, reply{}); !cmp.Equal(u.command.Names, id) {
		t.Errorf("an action: %v", u.command.Names)
	}
}

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

// What has come in the place of an element is found within the same shadow root, and is the same of those that were found
// together.
func TestWhatComesInsteadIsFoundAsItWas(t *testing.T) {
	element := func(id string) string { return `{"` + elementKey + `":"` + id + `"}` }
	root := `{"` + shadowKey + `":"s1"}`
	d := &fakeDriver{answers: map[string][]string{
		"POST /element":            {element("e1")},
		"GET /element/e1/shadow":   {root},
		"POST /shadow/s1/elements": {"[" + element("e2") + "," + element("e3") + "]", "[" + element("e4") + "," + element("e5") + "]"},
		"GET /element/e3/text":     {`{"error":"stale element reference"}`},
		"GET /element/e4/text":     {`"another"`},
		"GET /element/e5/text":     {`"23"`},
	}}
	c := newSuite(t, d, none{})
	c.find("card")
	c.ask("GET", session+"/element/e1/shadow", "")
	c.ask("POST", session+"/shadow/s1/elements", `{"using":"css selector","value":"p"}`)
	c.tap.patience = until{value: `"23"`}
	if got := c.ask("GET", session+"/element/e3/text", ""); got != `"23"` {
		t.Errorf("the text is %s", got)
	}
}

// Where a driver ends while a read is asked again, the suite is given the first answer.
func TestDriverThatEndsMeanwhile(t *testing.T) {
	c := newSuite(t, &fakeDriver{answers: map[string][]string{"GET /title": {`""`, "gone"}}}, until{value: `"23"`})
	if got := c.ask("GET", session+"/title", ""); got != `""` {
		t.Errorf("the title is %s", got)
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

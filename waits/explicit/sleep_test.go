package explicit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/waits/oracle"
)

// slept is a model of a run in which a read came a second after a click, long after a change by itself had brought
// its answer about; and of what else was so.
func slept(source string, more ...oracle.Mutation) *oracle.Model {
	return oracle.Learn(&oracle.Session{Runs: []oracle.Run{sleptRun(source, more...)}})
}

func sleptRun(source string, more ...oracle.Mutation) oracle.Run {
	click := oracle.Command{Browser: 1, Kind: oracle.Acts, Does: "click", Source: strings.Replace(source, ":3:", ":1:", 1), Start: 100}
	is := oracle.Answer{Value: `"23"`, At: 1110}
	find := oracle.Command{Browser: 1, Kind: oracle.Reads, Does: "find age", By: css("#age"), Source: source, Start: 1090,
		First: oracle.Answer{Value: `"an element"`, At: 1091}, Given: oracle.Answer{Value: `"an element"`, At: 1091}}
	read := oracle.Command{Browser: 1, Kind: oracle.Reads, Does: "text of age", Reads: "text", Found: []oracle.Locator{css("#age")},
		Source: source, Start: 1100, First: is, Given: is}
	change := oracle.Mutation{Browser: 1, Element: "#age", Property: "text", New: "23", At: 400, Later: true, Visible: true}
	return oracle.Run{Commands: []oracle.Command{click, find, read}, Mutations: append([]oracle.Mutation{change}, more...)}
}

// A sleep that the wait behind it makes needless becomes a comment, and comes back when the file is patched anew; any
// other one stays, with the reason.
func TestReplaceSleeps(t *testing.T) {
	more := oracle.Mutation{Browser: 1, Element: "#more", Property: "text", New: "more", At: 900, Later: true, Visible: true}
	const js, jsRead, pyRead = "await driver.findElement(By.id('go')).click();\n", "await driver.findElement(By.id('age')).getText();\n", "driver.find_element(By.ID, 'age').text\n"
	for _, tt := range []struct {
		name, file, text string
		more             []oracle.Mutation
		gone             int
		has              string // in the text, or in the reason
	}{
		{"selenium's own", "a.js", js + "await driver.sleep(500); // slow\n" + jsRead, nil, 1, "\n// flaketap: in the place of await driver.sleep(500); // slow\n// flaketap: ready 300ms"},
		{"a promise", "a.js", js + "await new Promise((r) => setTimeout(r, 500))\n" + jsRead, nil, 1, "in the place of await new"},
		{"Python", "a.py", "import time\ntime.sleep(.5)\n" + pyRead, nil, 1, "\n# flaketap: in the place of time.sleep(.5)\n# flaketap: ready"},
		{"more changes", "a.js", js + "await driver.sleep(500);\n" + jsRead, []oracle.Mutation{more}, 0, errMore.Error()},
		{"under a condition", "a.js", "if (x)\n  await driver.sleep(500);\n" + jsRead, nil, 0, errAlone.Error()},
		{"behind a condition", "a.py", "import time\nif x: time.sleep(.5)\n" + pyRead, nil, 0, errAlone.Error()},
		{"part of an expression", "a.js", js + "const x = await driver.sleep(500);\n" + jsRead, nil, 0, errAlone.Error()},
		{"a promise that does more", "a.js", js + "await new Promise((r) => { go(); setTimeout(r, 500); });\n" + jsRead, nil, 0, errAlone.Error()},
		{"with another statement", "a.js", js + "await driver.sleep(500); go();\n" + jsRead, nil, 0, errAlone.Error()},
		{"an action of its own", "a.js", js + "await driver.actions().pause(500).click().perform();\n" + jsRead, nil, 0, errAlone.Error()},
		{"before something else", "a.js", "await driver.sleep(500);\ngo();\n" + jsRead, nil, 0, errNext.Error()},
		{"of a thread", "A.java", "class A { void a() {\n    Thread.sleep(500);\n    driver.findElement(By.id(\"age\")).getText();\n} }", nil, 1, "\n    // flaketap: in the place of Thread.sleep(500);\n"},
		{"of a thread that is caught", "A.java", "class A { void a() { try {\n    Thread.sleep(500);\n    driver.findElement(By.id(\"age\")).getText();\n} catch (InterruptedException e) {} } }",
			nil, 0, errAlone.Error()},
	} {
		m := slept(tt.file+":3:1", tt.more...)
		r := Patch(tt.file, []byte(tt.text), m, Options{ReplaceSleeps: true})
		said := string(r.Data) + fmt.Sprint(r.Left)
		if r.Written != 1 || r.Gone != tt.gone || !strings.Contains(said, tt.has) {
			t.Errorf("%s: %d written, %d gone, left %v\n%s", tt.name, r.Written, r.Gone, r.Left, r.Data)
		}
		if again := Patch(tt.file, r.Data, m, Options{ReplaceSleeps: true}); string(again.Data) != string(r.Data) {
			t.Errorf("%s: patched twice:\n%s", tt.name, again.Data)
		}
		if without := Patch(tt.file, r.Data, m, Options{}); string(without.Data) != string(Patch(tt.file, []byte(tt.text), m, Options{}).Data) {
			t.Errorf("%s: its sleep does not come back:\n%s", tt.name, without.Data)
		}
	}
}

// A sleep stays where a read behind it, in the same block, gets no wait, though it comes to be ready with the others.
func TestSleepBeforeWhatGetsNoWait(t *testing.T) {
	run := sleptRun("a.js:3:1")
	for _, c := range run.Commands[1:] {
		c.Source = "a.js:4:1"
		run.Commands = append(run.Commands, c)
	}
	m := oracle.Learn(&oracle.Session{Runs: []oracle.Run{run}})
	const text = "await driver.findElement(By.id('go')).click();\nawait driver.sleep(500);\nawait driver.findElement(By.id('age')).getText();\n"
	const head = "for (const c of await driver.findElement(By.id('age')).getText()) {}\n"
	r := Patch("a.js", []byte(text+head), m, Options{ReplaceSleeps: true})
	if r.Written != 1 || r.Gone != 0 || !strings.Contains(fmt.Sprint(r.Left), errBehind.Error()) {
		t.Errorf("%d written, %d gone, left %v\n%s", r.Written, r.Gone, r.Left, r.Data)
	}
	block := strings.Replace(text, "await driver.findElement(By.id('go')).click();\nawait driver.sleep(500);", "if (x) {\n  await driver.sleep(500);", 1)
	block = strings.Replace(block, "\nawait driver.findElement(By.id('age'))", "\n  await driver.findElement(By.id('age'))", 1)
	if r := Patch("a.js", []byte(block+"}"+head), m, Options{ReplaceSleeps: true}); r.Gone != 1 {
		t.Errorf("of another block: %d gone, left %v\n%s", r.Gone, r.Left, r.Data)
	}
}

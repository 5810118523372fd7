package suite

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// grafted patches a file of one test, which reads what was there, by [aGraft]; why is what keeps the set-up out.
func grafted(t *testing.T, name, source string) (patched, why string) {
	t.Helper()
	return graftedBy(t, name, source, aGraft())
}

// graftedBy does so by another set-up.
func graftedBy(t *testing.T, name, source string, g Grafting) (patched, why string) {
	t.Helper()
	src := Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{
		Seq: 1, Request: sentRequest("GET /items/4 HTTP/1.1\r\nHost: x\r\n\r\n", ""), Response: reply(404, "", ""),
	}}}}
	s, err := Read(name, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	h := Bind(s, src, nil)
	test := s.Tests[len(s.Tests)-1]
	d := Dependency{held: h, test: test}
	why = d.Refuses(g)
	out := h.Patch(PatchOptions{Grafts: map[string]Grafting{test.Name: g}})
	if patched = string(out.Data); why != "" && slices.ContainsFunc(out.Changes, func(c Change) bool { return c.Kind == Grafted }) {
		t.Errorf("%s, and is given it:\n%s", why, patched)
	}
	return patched, why
}

// written are files of one test each that reads /items/4, with what becomes of them: the test as a whole, behind MARK.
func written(t *testing.T) map[string][2]string {
	t.Helper()
	out := map[string][2]string{}
	for _, name := range []string{"py", "js", "java", "kt", "gotest"} {
		data, err := os.ReadFile("testdata/handset/cases." + name)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		for _, c := range strings.Split(string(data), "\n=== ")[1:] {
			title, rest, _ := strings.Cut(c, "\n")
			before, after, _ := strings.Cut(rest, "\n---\n")
			out[title+"."+name] = [2]string{before + "\n", strings.TrimSuffix(after, "\n") + "\n"}
		}
	}
	return out
}

// A test that only hands something on is given a set-up where nothing of it is taken away again.
func TestGraftHandedOn(t *testing.T) {
	cases := written(t)
	for _, name := range []string{"py", "js", "java", "kt", "gotest"} {
		g := aGraft()
		g.Graft = g.WithoutCleanUp([]int{0})
		file := strings.Replace("t."+name, ".gotest", "_test.go", 1)
		got, why := graftedBy(t, file, cases["handed on."+name][0], g)
		if again, err := Read(file, []byte(got)); why != "" || err != nil || !again.Tests[len(again.Tests)-1].HasSetUp() {
			t.Errorf("%s: %q, %v\n%s", name, why, err, got)
		}
	}
}

// A test that a person wrote gets its set-up in its own words, or a reason why not.
func TestGraftWritten(t *testing.T) {
	cases := written(t)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			file := strings.Replace("t"+name[strings.LastIndexByte(name, '.'):], ".gotest", "_test.go", 1)
			got, why := grafted(t, file, c[0])
			if reason, refused := strings.CutPrefix(c[1], "refused: "); refused {
				if why != strings.TrimSuffix(reason, "\n") {
					t.Errorf("%q\n%s", why, got)
				}
				return
			}
			if why != "" || got != c[1] {
				t.Errorf("%s\n%s", why, got)
			}
			again, err := Read(file, []byte(got))
			if err != nil || !again.Tests[len(again.Tests)-1].HasSetUp() {
				t.Errorf("it is not read again: %v", err)
			}
		})
	}
}

// What stands in no literal of the test is not guessed: the graft names a value at a place that the test has not.
func TestGraftWrittenElsewhere(t *testing.T) {
	s, err := Read("t.py", []byte("import requests\n\nITEM = 4\n\n\ndef test_0():\n    res = requests.get(f\"http://h/items/{ITEM}\")\n    assert res.ok\n"))
	if err != nil {
		t.Fatal(err)
	}
	h := Bind(s, Source{}, nil)
	d := Dependency{held: h, test: s.Tests[0]}
	if why := d.Refuses(aGraft()); !strings.HasPrefix(why, "what the set-up makes has another id each time") {
		t.Errorf("%q", why)
	}
	if why := d.Refuses(Grafting{Graft: setup.Graft{Refused: setup.HoldsAlone}}); why != "" {
		t.Errorf("%q", why)
	}
}

// A suite that was generated has words for a set-up, and none for one that may find made what it makes: that is said
// while another way is still looked for.
func TestGraftGeneratedBears(t *testing.T) {
	s, err := Read("EvoMaster_Test.py", []byte(graftedSuite))
	if err != nil {
		t.Fatal(err)
	}
	d := Dependency{held: Bind(s, Source{}, nil), test: s.Tests[0]}
	g := aGraft()
	if why := d.Refuses(g); why != "" {
		t.Errorf("it is refused: %s", why)
	}
	g.Steps[0].MayBeThere, g.Steps[0].Status = true, 0
	if why := d.Refuses(g); why == "" {
		t.Error("it is not refused")
	}
}

func TestApplyIndents(t *testing.T) {
	got := script.Apply("a\n  b\n\n  c\nd\n", []script.Edit{{Start: 2, End: 11, Indent: "  "}, {Start: 4, End: 5, Text: "x\n  y"},
		{Start: 2, End: 2, Text: "  // say\n"}, {Start: 11, End: 11, Text: "}\n"}})
	if want := "a\n    // say\n    x\n    y\n\n  " + "  c\n}\nd\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An assertion that sends a request itself is not weakened where that request is changed: both would be at one place.
func TestGraftWrittenOwnRequest(t *testing.T) {
	got, why := grafted(t, "test_a.py", "import requests\n\nBASE = \"http://localhost:1\"\n\ndef test_read():\n"+
		"    assert requests.get(f\"{BASE}/items/4\").json()[\"at\"] == \"y\"\n")
	if why != "" || !strings.Contains(got, "assert requests.get(f\"{BASE}/items/{setup_itemId}\").json()[\"at\"] == \"y\"\n") {
		t.Errorf("%s\n%s", why, got)
	}
}

package book

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// The documentation is a book: each page is listed, and no link leads nowhere.
func TestTheDocumentation(t *testing.T) {
	b, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Make(os.DirFS("../.."), dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Chapters() {
		page, err := os.ReadFile(filepath.Join(dir, c.Page))
		if err != nil {
			t.Error(err)
		}
		if want := `<a href="` + c.Page + `" aria-current="page">`; !strings.Contains(string(page), want) {
			t.Errorf("%s does not show where it stands: %s", c.Page, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "docs", "report-light.png")); err != nil {
		t.Error(err)
	}
}

// small is a repository with a book of two chapters.
func small(more map[string]string) fstest.MapFS {
	files := map[string]string{
		"docs/README.md": "# Book\n\nWhat it is.\n\n## Part\n\n- [One](one.md): the first\n- [Two](../TWO.md)\n",
		"docs/one.md":    "# The first\n\nA `<tag>` & a [link](../TWO.md#the-end) to [data](data.json).\n\n## Here it is\n\n| a | b |\n|---|---|\n| x | <y@z.org> |\n",
		"docs/data.json": "{}",
		"TWO.md":         "# The second\n\n## The end\n\n    code <b>\n\n[up](docs/one.md#here-it-is) [away](https://example.com/x#y) [self](#the-end)\n",
	}
	maps.Copy(files, more)
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestSite(t *testing.T) {
	b, err := Read(small(nil))
	if err != nil {
		t.Fatal(err)
	}
	files, err := b.Site()
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]string{}
	for _, f := range files {
		site[f.Name] = string(f.Data)
	}
	for page, wants := range map[string][]string{
		"index.html": {`<a href="one.html">One</a>`, `<a href="two.html">Two</a>`, `<h2>Part</h2>`, `rel="next" href="one.html"`},
		"one.html": {`<code>&lt;tag&gt;</code> &amp; a <a href="two.html#the-end">link</a>`, `<a href="docs/data.json">data</a>`,
			`<h2 id="here-it-is">`, `<td>x</td>`, `rel="prev" href="index.html"`},
		"two.html":       {`<a href="one.html#here-it-is">`, `<a href="https://example.com/x#y">`, `<a href="two.html#the-end">self</a>`, `code &lt;b&gt;`},
		"index.js":       {`const sections = [`, `{"page":"two.html","chapter":"Two","id":"the-end","title":"The end","text":"code \u003cb\u003e up away self"}`},
		"docs/data.json": {`{}`},
		"search.html":    {`id="found"`},
	} {
		for _, want := range wants {
			if !strings.Contains(site[page], want) {
				t.Errorf("%s lacks %s:\n%s", page, want, site[page])
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		more map[string]string
		want string
	}{
		"a file that is not there": {map[string]string{"TWO.md": "# Two\n\n## The end\n\n[x](docs/none.md)\n"}, "TWO.md: link to docs/none.md: "},
		"a heading that is not there": {map[string]string{"TWO.md": "# Two\n\n## The end\n\n[x](docs/one.md#none)\n"},
			"TWO.md: link to docs/one.md#none: docs/one.md has no such heading"},
		"a folder outside":   {map[string]string{"TWO.md": "# Two\n\n## The end\n\n[x](../../etc/passwd)\n"}, "TWO.md: link to ../../etc/passwd: "},
		"an image":           {map[string]string{"TWO.md": "# Two\n\n## The end\n\n![x](none.png)\n"}, "TWO.md: link to none.png: "},
		"HTML in a line":     {map[string]string{"TWO.md": "# Two\n\n## The end\n\na <br> b\n"}, "TWO.md: HTML is not shown"},
		"HTML":               {map[string]string{"TWO.md": "# Two\n\n## The end\n\n<script>\nx\n</script>\n"}, "TWO.md: HTML is not shown"},
		"no heading":         {map[string]string{"TWO.md": "Two\n"}, "TWO.md: it does not begin with a heading"},
		"an empty page":      {map[string]string{"TWO.md": ""}, "TWO.md: it does not begin with a heading"},
		"one page of two":    {map[string]string{"docs/two.md": "# Two\n", "docs/README.md": "# Book\n\n## Part\n\n- [One](one.md)\n- [Two](../TWO.md)\n- [Two](two.md)\n"}, "TWO.md and docs/two.md would be one page"},
		"an unlisted page":   {map[string]string{"docs/three.md": "# Three\n"}, "docs/three.md: docs/README.md does not list it"},
		"no chapter":         {map[string]string{"docs/README.md": "# Book\n\n## Part\n\n- [One](none.md)\n"}, "read chapter: open docs/none.md"},
		"an item of text":    {map[string]string{"docs/README.md": "# Book\n\n## Part\n\n- One\n"}, "begins with a link"},
		"an item of no text": {map[string]string{"docs/README.md": "# Book\n\n## Part\n\n-\n"}, "begins with a link"},
		"an item of a list":  {map[string]string{"docs/README.md": "# Book\n\n## Part\n\n- - [One](one.md)\n"}, "begins with a link"},
		"an early list":      {map[string]string{"docs/README.md": "# Book\n\n- [One](one.md)\n"}, "begins with a link, below a heading"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(small(c.more)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The search finds what has all the words, or words that begin with them, the title before the text.
func TestSearch(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	script := `const document = { querySelector: () => null, getElementById: () => null, addEventListener() {} };
const matchMedia = () => ({ matches: false });
const sections = [
  { page: 'a.html', chapter: 'Storing', title: 'How sure', text: 'A bound of the clock. '.repeat(500) },
  { page: 'b.html', chapter: 'The map', title: 'The bound', text: 'of the clocks' },
  { page: 'd.html', chapter: 'Reading', title: 'Again', text: 'map, map, map' },
  { page: 'c.html', chapter: 'The map', title: 'Nothing', text: 'bound, though of no time' },
];
` + string(searchJS) + `
for (const q of ['clock bound', 'CLOCKS', 'thou', 'nowhere bound', '', '<b>', 'ound', 'map']) console.log(search(q).map((s) => s.page).join(' '));
console.log(excerpt(sections[0].text, 'clock').length);`
	out, err := exec.Command(node, "-e", script).CombinedOutput()
	if want := "b.html a.html\nb.html\nc.html\n\n\nb.html c.html a.html\na.html b.html c.html\nb.html c.html d.html\n241\n"; err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}

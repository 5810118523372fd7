package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/flaketap/flaketap/internal/testbed/browser"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
)

// axe is axe-core, which says what of a page keeps people from using it.
type axe struct {
	t      *testing.T
	source string
}

func newAxe(t *testing.T) *axe {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", ".tools", "node", "node_modules", "axe-core", "axe.min.js"))
	needs.That(t, "axe-core (make tools installs it)", err == nil)
	return &axe{t, string(source)}
}

// load puts axe-core into the page of a tab: once more for each page that it goes to.
func (a *axe) load(tab context.Context) {
	a.t.Helper()
	browser.Eval[bool](a.t, tab, a.source+"; typeof axe.run === 'function'")
}

// check fails the test where what a selector finds on the page of a tab, in either color scheme, has a serious or
// critical finding.
func (a *axe) check(tab context.Context, what, within string) {
	a.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		browser.Prefer(a.t, tab, scheme)
		found := browser.Eval[[]string](a.t, tab, "axe.run('"+within+`', {resultTypes: ['violations']}).then((r) => {
			if (r.passes.length < 2) return ['axe looked at next to nothing'];
			return r.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').flatMap((v) =>
				v.nodes.slice(0, 5).map((n) => v.impact + ' ' + v.id + ': ' + n.target.join(' ') + ': ' + n.html.slice(0, 120) + ': ' +
					(n.any[0] ?? n.all[0] ?? n.none[0])?.message));
		})`)
		for _, f := range found {
			a.t.Errorf("%s, %s: %s", what, scheme, f)
		}
	}
}

// TestRealNodeAxe holds that axe-core finds nothing serious in the report, with all that it may show opened, and in each
// panel of the page, in light colors and in dark ones.
func TestRealNodeAxe(t *testing.T) {
	a := newAxe(t)
	b := newBench(t)
	db := recorded.Write(t, recorded.Market(), 4)
	session := `{"flaketap":"waits-session","version":1,"runs":[{"patience":"rest","status":0,"commands":[
		{"browser":1,"kind":"acts","does":"click on css \"#go\"","start":10,"first":{"value":"0","at":20},"given":{"value":"0","at":20}},
		{"browser":1,"kind":"reads","does":"text of css \"#age\"","reads":"text","start":30,"first":{"value":"\"\"","at":40},
		 "later":[{"value":"\"23\"","at":300}],"given":{"value":"\"23\"","at":300}}],
		"mutations":[{"browser":1,"element":"#clock","property":"text","new":"1","at":90,"later":true,"visible":true}],
		"requests":[{"browser":1,"what":"GET /age","start":12,"end":200}]}]}`
	if err := os.WriteFile(filepath.Join(b.dir, "session.json"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	b.must("flaketap report --db " + db + " --waits session.json --out report.html")
	tab := browser.Open(t, 1300, 900)
	browser.Do(t, tab, chromedp.Navigate("file://"+filepath.Join(b.dir, "report.html")))
	a.load(tab)
	browser.Eval[int](t, tab, "[...document.querySelectorAll('details')].map((d) => { d.open = true; }).length")
	a.check(tab, "report", "html")

	page := openUI(t, b, "--db", db)
	page.until("document.querySelectorAll('#stream [data-n]').length > 10")
	a.load(page.tab)
	a.check(page.tab, "ui", "html")
	for _, panel := range []struct{ name, shows string }{{"exchange?n=8", "Exchange 8"}, {"raw?n=8", "HTTP/1.1"}, {"beside?n=8&a=0&b=3", "orderId"},
		{"why?n=8&place=/body/number", "How it was judged"}, {"depends?n=8", "All that needs it"}, {"replays", "recorded requests again"},
		{"rules", "by the runs alone"}, {"exports", "The map"}} {
		page.open(panel.name, panel.shows)
		name, _, _ := strings.Cut(panel.name, "?")
		a.check(page.tab, "ui "+name, "#panel")
	}
}

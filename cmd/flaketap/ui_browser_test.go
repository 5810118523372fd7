package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/flaketap/flaketap/internal/testbed/browser"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/volatility/compare"
)

// uiPage is the page of a flaketap ui that runs, in a browser.
type uiPage struct {
	t    *testing.T
	tab  context.Context
	base string // its origin
}

// openUI starts flaketap ui and opens its page.
func openUI(t *testing.T, b *bench, args ...string) *uiPage {
	t.Helper()
	p := b.run(nil, append([]string{"ui"}, args...)...)
	address := p.wait(`(http://127\.0\.0\.1:\d+/#token=\w+)`)
	base, _, _ := strings.Cut(address, "/#")
	page := &uiPage{t, browser.Open(t, 1300, 900), base}
	browser.Do(t, page.tab, chromedp.Navigate(address))
	return page
}

// until waits until an expression is true.
func (p *uiPage) until(expression string) {
	p.t.Helper()
	browser.Until(p.t, p.tab, expression)
}

// open follows a link to a panel, and waits until it shows a text.
func (p *uiPage) open(panel, text string) {
	p.t.Helper()
	browser.Eval[string](p.t, p.tab, fmt.Sprintf("location.hash = %q", "#/"+panel))
	p.until(fmt.Sprintf("document.getElementById('panel').innerText.includes(%q)", text))
}

// press presses a button of the panel by its text.
func (p *uiPage) press(text string) {
	p.t.Helper()
	button := fmt.Sprintf("[...document.querySelectorAll('#panel button')].find((b) => b.innerText === %q)", text)
	p.until(button)
	browser.Eval[bool](p.t, p.tab, button+".click() === undefined")
}

// TestRealNodeUI looks at a recording with a browser while a client is recorded, then through each panel: what a user
// sees and does there.
func TestRealNodeUI(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	recorder := b.run(nil, "record", "--target", url, "--listen", "127.0.0.1:0")
	at := recorder.url()
	page := openUI(t, b)
	page.until("document.getElementById('now').innerText.includes('has been recording')")
	if at := browser.Eval[string](t, page.tab, "location.href"); strings.Contains(at, "token") {
		t.Errorf("the address keeps the token: %s", at)
	}
	b.must("flaketap demo client --url " + at)
	page.until("document.querySelectorAll('#stream [data-n]').length > 10")
	recorder.signal(os.Interrupt)
	recorder.exit(0)
	page.until("!document.getElementById('now').innerText.includes('recording since')")

	// The stream, by its keys.
	browser.Do(t, page.tab, chromedp.Focus(chromedp.CSS("#stream")), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	page.until("location.hash === '#/exchange?n=2' && document.getElementById('row-2').ariaSelected === 'true'")
	page.until("document.querySelector('#panel h2')?.innerText === 'Exchange 2'")
	page.open("raw?n=2", "HTTP/1.1")

	// A replay, and what it says, while it is under way and afterwards.
	page.open("replays", "recorded requests again")
	page.press("Start")
	page.until("document.getElementById('panel').innerText.includes('; done')")
	page.until("document.getElementById('now').innerText.includes('1 run')")
	place, n := b.moved()
	page.open(fmt.Sprintf("exchange?n=%d", n), "≠")
	page.open(fmt.Sprintf("beside?n=%d", n), place)
	page.until("document.querySelectorAll('#panel .pairs mark').length > 1")
	page.open(fmt.Sprintf("why?n=%d&place=%s", n, place), "How it was judged")
	page.open(fmt.Sprintf("depends?n=%d", n), "All that needs it")

	// Rules, as they are typed.
	page.open("rules", "by the runs alone")
	browser.Do(t, page.tab, chromedp.SendKeys(chromedp.CSS("#panel [name=place]"), place))
	page.until("document.querySelector('#effect pre')?.innerText.includes('rule: ignore')")
	page.open("exports", "The map")
	page.alone()
}

// moved is a place of a body that moved between the recording and a run, and an exchange that has it.
func (b *bench) moved() (place string, n uint64) {
	b.t.Helper()
	steps, _ := b.steps("flaketap.db")
	for _, s := range steps {
		for _, o := range s.Observations {
			for _, d := range compare.Read(s.Exchange.Response, s.Exchange.Fault).Differences(compare.Read(o.Response, o.Fault)) {
				if d.Kind == compare.Changed && strings.HasPrefix(string(d.Place), "/body/") {
					return string(d.Place), s.Exchange.Seq
				}
			}
		}
	}
	b.t.Fatal("nothing moved")
	return "", 0
}

// alone has a page of another origin ask for what is on this one, in each way that a browser knows.
func (p *uiPage) alone() {
	p.t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><p>another origin")
	}))
	defer other.Close()
	browser.Do(p.t, p.tab, chromedp.Navigate(other.URL))
	for _, ask := range []string{
		`fetch(%[1]q + '/rows?from=1&count=9', {credentials: 'include'}).then((r) => r.text(), () => 'nothing')`,
		`fetch(%[1]q + '/rows?from=1&count=9', {credentials: 'include', mode: 'no-cors'}).then((r) => r.type, () => 'nothing')`,
		`fetch(%[1]q + '/panel/replays', {method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({do: 'start', runs: '1'})}).then((r) => r.type, () => 'nothing')`,
		`new Promise((done) => { const e = document.createElement('script'); e.onload = () => done('script'); e.onerror = () => done('nothing'); e.src = %[1]q + '/page.js'; document.head.append(e); })`,
		`new Promise((done) => { const e = document.createElement('iframe'); e.onload = () => { let text = 'nothing'; try { text = e.contentDocument ? 'read' : 'nothing'; } catch { } done(text); }; e.src = %[1]q + '/'; document.body.append(e); })`,
	} {
		if got := browser.Eval[string](p.t, p.tab, fmt.Sprintf(ask, p.base)); got != "nothing" {
			p.t.Errorf("another origin gets %q by %s", got, ask)
		}
	}
}

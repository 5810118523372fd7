package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/browser"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/store"
)

var update = flag.Bool("update", false, "write the pictures of docs/ui.md")

// TestEvalScreenshots takes the pictures of the page that docs/ui.md shows: go test ./report/ui -run TestEvalScreenshots
// -update. Without -update it only looks whether Chromium draws the page.
func TestEvalScreenshots(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Market(), 10)})
	for _, size := range []struct {
		name          string
		width, height int
	}{{"", 1240, 720}, {"narrow-", 390, 844}} {
		tab := browser.Open(t, size.width, size.height)
		browser.Do(t, tab, chromedp.Navigate(s.Address()))
		browser.Until(t, tab, "document.querySelectorAll('#stream [data-n]').length > 10")
		browser.Do(t, tab, chromedp.Click(chromedp.CSS("#row-8")))
		browser.Until(t, tab, "document.querySelector('#panel h2')?.innerText === 'Exchange 8'")
		browser.Eval[string](t, tab, "location.hash = '#/beside?n=8&a=0&b=3'")
		browser.Until(t, tab, "document.querySelectorAll('#panel mark').length > 2")
		browser.Do(t, tab, chromedp.Focus(chromedp.CSS("#stream")))
		for scheme, picture := range browser.Pictures(t, tab, size.width, 15_000, 150_000) {
			if *update {
				file := "ui-" + size.name + scheme + ".png"
				check(t, os.WriteFile(filepath.Join("..", "..", "docs", file), picture, 0o644))
			}
		}
	}
}

// many makes a recording of so many exchanges.
func many(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	check(t, err)
	_, err = db.BeginPass(exchange.Pass{Source: "record", Target: "http://127.0.0.1:8080"})
	check(t, err)
	for i := range n {
		check(t, db.Record(exchangeOf(fmt.Sprintf("GET /orders/%d/lines?page=%d HTTP/1.1\nHost: shop", i*7919%n, i%9),
			fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"order\":%d,\"total\":%d.5,\"state\":\"new\"}", i, i%700))))
	}
	check(t, db.Close())
	return path
}

// TestEvalScroll scrolls through 100,000 exchanges, as far as a wheel goes and in leaps, and tells how many frames a
// second the browser draws meanwhile, and how long it takes until the rows of a place that was leapt to are there.
func TestEvalScroll(t *testing.T) {
	const exchanges = 100_000
	begun := time.Now()
	s := serve(t, Options{DB: many(t, exchanges)})
	t.Logf("recorded and served after %s", time.Since(begun).Round(time.Millisecond))
	tab := browser.Open(t, 1300, 900)
	browser.Do(t, tab, chromedp.Navigate(s.Address()))
	browser.Until(t, tab, "document.querySelectorAll('#stream [data-n]').length > 10")
	for name, step := range map[string]string{"a wheel": "120", "a page at a time": "800", "the whole list in five seconds": "stream.scrollHeight / 300"} {
		before := browser.Worked(t, tab)
		frames := browser.Eval[float64](t, tab, fmt.Sprintf(`new Promise((done) => {
			const stream = document.getElementById('stream'), begun = performance.now();
			stream.scrollTop = 0;
			let frames = 0;
			const frame = (now) => {
				frames++;
				stream.scrollTop += %s;
				if (now - begun < 5000) requestAnimationFrame(frame); else done(frames * 1000 / (now - begun));
			};
			requestAnimationFrame(frame);
		})`, step))
		work := (browser.Worked(t, tab) - before) * 1000 / (frames * 5)
		t.Logf("%s: %.0f frames a second, %.1f ms of processor time for a frame", name, frames, work)
		if frames < 30 && work > 1000./30 {
			t.Errorf("%s: %.0f frames a second, less than 30", name, frames)
		}
	}
	var worst time.Duration
	for i := range 20 {
		n := 1 + i*49_999/10%exchanges
		begun := time.Now()
		browser.Eval[bool](t, tab, fmt.Sprintf("(document.getElementById('stream').scrollTop = %d) >= 0", (n-1)*24))
		browser.Until(t, tab, fmt.Sprintf("document.getElementById('row-%d')?.children[2].innerText === 'GET'", n))
		worst = max(worst, time.Since(begun))
	}
	t.Logf("a leap takes %s at most", worst.Round(time.Millisecond))
}

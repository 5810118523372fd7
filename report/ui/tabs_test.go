package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/flaketap/flaketap/internal/testbed/browser"
)

// A browser has six connections to one server: tabs that nobody looks at leave them to the one that is seen.
func TestManyTabs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	one := exchangeOf("GET /orders HTTP/1.1\nHost: shop", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}")
	record(t, path, one)
	s := serve(t, Options{DB: path})
	first := browser.Open(t, 800, 600)
	look := func(tab context.Context, hidden bool) {
		browser.Eval[bool](t, tab, fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %v, configurable: true}),
			document.dispatchEvent(new Event('visibilitychange'))`, hidden))
	}
	for i := range 8 {
		tab := first
		if i > 0 {
			var stop context.CancelFunc
			tab, stop = chromedp.NewContext(first)
			t.Cleanup(stop)
			browser.Do(t, tab, chromedp.EmulateViewport(800, 600)) // it is there from now on
		}
		limited, stop := context.WithTimeout(tab, 30*time.Second) // without connections it waits for ever
		browser.Do(t, limited, chromedp.Navigate(s.Address()))
		stop()
		browser.Until(t, tab, "document.querySelector('#now').textContent.startsWith('1 exchange ')")
		browser.Until(t, tab, "document.querySelectorAll('#stream [data-n]').length > 0")
		look(tab, true)
	}
	record(t, path, one)
	look(first, false)
	browser.Until(t, first, "document.querySelector('#now').textContent.startsWith('2 exchanges ')")
}

// Package browser drives Chromium, for tests of pages. Where there is none, tests are skipped by its name.
package browser

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// patience bounds how long something is waited for.
const patience = 30 * time.Second

// Open starts a browser with an empty tab of a size in pixels, which ends with the test. What fails in the tab's script
// fails the test.
func Open(t testing.TB, width, height int) context.Context {
	t.Helper()
	program := found(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.WindowSize(width, height), chromedp.Flag("disable-dev-shm-usage", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	Do(t, ctx, chromedp.EmulateViewport(int64(width), int64(height)))
	err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page's script failed: %+v", e.ExceptionDetails)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// found returns the path of a browser.
func found(t testing.TB) (path string) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if at, err := exec.LookPath(name); err == nil {
			path = at
			break
		}
	}
	needs.Optional(t, "chromium", path != "")
	return path
}

// Do does something in a tab; what goes wrong ends the test.
func Do(t testing.TB, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Eval returns the value of an expression of the page's script, or what its promise comes to.
func Eval[T any](t testing.TB, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Until waits until an expression of the page's script is true.
func Until(t testing.TB, ctx context.Context, expression string) {
	t.Helper()
	waiting := fmt.Sprintf(`new Promise((done) => {
		const end = Date.now() + %d;
		const look = () => { if (%s) done(true); else if (Date.now() > end) done(false); else setTimeout(look, 10); };
		look();
	})`, patience.Milliseconds(), expression)
	if !Eval[bool](t, ctx, waiting) {
		t.Fatalf("%s does not come true; the page shows:\n%s", expression, Eval[string](t, ctx, "document.body.innerText"))
	}
}

// Prefer has a tab prefer a color scheme, "light" or "dark".
func Prefer(t testing.TB, ctx context.Context, scheme string) {
	t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	if err != nil {
		t.Fatal(err)
	}
}

// Pictures are one of a tab in dark colors and one in light ones, by these. Each has so many bytes, at least and at
// most, where the page is drawn; and the page is to fit into the tab's width.
func Pictures(t testing.TB, ctx context.Context, width, least, most int) map[string][]byte {
	t.Helper()
	if wide := Eval[int](t, ctx, "document.documentElement.scrollWidth"); wide > width {
		t.Errorf("at a width of %d the page is %d wide: it has to be moved sideways to be read", width, wide)
	}
	all := map[string][]byte{}
	for _, scheme := range []string{"dark", "light"} {
		Prefer(t, ctx, scheme)
		picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if len(picture) < least || len(picture) > most {
			t.Errorf("the picture in %s colors, %d wide, has %d bytes", scheme, width, len(picture))
		}
		all[scheme] = picture
	}
	return all
}

// Worked is the processor time, in seconds, that the thread of a tab has used since it was first asked for: layout,
// script and painting, but not what other threads draw.
func Worked(t testing.TB, ctx context.Context) float64 {
	t.Helper()
	domain := performance.EnableTimeDomainThreadTicks
	_, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: domain})
	if err != nil {
		t.Fatal(err)
	}
	all, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	t.Fatal("the browser does not say how long it worked")
	return 0
}

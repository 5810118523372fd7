package page

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/flaketap/flaketap/internal/testbed/browser"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/report/findings"
)

// TestEvalScreenshots takes the pictures of the page that docs/report.md shows: go test ./report/page -run
// TestEvalScreenshots -update. Without -update it only looks whether Chromium draws the page.
func TestEvalScreenshots(t *testing.T) {
	f := gathered(t, recorded.Market(), 10)
	old := gathered(t, slices.Concat(recorded.Market()[:10], recorded.Market()[11:]), 10)
	f.Compare(old.Map)
	rates, err := findings.DecodeRates([]byte(`{"flaketap": "stabilize-report", "holds": true, "before": {"runs": 10, "tests": 24, "failing": 9, "failure_rate": 0.231},
		"after": {"runs": 10, "tests": 24, "failing": 0, "failure_rate": 0}}`))
	check(t, err)
	f.Measure(rates)
	page := filepath.Join(t.TempDir(), "report.html")
	check(t, os.WriteFile(page, []byte(write(t, f)), 0o600))
	for _, size := range []struct {
		name          string
		width, height int
	}{{"", 1100, 980}, {"narrow-", 390, 844}} {
		tab := browser.Open(t, size.width, size.height)
		browser.Do(t, tab, chromedp.Navigate("file://"+page))
		for scheme, picture := range browser.Pictures(t, tab, size.width, 20_000, 160_000) {
			if *update {
				file := "report-" + size.name + scheme + ".png"
				check(t, os.WriteFile(filepath.Join("..", "..", "docs", file), picture, 0o644))
			}
		}
	}
}

package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/report/findings"
)

// TestEvalScreenshots takes the pictures of the page that docs/report.md shows: go test ./report/page -run
// TestEvalScreenshots -update. Without -update it only looks whether Chromium draws the page.
func TestEvalScreenshots(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	needs.Optional(t, "chromium", err == nil)
	f := gathered(t, recorded.Market(), 10)
	old := gathered(t, slices.Concat(recorded.Market()[:10], recorded.Market()[11:]), 10)
	f.Compare(old.Map)
	rates, err := findings.DecodeRates([]byte(`{"flaketap": "stabilize-report", "holds": true, "before": {"runs": 10, "tests": 24, "failing": 9, "failure_rate": 0.231},
		"after": {"runs": 10, "tests": 24, "failing": 0, "failure_rate": 0}}`))
	check(t, err)
	f.Measure(rates)
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	check(t, os.WriteFile(page, []byte(write(t, f)), 0o600))
	for i, scheme := range []string{"dark", "light"} {
		file := filepath.Join(dir, "report-"+scheme+".png")
		out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
			"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, scheme),
			fmt.Sprintf("--blink-settings=preferredColorScheme=%d", i), "--window-size=1100,980", "--screenshot="+file, "file://"+page).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		picture, err := os.ReadFile(file)
		check(t, err)
		if len(picture) < 20_000 || len(picture) > 150_000 {
			t.Errorf("the picture in %s colors has %d bytes", scheme, len(picture))
		}
		if *update {
			check(t, os.WriteFile(filepath.Join("..", "..", "docs", "report-"+scheme+".png"), picture, 0o644))
		}
	}
}

package suite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// TestFixtureSlips counts what EvoMaster wrote otherwise than its real sessions had sent it, and holds the suites against
// their re-executions: no test fails for that there, so that none may be mended.
func TestFixtureSlips(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "fixtures")
	dirs, _ := filepath.Glob(filepath.Join(root, "*", "*", "session.har.gz"))
	needs.That(t, "the folder of recorded sessions (shared/fixtures)", len(dirs) == 8)
	for _, dir := range dirs {
		session := readHAR(t, dir)
		dir = filepath.Dir(dir)
		files, _ := filepath.Glob(filepath.Join(dir, "EvoMaster_*"))
		runs, _ := filepath.Glob(filepath.Join(dir, "runs", "*.har.gz"))
		src := slipSource(nil)
		if len(runs) > 0 {
			src = judged(t, source(t, runs))
		}
		calls, found, bodies, headers := 0, 0, 0, 0
		for _, f := range files {
			s, err := Read(f, read(t, f))
			if err != nil {
				t.Fatal(err)
			}
			b := Bind(s, src, session)
			for _, test := range s.Tests {
				windows := b.comesFrom(test)
				calls += len(test.Calls)
				for _, c := range test.Calls {
					if len(windows) == 0 {
						continue
					}
					r := &windows[0].At[c].Exchange.Request
					found++
					if payload, _ := r.Payload(); string(payload) != c.Body {
						bodies++
					}
					if h, ok := c.Header("accept", 0); ok && r.Header.Get("Accept") != h.Value {
						headers++
					}
				}
			}
			if got := string(b.Patch(PatchOptions{}).Data); strings.Contains(got, "sent as the session did") {
				t.Errorf("%s: a request is mended, though no test fails for it", f)
			}
		}
		t.Logf("%s: %d calls, %d of them found in the session with their test, %d with another body than was sent, %d with another Accept",
			strings.TrimPrefix(dir, root), calls, found, bodies, headers)
		if found*2 < calls || found > calls {
			t.Errorf("%s: %d of %d calls found", dir, found, calls)
		}
	}
}

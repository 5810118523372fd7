package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/tidwall/gjson"
)

// TestRealScrapyd drives scrapyd, whose jobs are pending, running and finished as time goes by. It answers 200 to all that
// it understands, and says in the body whether it went well, and whether it knows the job: that is the outcome here. What
// a job is doing at a moment is not the request's to say, nor is whether it has a log yet: such steps are not stable.
func TestRealScrapyd(t *testing.T) {
	bin := python(t)
	_, err := os.Stat(filepath.Join(bin, "scrapyd"))
	need(t, "scrapyd (make tools installs it)", err == nil)
	b := newFuzzBench(t)
	b.testdata("scrapyd.py")
	a := b.realAPI("scrapyd", "mkdir data && cd data && printf '[scrapyd]\\nhttp_port=PORT\\npoll_interval=0.2\\nmax_proc=2\\n' >scrapyd.conf", "/daemonstatus.json")
	a.record("flaketap.db", "--target "+a.url, "python scrapyd.py $FLAKETAP_URL 2100")
	a.outcome = func(r *exchange.Response) string {
		body, err := r.Payload()
		if err != nil {
			return err.Error()
		}
		out := gjson.GetBytes(body, "status").String()
		if state := gjson.GetBytes(body, "currstate"); state.Exists() {
			out += fmt.Sprintf(", job known: %t", state.Type != gjson.Null)
		}
		return out
	}
	_, recorded := b.steps("flaketap.db")
	stable := map[uint64]bool{}
	for _, e := range recorded {
		stable[e.Seq] = !strings.HasPrefix(e.Request.Target, "/logs/")
	}
	a.replay(2, stable)
}

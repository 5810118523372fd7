package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// uiState is what the page of flaketap ui is told.
type uiState struct {
	File, Holder string
	Count        int
	Runs         []struct{ Number int }
}

// watch starts flaketap ui for a recording, and returns what waits until its page is told what is wanted.
func (b *bench) watch(db string) (until func(wanted func(uiState) bool)) {
	b.t.Helper()
	address := b.run(nil, "ui", "--db", db).wait(`(http://127\.0\.0\.1:\d+/#token=\w+)`)
	base, token, _ := strings.Cut(address, "/#token=")
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 2 * time.Minute}
	ask := func(method, path, body, key string) io.ReadCloser {
		r, err := http.NewRequestWithContext(b.t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			b.t.Fatal(err)
		}
		r.Header.Set("Origin", base)
		r.Header.Set("X-Flaketap-Key", key)
		answer, err := client.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			b.t.Fatalf("%s %s: %v %v", method, path, answer, err)
		}
		b.t.Cleanup(func() { answer.Body.Close() })
		return answer.Body
	}
	key, err := io.ReadAll(ask(http.MethodPost, "/session", token, ""))
	if err != nil {
		b.t.Fatal(err)
	}
	events := bufio.NewReader(ask(http.MethodGet, "/events", "", string(key)))
	return func(wanted func(uiState) bool) {
		b.t.Helper()
		var now uiState
		for {
			line, err := events.ReadString('\n')
			if err != nil {
				b.t.Fatalf("the page is told nothing but %+v: %v", now, err)
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			now = uiState{}
			if err := json.Unmarshal([]byte(data), &now); err != nil {
				b.t.Fatal(err)
			}
			if wanted(now) {
				return
			}
		}
	}
}

// The page shows the run of a suite that stabilize has under way, before there is the recording of them all; then that,
// and who is at work on the next round.
func TestUIWatchesStabilize(t *testing.T) {
	t.Parallel()
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("mkdir good")
	b.write("good/a_test.py", []byte(`import unittest
import requests
class T(unittest.TestCase):
    def test_0(self):
        headers = {}
        res_0 = requests.get(self.baseUrlOfSut + "/static/json", headers=headers)
        assert res_0.status_code == 200
`))
	// The second run goes on once it was seen.
	b.write("good/run.sh", []byte(`curl -sf -o /dev/null $FLAKETAP_URL/static/json
test -e ../../begun || { : >../../begun; exit 0; }
while [ ! -e "$SEEN" ]; do sleep 0.05; done
`))
	until := b.watch("suite.db")
	b.env = append(b.env, "SEEN="+b.dir+"/seen")
	work := b.run(nil, "stabilize", "--db", "suite.db", "--target", url, "--reset", url+"/admin/reset", "--runs", "2", "good", "--", "sh", "{}/run.sh")
	until(func(s uiState) bool { return s.Count == 1 && strings.Contains(s.Holder, "has been stabilizing") })
	b.write("seen", nil)
	until(func(s uiState) bool { return s.Count == 1 && len(s.Runs) == 1 && s.File == "suite.db" })
	work.exit(0)
}

// The page shows the trials of a search while it runs.
func TestUIWatchesSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start, ready := b.tripsAPI()
	until := b.watch("out/tried.db")
	search := b.run(nil, "mock", "search", "--request", quoteRequest, "--start", start, "--ready", ready, "--out", "out")
	until(func(s uiState) bool { return s.Count > 2 && strings.Contains(s.Holder, "has been searching") })
	search.signal(os.Interrupt)
	search.exit(0)
	until(func(s uiState) bool { return s.Count > 2 && s.Holder == "" })
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scrape asks for metrics as Prometheus does.
func scrape(t *testing.T, url string) map[string]string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%s %v: %v\n%s", resp.Status, resp.Header, err, text)
	}
	// Each metric is three lines: its meaning, its kind, its value.
	metric := regexp.MustCompile(`# HELP (flaketap_[a-z_]+) [^\n]+\n# TYPE (flaketap_[a-z_]+) (counter|gauge)\n(flaketap_[a-z_]+) (\d+)\n`)
	values := map[string]string{}
	for _, m := range metric.FindAllStringSubmatch(string(text), -1) {
		if m[1] != m[2] || m[1] != m[4] {
			t.Errorf("%q is of no one metric", m[0])
		}
		values[m[1]] = m[5]
	}
	if rest := metric.ReplaceAllString(string(text), ""); rest != "" {
		t.Errorf("what is no metric: %q", rest)
	}
	return values
}

// TestMetrics holds what is scraped against what has passed.
func TestMetrics(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fault" {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "done")
	}))
	defer api.Close()
	p := newBench(t).run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--sync")
	url := p.wait(`metrics are at (http://127\.0\.0\.1:\d+/metrics)`)
	get(t, p.url(), "/a") // its connection stays open
	get(t, p.url(), "/b")
	if resp, err := http.Get(p.url() + "/fault"); err == nil {
		t.Errorf("answered %s", resp.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	got := scrape(t, url)
	for name, least := range map[string]int{"flaketap_sent_bytes_total": 100, "flaketap_received_bytes_total": 200, "flaketap_connections_total": 3, "flaketap_open_connections": 2} {
		var n int
		if _, err := fmt.Sscan(got[name], &n); err != nil || n < least || n > 10*least {
			t.Errorf("%s is %q, want %d or a few more", name, got[name], least)
		}
		delete(got, name)
	}
	if got["flaketap_exchanges_total"] == "4" { // net/http asks once more where a connection ends without an answer
		got["flaketap_exchanges_total"], got["flaketap_faults_total"] = "3", "1"
	}
	want := map[string]string{
		"flaketap_exchanges_total": "3", "flaketap_faults_total": "1", "flaketap_pending_exchanges": "0",
		"flaketap_denied_requests_total": "0", "flaketap_blind_tunnels_total": "0", "flaketap_queue_bytes": "0",
		"flaketap_dropped_exchanges_total": "0", "flaketap_store_errors_total": "0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	page, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	page.Header.Set("Origin", "https://evil.example")
	if resp, err := http.DefaultClient.Do(page); err != nil || resp.StatusCode != 403 {
		t.Errorf("a web page is answered %v, %v", resp, err)
	}
	p.signal(os.Interrupt)
	p.exit(0)
}

// Where exchanges cannot be stored, the metrics say so while others pass.
func TestMetricsOfFullDisk(t *testing.T) {
	p := fullRecorder(t, "--on-store-error=pass --metrics 127.0.0.1:0")
	url := p.wait(`metrics are at (\S+)`)
	askOften(t, p.url())
	if got := scrape(t, url); got["flaketap_store_errors_total"] == "0" || got["flaketap_exchanges_total"] != fmt.Sprint(asksWhenFull) {
		t.Errorf("%v", got)
	}
}

// The address of metrics follows the rules of --listen.
func TestMetricsAddress(t *testing.T) {
	b := newBench(t)
	for addr, want := range map[string]string{":0": "has no host", "9090": "must be an address such as"} {
		p := b.run(nil, "record", "--listen", "127.0.0.1:0", "--metrics", addr)
		p.exit(2)
		p.says(1, want)
	}
	p := b.run(nil, "record", "--listen", "127.0.0.1:0", "--metrics", "0.0.0.0:0")
	p.wait(`anyone who can connect to \S+ can read these metrics`)
	p.signal(os.Interrupt)
	p.exit(0)
}

package main

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// prices is a bench with an API that asks a service of its own for rates, which are others each time, and for orders. led
// is how flaketap leads it; real lets it ask that service, which close ends.
type prices struct {
	*bench
	led, real string
	close     func()
}

func newPrices(t *testing.T) prices {
	t.Helper()
	bin := python(t)
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	ca, err := certs.LoadOrCreate(filepath.Join(t.TempDir(), "services"))
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/orders" {
			fmt.Fprintf(w, `{"number":%d}`, 7000+asked.Add(1))
			return
		}
		fmt.Fprintf(w, `{"usd":%.2f}`, 1+float64(asked.Add(1))/100)
		w.(http.Flusher).Flush() // in chunks
	}))
	service.TLS = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return ca.Leaf("localhost") }}
	service.StartTLS()
	t.Cleanup(service.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(service.URL, "https://"), ":")
	b.write("prices.py", read(t, filepath.Join("testdata", "external", "prices.py")))
	b.env = append(b.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", "SSL_CERT_FILE="+ca.CertFile(), "PRICES=https://localhost:"+port, "TMPDIR="+b.dir)
	led := "--start '" + bin + "/python prices.py # {port}' --ready http://127.0.0.1:{port}/health --external --mock localhost:" + port
	return prices{b, led, " --allow localhost ", service.Close}
}

// asksForPrices is a client; equal requests get other rates.
const asksForPrices = ` -- sh -c 'for path in price/1 price/2 price/2 order; do curl -sf $FLAKETAP_URL/$path && echo; done'`

// told counts who answered what an API asked, by run.
func (p prices) told() map[string]int {
	who := map[string]int{}
	for _, x := range externalsOf(p.t, p.bench) {
		by := x.Stub
		if x.Real {
			by = "real"
		} else if strings.HasPrefix(by, "recorded ") {
			by = "recorded"
		}
		who[fmt.Sprintf("%d %s", x.Run, by)]++
	}
	return who
}

// What real services answered when the API was recorded they answer in runs that have none, whatever command makes them;
// what is asked in runs is of the run.
func TestRealPythonExternalRuns(t *testing.T) {
	p := newPrices(t)
	first := p.must("flaketap record --listen 127.0.0.1:0 " + p.led + p.real + asksForPrices)
	if !strings.Contains(first, "4 calls of the real service, allowed, 0 without an answer") {
		t.Errorf("record says\n%s", first)
	}
	p.must("flaketap replay --runs 2 --workers 2 " + p.led + p.real)
	p.close()
	for _, command := range []string{"replay --runs 2", "replay --perturb tz,hostname", "rerun --listen 127.0.0.1:0"} {
		client := ""
		if strings.HasPrefix(command, "rerun") {
			client = asksForPrices
		}
		out := p.must("flaketap " + command + " " + p.led + client)
		if !strings.Contains(out, ", 0 without a stub") || strings.Contains(out, "0 calls") || client != "" && beginning(out, "{") != beginning(first, "{") {
			t.Errorf("%s says\n%s\nat first it was\n%s", command, out, first)
		}
	}
	who := p.told()
	for run := 0; run <= 8; run++ {
		by := "recorded"
		if run <= 2 {
			by = "real"
		}
		if n := who[fmt.Sprintf("%d %s", run, by)]; n != 4 {
			t.Errorf("run %d: %d calls were answered as %s, want 4: %v", run, n, by, who)
		}
	}
}

// beginning returns the lines that begin so.
func beginning(text, prefix string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return !strings.HasPrefix(l, prefix) }), "\n")
}

// What moves because a service answers otherwise is told so, by the answer's own value; the experiments show what else
// depends on services.
func TestRealPythonExternalsMove(t *testing.T) {
	p := newPrices(t)
	p.must("flaketap record --listen 127.0.0.1:0 " + p.led + p.real + asksForPrices)
	p.must("flaketap replay --runs 2 --perturb externals=frozen,externals=changed,externals=down " + p.led + p.real)
	p.must("flaketap map --out map.json")
	got := map[string]string{}
	for _, o := range p.readMap("map.json").Operations {
		for _, f := range o.Fields {
			for _, e := range f.Evidence {
				if strings.HasPrefix(e, "follows-external:") || strings.HasPrefix(e, "moved-only-by:externals") {
					_, value, _ := strings.Cut(e, "/")
					got[o.Template+" "+string(f.Place)] += fmt.Sprintf("%s %s %s ", f.Judgement, f.Category, cmp.Or(value, e))
				}
			}
		}
	}
	want := map[string]string{
		"/order /body/number":    "jitter Env orders#/number ",
		"/price/{id} /body/rate": "jitter Env rates/usd#/usd ", "/price/{id} /body/cents": "jitter Env rates/usd#/usd ",
		"/price/{id} /body/error": "hint Env moved-only-by:externals=down ",
	}
	for place, evidence := range want {
		if got[place] != evidence {
			t.Errorf("%s: %q, want %q", place, got[place], evidence)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the evidence is %v", got)
	}
	if out, status := p.sh("flaketap replay --perturb externals --start true --ready http://127.0.0.1:1/"); status != exitUsage || !strings.Contains(out, "it needs --external") {
		t.Errorf("without --external: %d\n%s", status, out)
	}
}

// A number that the API draws anew looks like any other: what is asked with another one has the recorded answer once a
// run has shown that it moves, for whoever sends.
func TestRealPythonExternalsCompared(t *testing.T) {
	p := newPrices(t)
	client := " -- sh -c 'curl -sf $FLAKETAP_URL/draw'"
	p.must("flaketap record --listen 127.0.0.1:0 " + p.led + p.real + client)
	for _, want := range []string{", 1 without a stub", ", 0 without a stub"} {
		if out := p.must("flaketap replay --runs 1 " + p.led); !strings.Contains(out, want) {
			t.Errorf("want %q:\n%s", want, out)
		}
	}
	if out := p.must("flaketap rerun --listen 127.0.0.1:0 " + p.led + client); !strings.Contains(out, ", 0 without a stub") {
		t.Errorf("rerun says\n%s", out)
	}
}

// A suite that holds with what was recorded holds wherever a command starts the API, several at once too.
func TestRealPythonExternalSuites(t *testing.T) {
	p := newPrices(t)
	bin := python(t)
	out := p.must("flaketap record --listen 127.0.0.1:0 " + p.led + p.real + asksForPrices)
	rate, _, _ := strings.Cut(out[strings.Index(out, `"rate": `)+len(`"rate": `):], ",")
	p.close()
	p.must("mkdir suite")
	p.write("suite/test_prices.py", fmt.Appendf(nil, `import os, requests

def test_price():
    assert requests.get(os.environ["FLAKETAP_URL"] + "/price/1").json()["rate"] == %s
`, rate))
	pytest := bin + "/python -m pytest -q -p no:cacheprovider"
	for _, line := range []string{
		"verify --runs 2 " + p.led + " suite -- " + pytest + " {}",
		"steady " + p.led + " -- " + pytest + " suite",
		"stabilize --db own.db --session flaketap.db --learn 2 --runs 2 --workers 2 --orders 0 --out stable " + p.led + " suite -- " + pytest + " {}",
	} {
		out := p.must("flaketap " + line)
		if !strings.Contains(out, ", 0 without a stub") || !strings.Contains(out, "flaketap: localhost:") {
			t.Errorf("%s says\n%s", line, out)
		}
	}
	if out, status := p.sh("flaketap verify --runs 1 --stubs suite " + p.led + " suite -- " + pytest + " {}"); status == 0 && !strings.Contains(out, "1 without a stub") {
		t.Errorf("with stubs nothing recorded is to answer:\n%s", out)
	}
}

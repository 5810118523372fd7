package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// recordShop records requests for some paths of the truth API and replays them, so that a map can be made.
func (b *bench) recordShop(paths string) {
	b.t.Helper()
	needs.That(b.t, "curl", found("curl"))
	b.must("flaketap record " + shopStarts(b.t) + "--listen 127.0.0.1:0 -- sh -c 'for p in " + paths + "; do curl -sSf $FLAKETAP_URL$p; done'")
	b.must("flaketap replay --runs 4 " + shopStarts(b.t))
}

// startShop starts the truth API, and returns its URL.
func (b *bench) startShop() string {
	b.t.Helper()
	return b.start("env FLAKETAP_TEST_AS_SHOP=ADDR '"+testBinary(b.t)+"'", "/health")
}

const syrupySuite = `
import os
import pytest
import requests
from volatile import lower, volatile

PATHS = ["/health", "/health/machine", "/odd/keys", "/static/json"]


def asked(path):
    response = requests.get(os.environ["API"] + path, timeout=30)
    body = response.json()
    if os.environ.get("BREAK") and path == "/health":
        body["clock"]["rfc3339"] = "today"
    if os.environ.get("BREAK") and path == "/static/json":
        body["title"] = "Simple"
    return volatile.get(f"GET {path} 200"), response, body


@pytest.mark.parametrize("path", PATHS)
def test_matched(path, snapshot):
    v, response, body = asked(path)
    if v is None:  # but for its date, nothing moves
        assert body == snapshot
    else:
        assert body == snapshot(**v["body"])
        assert lower(response.headers) == snapshot(**v["headers"])


@pytest.mark.parametrize("path", PATHS)
def test_plain(path, snapshot):
    _, _, body = asked(path)
    assert body == snapshot
`

// Snapshots taken with the matchers of the map hold on another instance of the API, where those without do not; and they
// fail where a value is not what holds of it, or one that is stable is another.
func TestRealPythonMapSyrupy(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	_, status := b.sh("python -c 'import syrupy, requests'")
	needs.That(t, "syrupy (make tools installs it)", status == 0)
	b.recordShop("/health /health/machine /odd/keys /static/json")
	b.must("flaketap map --format syrupy --out volatile.py")
	if err := os.WriteFile(filepath.Join(b.dir, "test_shop.py"), []byte(syrupySuite), 0o600); err != nil {
		t.Fatal(err)
	}
	const run = "python -m pytest -q -p no:cacheprovider -p syrupy "
	first := b.startShop()
	b.must(run+"--snapshot-update test_shop.py", "API="+first)
	other := b.startShop()
	if out, status := b.sh(run+"-k test_matched test_shop.py", "API="+other); status != 0 || !strings.Contains(out, "4 passed") {
		t.Errorf("with matchers: status %d\n%s", status, out)
	}
	if out, status := b.sh(run+"-k test_plain test_shop.py", "API="+other); status != 1 || !strings.Contains(out, "3 failed, 1 passed") {
		t.Errorf("without matchers: status %d\n%s", status, out)
	}
	if out, status := b.sh(run+"-k test_matched test_shop.py", "API="+other, "BREAK=1"); status != 1 || !strings.Contains(out, "2 failed, 2 passed") {
		t.Errorf("what does not hold: status %d\n%s", status, out)
	}
}

const jestSuite = `
const { matchers, strip } = require('./volatile.js');

const asked = async (path) => {
  const response = await fetch(process.env.API + path);
  const body = await response.json();
  if (process.env.BREAK && path === '/health') body.clock.rfc3339 = 'today';
  if (process.env.BREAK && path === '/static/json') body.title = 'Simple';
  return [matchers['GET ' + path + ' 200'], body, Object.fromEntries(response.headers)];
};
const paths = ['/health', '/health/machine', '/odd/keys', '/static/json'];

test.each(paths)('matched %s', async (path) => {
  const [m, body, headers] = await asked(path);
  if (!m) return expect(body).toMatchSnapshot(); // but for its date, nothing moves
  expect(strip(body, m.optional)).toMatchSnapshot(m.body);
  expect(headers).toMatchObject(m.headers);
});
test.each(paths)('plain %s', async (path) => {
  expect((await asked(path))[1]).toMatchSnapshot();
});
`

// The same with Jest and its property matchers.
func TestRealNodeMapJest(t *testing.T) {
	t.Parallel()
	modules, there := toolsDir(t, "node")
	needs.That(t, "Jest (make tools installs it)", there && found("node"))
	b := newBench(t)
	b.recordShop("/health /health/machine /odd/keys /static/json")
	b.must("flaketap map --format jest --out volatile.js")
	b.write("shop.test.js", []byte(jestSuite))
	b.write("package.json", []byte("{}"))
	run := modules + "/node_modules/.bin/jest --colors=false "
	first := b.startShop()
	b.must(run, "API="+first, "CI=")
	other := b.startShop()
	if out, status := b.sh(run+"--ci", "API="+other); status != 1 || strings.Count(out, "✓ matched") != 4 || strings.Count(out, "✕ plain") != 3 {
		t.Errorf("of another instance: status %d\n%s", status, out)
	}
	if out, status := b.sh(run+"--ci -t matched", "API="+other, "BREAK=1"); status != 1 || strings.Count(out, "✕ matched") != 2 {
		t.Errorf("what does not hold: status %d\n%s", status, out)
	}
}

// WireMock takes the stub mappings of the map and serves them; and what it matches by the matchers in their metadata are
// answers of another instance of the API, and no others.
func TestRealJVMMapWireMock(t *testing.T) {
	t.Parallel()
	lib, there := toolsDir(t, "java")
	needs.That(t, "WireMock (make tools installs it)", there && found("java"))
	b := newBench(t)
	paths := []string{"/health", "/health/machine", "/odd/keys", "/static/json"}
	b.recordShop(strings.Join(paths, " "))
	b.must("flaketap map --format wiremock --out mappings.json")
	mappings := read(t, filepath.Join(b.dir, "mappings.json"))
	reference := "http://" + wireMock(t, lib, t.TempDir())
	send := func(method, url string, body []byte) (int, []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, data
	}
	if status, said := send("POST", reference+"/__admin/mappings/import", mappings); status != 200 {
		t.Fatalf("WireMock answers %d: %s", status, said)
	}
	var all struct {
		Mappings []struct {
			Name     string
			Metadata struct{ Flaketap map[string]any }
		}
	}
	if err := json.Unmarshal(mappings, &all); err != nil {
		t.Fatal(err)
	}
	// What is said of answers becomes what is wanted of requests to a path of its own.
	for _, m := range all.Mappings {
		path := strings.Fields(m.Name)[1]
		wanted := map[string]any{"method": "POST", "urlPath": "/check" + path, "bodyPatterns": m.Metadata.Flaketap["bodyPatterns"]}
		stub, err := json.Marshal(map[string]any{"request": wanted, "response": map[string]int{"status": 202}})
		if err != nil {
			t.Fatal(err)
		}
		if status, said := send("POST", reference+"/__admin/mappings", stub); status != 201 {
			t.Fatalf("WireMock answers %d: %s", status, said)
		}
	}
	other := b.startShop()
	for _, path := range paths {
		if status, _ := send("GET", reference+path, nil); status != 200 {
			t.Errorf("the stub of %s answers %d", path, status)
		}
		_, body := send("GET", other+path, nil)
		if status, _ := send("POST", reference+"/check"+path, body); status != 202 {
			t.Errorf("%s of another instance does not match: %d\n%s", path, status, body)
		}
		broken := regexp.MustCompile(`"(rfc3339|title)":\s*"[^"]*"`).ReplaceAll(body, []byte(`"$1":"today"`))
		if status, _ := send("POST", reference+"/check"+path, broken); (status == 202) != bytes.Equal(broken, body) {
			t.Errorf("%s with a value that does not hold: %d\n%s", path, status, broken)
		}
	}
}

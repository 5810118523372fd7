package main

import (
	"os"
	"path/filepath"
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

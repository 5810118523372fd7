package jest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// Where flaketap is not, an API that follows what a service's head refers to stays with the stubs: a path, and the
// service's own address; other services' are left as they are.
func TestMocksLeadOnHere(t *testing.T) {
	needs.That(t, "node", exec.Command("node", "--version").Run() == nil)
	dir := t.TempDir()
	server, err := runtime.ReadFile("runtime/" + mocksFile)
	if err != nil {
		t.Fatal(err)
	}
	const client = `exports.send = async ({ method, target, base, body }) => fetch(base + target, { method, body });`
	const stubs = `{"mappings": [{"request": {}, "response": {"status": 302, "headers": {"Location": "/to", "X-Path": "/to",
		"Link": ["<https://a.example/next?p=2>; rel=\"next\"", "<//b.example/x>", "<http://a.example:443/>, </last>"]}}}]}`
	for name, text := range map[string]string{"runtime/" + mocksFile: string(server), "runtime/flaketap.js": client, "mocks/001.json": stubs} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", "-e", `
const { loadMocks, mocks } = require("./mocks.js");
loadMocks("001").then(() => require("node:http").get(mocks.url + "/a.example:443/moved", (r) => {
  const got = [r.headers.location, r.headers["x-path"], r.headers.link].join(" ");
  const want = "/a.example:443/to /to <" + mocks.url + "/a.example:443/next?p=2>; rel=\"next\", <//b.example/x>, <" +
    mocks.url + "/a.example:443/>, </a.example:443/last>";
  if (got !== want) console.log(got + "\n" + want);
  process.exit(0);
}));
`)
	cmd.Dir = filepath.Join(dir, "runtime")
	cmd.Env = append(os.Environ(), "FLAKETAP_MOCKS=", "FLAKETAP_RESET=", "FLAKETAP_MOCKS_PORT=0")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

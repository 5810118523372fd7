package polling

import (
	"os/exec"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// An error that tells the number of a status that nobody waits for is passed on at once. A status in words tells of no
// such number, and the read is sent again.
func TestPollForErrors(t *testing.T) {
	node := needs.Program(t, "node")
	site := Site{Width: 80}
	site.Given.To = 1
	for of, want := range map[string]string{
		"{ status: 404 }": "1 after 2", "{ response: { status: 404 } }": "1 after 2", "{ status: 'Not Found' }": "1 after 2", "{}": "1 after 2",
		"{ status: 500 }": "Error after 1", "{ response: { status: 500 } }": "Error after 1",
	} {
		script := site.function("pollFor") + `
let n = 0;
const get = async () => {
  if (++n < 2) throw Object.assign(new Error(), ` + of + `);
  return n - 1;
};
pollFor(get, { ready: (body) => body === 1, early: [404], seconds: 60, every: 0.001 })
  .catch((error) => error.name)
  .then((said) => process.stdout.write(said + " after " + n));
`
		if out, err := exec.CommandContext(t.Context(), node, "-e", script).CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("an error with %s: %v, %s, not %s", of, err, out, want)
		}
	}
}

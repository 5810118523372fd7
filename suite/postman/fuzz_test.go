package postman

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"info\":{\"name\":\"x\"},\"item\":[{\"name\":\"a\",\"request\":{\"method\":\"GET\",\"url\":\"http://h/a\"},\"event\":[{\"listen\":\"test\",\"script\":{\"exec\":[\"pm.test(\\\"a\\\", () => {\",\"pm.response.to.have.status(200);\",\"pm.expect(pm.response.json().a).to.be.oneOf([1, 2]);\",\"});\"]}}]}]}"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "t.json", data) })
}

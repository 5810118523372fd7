package jest

import (
	"os"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("const superagent = require(\"superagent\");\ntest(\"a\", async () => {\n    const res_0 = await superagent.get(\"/a\");\n    expect(res_0.status).toBe(200);\n    if (res_0.body.a) expect(res_0.body.a).toMatch(/x/);\n});\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "t.js", data) })
}

// FuzzReadWritten does the same with what people write.
func FuzzReadWritten(f *testing.F) {
	text, err := os.ReadFile("testdata/written.test.js")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("it('a', async () => { const { a: [b], ...c } = await api.get(`/a/${x}`); expect(b).to.be.true; });"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Written(), "t.ts", data) })
}

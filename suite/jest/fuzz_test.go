package jest

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("const superagent = require(\"superagent\");\ntest(\"a\", async () => {\n    const res_0 = await superagent.get(\"/a\");\n    expect(res_0.status).toBe(200);\n    if (res_0.body.a) expect(res_0.body.a).toMatch(/x/);\n});\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := script.Read(Dialect(), "t.js", data)
		if err != nil {
			return
		}
		for _, test := range s.Tests {
			for _, a := range test.Assertions {
				if a.At.Start < 0 || a.At.End < a.At.Start || a.At.End > len(s.Text) {
					t.Fatalf("%s stands at %+v of %d bytes", a.Text, a.At, len(s.Text))
				}
				for _, e := range s.Writer.Disable(s, a) {
					if e.Start < 0 || e.End < e.Start || e.End > len(s.Text) {
						t.Fatalf("%s is commented out by %+v of %d bytes", a.Text, e, len(s.Text))
					}
				}
				if a.Meaning != nil {
					s.Writer.Assert(s, test, a, a.Meaning)
				}
			}
		}
	})
}

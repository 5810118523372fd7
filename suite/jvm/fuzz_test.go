package jvm

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("import io.restassured.*;\nclass T {\n    @Test\n    public void test_0() {\n        given().get(baseUrlOfSut + \"/a\").then().statusCode(200).body(\"'a'[0]\", anyOf(equalTo(1), nullValue()));\n    }\n}\n"))
	f.Add([]byte("import io.restassured.*;\nclass T {\n    @Test\n    public void test_0() {\n        given().get(baseUrlOfSut + \"/a\").then()" +
		".body(\"'t'?.with { new groovy.json.JsonSlurper().parse(java.util.Base64.getUrlDecoder().decode(it.tokenize('.')[1]), 'UTF-8') }?.'sub'\", anyOf(nullValue(), equalTo(1)), " +
		"\"'a'b'\", equalTo(1), \"'c'd'\", equalTo(2));\n    }\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := script.Read(Java(), "T.java", data)
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

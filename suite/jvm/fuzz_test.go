package jvm

import (
	"os"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("import io.restassured.*;\nclass T {\n    @Test\n    public void test_0() {\n        given().get(baseUrlOfSut + \"/a\").then().statusCode(200).body(\"'a'[0]\", anyOf(equalTo(1), nullValue()));\n    }\n}\n"))
	f.Add([]byte("import io.restassured.*;\nclass T {\n    @Test\n    public void test_0() {\n        given().get(baseUrlOfSut + \"/a\").then()" +
		".body(\"'t'?.with { new groovy.json.JsonSlurper().parse(java.util.Base64.getUrlDecoder().decode(it.tokenize('.')[1]), 'UTF-8') }?.'sub'\", anyOf(nullValue(), equalTo(1)), " +
		"\"'a'b'\", equalTo(1), \"'c'd'\", equalTo(2));\n    }\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Java(), "T.java", data) })
}

// FuzzWritten follows what is no suite, or a damaged one.
func FuzzWritten(f *testing.F) {
	for _, file := range []string{"../../cmd/flaketap/testdata/written/ShopTest.java",
		"../../cmd/flaketap/testdata/written/RowsTest.java", "testdata/WrittenTest.java"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for body := range ways() {
		f.Add([]byte(head + body + "}}"))
	}
	f.Add([]byte(helpers))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, WrittenJava(), "T.java", data) })
}

// FuzzWrittenKotlin follows what is no suite in Kotlin, or a damaged one.
func FuzzWrittenKotlin(f *testing.F) {
	for _, file := range []string{"../../cmd/flaketap/testdata/written/ShopTest.kt", "testdata/WrittenTest.kt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for body := range kotlinWays() {
		f.Add([]byte(kotlinHead + body + "}}"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, WrittenKotlin(), "T.kt", data) })
}

package ktlint_test

import (
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/kotlin"
	"github.com/flaketap/flaketap/suite/kotlin/ktlint"
)

// laid lays a statement out, with what its lines stand in.
func laid(t *testing.T, source, indent string, width int) string {
	t.Helper()
	tokens, err := java.LexKotlin("", source)
	if err != nil {
		t.Fatal(err)
	}
	style := ktlint.Style{Width: width - len(indent), Indent: 4, Comma: ","}
	return indent + strings.Join(style.Lines(source, kotlin.Tokens(tokens)), "\n"+indent)
}

// What ktlint 1.5.0 finds nothing to say of (java -cp … com.pinterest.ktlint.Main testdata/Laid.kt), as its
// .editorconfig has it. It is written anew with UPDATE=1, to be given to ktlint by hand: its 70 MB are no part of the
// tools of the tests.
func TestLaid(t *testing.T) {
	var out strings.Builder
	out.WriteString("class Laid {\n    fun laid() {\n")
	for _, s := range statements() {
		out.WriteString(laid(t, s, "        ", 120) + "\n")
	}
	out.WriteString("    }\n}\n")
	const golden = "testdata/Laid.kt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != out.String() {
		t.Errorf("they are laid out as\n%s\n%v", out.String(), err)
	}
}

// statements are such as assertions are.
func statements() []string {
	return []string{
		`assertTrue(took.toString().matches(Regex("-?[0-9]+")) && took >= 0)`,
		`assertTrue(res.headers().firstValue("Date").get().matches(Regex("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4}")))`,
		`assertTrue((body.get<Any?>("clock.epochSeconds") is Int || body.get<Any?>("clock.epochSeconds") is Long || ` +
			`body.get<Any?>("clock.epochSeconds") is java.math.BigInteger) && body.getLong("clock.epochSeconds") >= 1000000000)`,
		`org.hamcrest.MatcherAssert.assertThat("res.jsonPath().getString(\"at\")", res.jsonPath().getString("stockCheckedAt")` +
			`.matches(Regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d")))`,
		`assertTrue((res.path<Any?>("stockCheckedAt") as String).matches(Regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([Zz]|[+-]\\d)")))`,
		`assertTrue((found.getList<String>("facets") as List<*>).size == 5 && (found.getList<String>("facets") as List<*>)` +
			`.containsAll(listOf("tag", "released", "author", "currency", "price")))`,
		`assertTrue(res.jsonPath().getString("error.thread").matches(Regex("http-nio-8080-exec-[0-9]+")), "another thread, that is what it is")`,
		`assertTrue(getLong("issuedAt").toString().matches(Regex("-?[0-9]+")) && getLong("issuedAt") >= 1000000000 && ` +
			`getLong("issuedAt") <= 9999999999L)`,
		`assertThat(order.id).matches { it.matches(Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}")) }`,
		`assertEquals(setOf("a", "b"), body.getMap<String, Any>("clock").keys)`,
		`assertTrue(!(text == ""))`,
		`check(a > b && c < d)`,
	}
}

// What is laid out has all that it was, but for blanks and commas, whatever it is.
func FuzzLines(f *testing.F) {
	for _, s := range statements() {
		f.Add(s, 40)
	}
	bare := strings.NewReplacer(" ", "", "\t", "", "\n", "", "\f", "", ",", "")
	f.Fuzz(func(t *testing.T, source string, width int) {
		tokens, err := java.LexKotlin("", source)
		if err != nil || strings.ContainsAny(source, "\r\n") || strings.Contains(source, "//") || strings.Contains(source, "/*") {
			t.Skip()
		}
		text := strings.Join(ktlint.Style{Width: width % 200, Indent: 4, Comma: ","}.Lines(source, kotlin.Tokens(tokens)), "\n")
		if len(tokens) > 0 && bare.Replace(text) != bare.Replace(source[tokens[0].Start:tokens[len(tokens)-1].End]) {
			t.Errorf("%s becomes %s", source, text)
		}
	})
}

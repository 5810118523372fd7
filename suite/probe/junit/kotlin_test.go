package junit

import (
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/kotlin"
)

// An assertion of its own statement goes on, but where something may wait for it or the compiler leans on it.
func TestMuteKotlin(t *testing.T) {
	const failed = "} catch (flaketap: Throwable) { P.failed(flaketap); }"
	for _, c := range []struct{ from, to string }{
		{`assertEquals(1, x) // one`, `try { assertEquals(1, x) ` + failed + ` // one`},
		{"assertThat(x)\n  .isEqualTo(1)\n  .isNotNull", "try { assertThat(x)\n  .isEqualTo(1)\n  .isNotNull " + failed},
		{"x.status shouldBe 200; y()", "try { x.status shouldBe 200 " + failed + "; y()"},
		{"x.names.shouldContain(\"a\")", "try { x.names.shouldContain(\"a\") " + failed},
		{`call(shouldRetry)`, ``},
		{`assertTrue { x > 1 }`, `try { assertTrue { x > 1 } ` + failed},
		{`if (a) assertTrue(b) else assertFalse(b)`, `if (a) try { assertTrue(b) ` + failed + ` else try { assertFalse(b) ` + failed},
		{`if (a != 1) { fail("x") }`, `if (a != 1) { try { fail("x") ` + failed + ` }`},
		{`if (a == null) fail("x")`, ``},
		{`if (a is B) c() else fail("x")`, ``},
		{`fail("x")`, ``},
		{`val e = assertThrows<A> { b.c() }`, ``},
		{"assertNotNull(x)\nx.y()", ``},
		{"assertThat(x, `is`(1))\nx.y()", "try { assertThat(x, `is`(1)) " + failed + "\nx.y()"},
		{"assertNotNull(x)\ny(\"$x\")", ``},
		{"assertNotNull(x)\nx?.y(); x!!.y()", "try { assertNotNull(x) " + failed + "\nx?.y(); x!!.y()"},
		{"assertNotNull(x.a)\nx.b()", "try { assertNotNull(x.a) " + failed + "\nx.b()"},
		{"assertNotNull(x.a)\nx.a.b()", ``},
		{"assertNotNull(x.a())\nx.a()", "try { assertNotNull(x.a()) " + failed + "\nx.a()"},
		{"assertTrue(x is A)\nx.b()", ``},
		{"x.shouldBeInstanceOf<A>()\nx.b()", ``},
		{`x ?: fail("none")`, ``},
		{`val y = x.let { assertThat(it).isOne() }`, ``},
		{`val y = x.let { assertEquals(1, it) }`, `val y = x.let { try { assertEquals(1, it) ` + failed + ` }`},
		{`x.forEach { y -> assertThat(y).isOne() }`, `x.forEach { y -> try { assertThat(y).isOne() ` + failed + ` }`},
		{`while (a) { assertTrue(b) }`, ``},
		{`do { assertTrue(b) } while (a)`, ``},
		{`for (x in xs) { assertTrue(x) }`, `for (x in xs) { try { assertTrue(x) ` + failed + ` }`},
		{`repeat(3) { assertTrue(b) }`, `repeat(3) { try { assertTrue(b) ` + failed + ` }`},
		{`retry(3) { check() }`, `retry(3) { P.waits(); try { check() } finally { P.waited(); } }`},
		{`try { assertTrue(b) } catch (e: E) { assertTrue(c) }`,
			`try { P.waits(); try { assertTrue(b) } finally { P.waited(); } } catch (e: E) { try { assertTrue(c) ` + failed + ` }`},
		{`val x = try { check() } catch (e: E) { null }`, `val x = try { P.waits(); try { check() } finally { P.waited(); } } catch (e: E) { null }`},
		{`try { assertTrue(b) } finally { c() }`, `try { try { assertTrue(b) ` + failed + ` } finally { c() }`},
		{`when (a) { 1 -> assertTrue(b); else -> { assertTrue(c) } }`,
			`when (a) { 1 -> try { assertTrue(b) ` + failed + `; else -> { try { assertTrue(c) ` + failed + ` } }`},
		{`val x = object : X { override fun a() { assertTrue(b) } }`, ``},
		{`given().get("/a").then().statusCode(200).body("a", equalTo(1))`, `P.then(given().get("/a").then()).statusCode(200).body("a", equalTo(1))`},
		{"val id: String = given()\n  .`when`()\n  .get(\"/a\")\n  .then()\n  .extract().path(\"id\")",
			"val id: String = P.then(given()\n  .`when`()\n  .get(\"/a\")\n  .then())\n  .extract().path(\"id\")"},
		{`Given { a(1) } When { get("/a") } Then { statusCode(200) }`,
			`P.checked(Given { a(1) } When { get("/a") } ) { flaketap -> flaketap Then { statusCode(200) } }`},
		{`val id = res.Then { statusCode(200) } Extract { path<String>("id") }`,
			`val id = P.checked(res) { flaketap -> flaketap .Then { statusCode(200) } } Extract { path<String>("id") }`},
		{`get("/a/$id/${b.c("d")[0]}")`, `get("/a/${P.given(id)}/${P.given(b.c("d")[0])}")`},
		{`log("a $id"); get("$base$path"); send("/a/" + id)`, `log("a $id"); get("${P.given(base)}${P.given(path)}"); send("/a/" + P.given(id))`},
		{`get("/a/{id}", id, 1)`, `get("/a/{id}", P.given(id), 1)`},
		{`body(mapOf("id" to id, "n" to 1))`, `body(mapOf("id" to P.given(id), "n" to 1))`},
		{`header("A", "Bearer ${token()}").queryParam("x", a.path<String>("y"))`,
			`header("A", "Bearer ${P.given(token())}").queryParam("x", P.given(a.path<String>("y")))`},
		{"body(\"\"\"{\"id\": \"$id\"}\"\"\")", "body(\"\"\"{\"id\": \"${P.given(id)}\"}\"\"\")"},
		{`assertEquals("/a/$id", x); assertEquals(1, get("/a/$id"))`,
			`try { assertEquals("/a/$id", x) ` + failed + `; try { assertEquals(1, get("/a/${P.given(id)}")) ` + failed},
	} {
		text := "class A {\n fun a() {\n" + c.from + "\n}\n fun check() {}\n}\n"
		want := strings.Replace(text, c.from, c.to, 1)
		if c.to == "" {
			want = text
		}
		if got := mutedAs(text); !strings.HasPrefix(got, want) {
			t.Errorf("%s\nis\n%s\nwant\n%s", c.from, got[:min(len(got), 500)], c.to)
		}
	}
}

// mutedAs is a file of Kotlin, muted, with a short name for what mutes it.
func mutedAs(text string) string {
	out, ok := Mute(map[string][]byte{"A.kt": []byte(text)})["A.kt"]
	if !ok {
		return text
	}
	return strings.ReplaceAll(string(out), "FlaketapProbe_A_kt", "P")
}

// A test is begun and ended, whether its body is a block or an expression, and so is none else.
func TestMuteKotlinTests(t *testing.T) {
	const end = "} catch (flaketap: Throwable) { throw P.ended(flaketap); } finally { P.end(); }"
	for from, want := range map[string]string{
		"@Test fun a() { b() }":                       "@Test fun a() { P.begin(\"A.a\"); try { b() " + end + " }",
		"@Test fun `a \"b\" $c`() { b() }":            "@Test fun `a \"b\" $c`() { P.begin(\"A.a \\\"b\\\" \\$c\"); try { b() " + end + " }",
		"@Test fun a() = runBlocking { b() }":         "@Test fun a() = try { P.begin(\"A.a\"); runBlocking { b() } " + end,
		"@Test fun a() = runTest<X>(y) {\nb()\n}":     "@Test fun a() = try { P.begin(\"A.a\"); runTest<X>(y) {\nb()\n} " + end,
		"@Test fun a() = assertEquals(1, b)":          "@Test fun a() = try { P.begin(\"A.a\"); try { assertEquals(1, b) } catch (flaketap: Throwable) { P.failed(flaketap); } " + end,
		"fun a(b: Int) = assertEquals(1, b)":          "fun a(b: Int) = try { assertEquals(1, b) } catch (flaketap: Throwable) { P.failed(flaketap); }",
		"fun a(b: Int) = assertThat(b).isOne()":       "",
		"@Test(expected = A::class) fun a() { b() }":  "",
		"@Test fun a() { fail(b) }":                   "@Test fun a() { P.begin(\"A.a\"); try { try { fail(b) } catch (flaketap: Throwable) { P.failed(flaketap); } " + end + " }",
		"@Disabled @Test fun a() { b() }":             "",
		"@BeforeEach fun a() { b() }":                 "",
		"@ParameterizedTest fun a(b: Int) { c(b) }":   "@ParameterizedTest fun a(b: Int) { P.begin(\"A.a\"); try { c(b) " + end + " }",
		"companion object { @Test fun a() { b() } }":  "companion object { @Test fun a() { P.begin(\"A.a\"); try { b() " + end + " } }",
		"@Nested inner class B { @Test fun a() { } }": "@Nested inner class B { @Test fun a() { P.begin(\"B.a\"); try { " + end + " } }",
	} {
		text := "class A {\n" + from + "\n}\n"
		if want == "" {
			want = from
		}
		if got := mutedAs(text); !strings.HasPrefix(got, "class A {\n"+want+"\n}\n") {
			t.Errorf("%s\nis\n%s\nwant\n%s", from, got[:min(len(got), 400)], want)
		}
	}
}

// FuzzMuteKotlin wants what can be read to be read still, with as many lines and what is added behind them.
func FuzzMuteKotlin(f *testing.F) {
	for _, file := range []string{"../../../cmd/flaketap/testdata/written/ShopTest.kt", "../testdata/junit/kotlin/AllTest.kt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, text := range Mute(map[string][]byte{"A.kt": data}) {
			if _, err := java.LexKotlin(name, string(text)); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if _, err := kotlin.Read(name, string(text)); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got, want := strings.Count(string(text), "\n"), strings.Count(string(data), "\n")+1+strings.Count(string(mutedKotlin), "\n"); got != want {
				t.Fatalf("%d lines, want %d:\n%s", got, want, text)
			}
		}
	})
}

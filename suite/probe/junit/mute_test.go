package junit

import (
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/java"
)

const shop = "../../../cmd/flaketap/testdata/written/ShopTest.java"

// An assertion of its own statement goes on, but where something may wait for it.
func TestMute(t *testing.T) {
	const failed = "} catch (Throwable flaketap) { P.failed(flaketap); }"
	for _, c := range []struct{ from, to string }{
		{`assertEquals(1, x);`, `try { assertEquals(1, x); ` + failed},
		{`if (a) Assertions.assertTrue(b); else { fail(); }`, `if (a) try { Assertions.assertTrue(b); ` + failed + ` else { try { fail(); ` + failed + ` }`},
		{`assert x == 1;`, `try { assert x == 1; ` + failed},
		{`Object e = assertThrows(A.class, () -> { b(); });`, ``},
		{`assertTrue((x = f()) > 1);`, ``},
		{`return assertThat(x);`, ``},
		{`while (a) { assertTrue(b); }`, ``},
		{`do { assertTrue(b); } while (a);`, ``},
		{`for (;;) { assertTrue(b); }`, ``},
		{`for (int i = 0; i < 3; i++) { assertTrue(b); }`, `for (int i = 0; i < 3; i++) { try { assertTrue(b); ` + failed + ` }`},
		{`while (a) { x.forEach(y -> { assertTrue(b); }); }`, `while (a) { x.forEach(y -> { try { assertTrue(b); ` + failed + ` }); }`},
		{`try { assertTrue(b); } catch (E e) { assertTrue(c); }`,
			`try { P.waits(); try { assertTrue(b); } finally { P.waited(); } } catch (E e) { try { assertTrue(c); ` + failed + ` }`},
		{`try (A a = b()) { assertTrue(b); } finally { c(); }`, `try (A a = b()) { try { assertTrue(b); ` + failed + ` } finally { c(); }`},
		{`switch (a) { case "/" + B: assertTrue(b); break; default -> assertTrue(c); }`,
			`switch (a) { case "/" + B: try { assertTrue(b); ` + failed + ` break; default -> try { assertTrue(c); ` + failed + ` }`},
		{`new X() { void a() { assertTrue(b); } };`, ``},
		{`class X { void a() { assertTrue(b); } }`, ``},
		{`given().get("/a").then().statusCode(200).body("a", is(1));`, `P.then(given().get("/a").then()).statusCode(200).body("a", is(1));`},
		{`String id = (String) a[0].b(c).then().extract().path("id");`, `String id = (String) P.then(a[0].b(c).then()).extract().path("id");`},
		{`return new A.B(c).then().d();`, `return P.then(new A.B(c).then()).d();`},
		{`get("/a/" + a.b(c)[0] + "/d").then();`, `P.then(get("/a/" + P.given(a.b(c)[0]) + "/d").then());`},
		{`get("/a/{id}", id, 1);`, `get("/a/{id}", P.given(id), 1);`},
		{`log("a " + id); x("/" + 1 + "/" + (a ? b : c) + "/" + a * b + "?a=" + a::b);`, ``},
		{`given().header("Authorization", "Bearer " + token()).get(x).then().header("a", b);`,
			`P.then(given().header("Authorization", "Bearer " + P.given(token())).get(x).then()).header("a", b);`},
		{`assertEquals("/a/" + id, x); assertEquals(1, get("/a/" + id));`,
			`try { assertEquals("/a/" + id, x); ` + failed + ` try { assertEquals(1, get("/a/" + P.given(id))); ` + failed},
		{`client.get().exchange().expectStatus().isOk();`, `try { client.get().exchange().expectStatus().isOk(); ` + failed},
	} {
		text := "class A {\n void a() {\n" + c.from + "\n}\n}\n"
		if c.to == "" {
			c.to = c.from
		}
		out := "class A {\n void a() {\n" + c.from + "\n}\n}\n"
		if changed, ok := Mute(map[string][]byte{"A.java": []byte(text)})["A.java"]; ok {
			out = strings.ReplaceAll(string(changed), "FlaketapProbeA_java", "P")
		}
		if !strings.HasPrefix(out, "class A {\n void a() {\n"+c.to+"\n}\n}\n") {
			t.Errorf("%s\nis\n%s\nwant\n%s", c.from, out[:min(len(out), 400)], c.to)
		}
	}
}

// A test is begun and ended, but one that expects to fail, or is skipped.
func TestMuteTests(t *testing.T) {
	for head, want := range map[string]bool{"@Test void": true, "@Test(timeout = 1) public void": true, "@Test(expected = A.class) public void": false,
		"@ParameterizedTest @ValueSource(ints = 1) void": true, "@Disabled @Test void": false, "@TestFactory Object": false, "@BeforeEach void": false, "void": false} {
		out := Mute(map[string][]byte{"A.java": []byte("class A {\n" + head + " a() { get(x).then(); }\n}")})
		if got := strings.Contains(string(out["A.java"]), ` { FlaketapProbeA_java.begin("A.a"); try { `); got != want {
			t.Errorf("%s: %v\n%.300s", head, got, out["A.java"])
		}
	}
}

// What has nothing to be muted, or is not Java, stays.
func TestMuteNothing(t *testing.T) {
	if out := Mute(map[string][]byte{"A.java": []byte("class A { void a() { b(); } }"), "B.java": []byte("{"), "c.kt": nil}); len(out) != 0 {
		t.Errorf("%d files", len(out))
	}
}

// FuzzMute wants what can be read to be read still, with as many lines and what is added behind them.
func FuzzMute(f *testing.F) {
	for _, file := range []string{shop, "../testdata/junit/shop/AllTest.java", "../testdata/junit/helpers/Base.java"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, text := range Mute(map[string][]byte{"A.java": data}) {
			if _, err := java.LexWritten(name, string(text)); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got, want := strings.Count(string(text), "\n"), strings.Count(string(data), "\n")+1+strings.Count(string(mutedJava), "\n"); got != want {
				t.Fatalf("%d lines, want %d:\n%s", got, want, text)
			}
		}
	})
}

// A comparison with an approved text is muted as an assertion is, where it is ApprovalTests' that compares.
func TestMuteApprovals(t *testing.T) {
	for imports, want := range map[string]bool{"org.approvaltests.Approvals": true, "static org.approvaltests.Approvals.verify": true,
		"static org.mockito.Mockito.verify": false} {
		text := "import " + imports + ";\nclass A {\n  @Test void a() {\n    verify(b);\n    assertTrue(c);\n  }\n}\n"
		out := string(Mute(map[string][]byte{"A.java": []byte(text)})["A.java"])
		if strings.Contains(out, "try { verify(b); }") != want || !strings.Contains(out, "try { assertTrue(c); }") {
			t.Errorf("%s: %s", imports, out[:min(len(out), 400)])
		}
	}
}

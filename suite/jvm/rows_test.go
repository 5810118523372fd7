package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// runs shows what a test sends, and how its last assertion is said again, or why it is not understood.
func runs(s *script.Script) string {
	var calls []string
	test := s.Tests[len(s.Tests)-1]
	for _, c := range test.Calls {
		calls = append(calls, strings.ReplaceAll(c.Target, script.Unknown, "?"))
	}
	got := strings.Join(calls, " ") + ": "
	a := test.Assertions[len(test.Assertions)-1]
	if !a.Understood() {
		return got + "not: " + a.Reason
	}
	text, ok := s.Writer.Assert(s, test, a, a.Meaning)
	if !ok {
		return got + "not said"
	}
	return got + text
}

const parameterized = `import static io.restassured.RestAssured.*;
import static org.junit.jupiter.api.Assertions.*;
class ItTest {
    enum State { OPEN, DONE, GONE }
    enum Odd { A { }, B }
    ABOVE
    void it(PARAMS) {
        Response r = get("/a/" + p);
        assertEquals(n, r.jsonPath().getInt("n"));
    }
    static Stream<Arguments> cases() {
        return Stream.of(arguments("x", 1), Arguments.of("y", 2));
    }
    static List<String> texts() { return List.of("x", "y"); }
    static Object[][] table() { return new Object[][] { {"x", 1}, {"y", 2} }; }
    static Stream<Arguments> read() { return Files.lines(PATH).map(Arguments::of); }
    static Stream<String> sent() { return Stream.of(get("/all").asString()); }
    @DataProvider(name = "named")
    public Object[][] provider() { return new Object[][] { {"x", 1}, {"y", 2} }; }
}
`

// A test is followed with each of the values that its annotations list; where something else says how it runs, nothing is
// known of what it compares with.
func TestRuns(t *testing.T) {
	const known = `/a/x /a/y: assertEquals(n, r.jsonPath().getInt("n"))`
	const several = "/a/?: not: the test runs with several values"
	const two = "String p, int n"
	for _, tt := range []struct{ above, params, want string }{
		{`@ParameterizedTest @CsvSource({"x, 1", "y, 2"})`, two, known},
		{`@ParameterizedTest(name = "{0}, {1}") @CsvSource(value = {"x; 1", "y; 2"}, delimiter = ';')`, two, known},
		{`@ParameterizedTest @CsvSource(textBlock = """
        p, n
        # none
        x, 1
        'y', 2
        """, useHeadersInDisplayName = true)`, two, known},
		{`@ParameterizedTest @CsvSource({"x, 1", "y, '2'"})`, "String p, String n", known},
		{`@ParameterizedTest @CsvSource({"x, 1", "'a, ''b', 2"})`, two, `/a/x /a/a, 'b: assertEquals(n, r.jsonPath().getInt("n"))`},
		{`@ParameterizedTest @CsvSource({"x, 1", "y, 1"})`, two, known},
		{`@ParameterizedTest @CsvSource({"x, 1", "y, 1.0"})`, two, "/a/x /a/y: not: the parameter n is not known"},
		{`@ParameterizedTest @CsvSource({"x, 1", "'y', 'z' 2"})`, two, several},
		{`@ParameterizedTest @CsvSource(value = {"x, 1", "y, 2"}, nullValues = "x")`, two, several},
		{`@ParameterizedTest @CsvSource({"x, 1", "y, 2"})`, "String p, @ConvertWith(Half.class) int n", several},
		{`@ParameterizedTest @CsvSource({"x, 1", "y, 2"})`, "ArgumentsAccessor p, int n", several},
		{`@ParameterizedTest @CsvFileSource(resources = "/a.csv")`, two, several},
		{`@ParameterizedTest @CsvSource({"x, 1"}) @CsvSource({"y, 2"})`, two, several},
		{`@ParameterizedTest @MethodSource("cases")`, two, known},
		{`@ParameterizedTest @MethodSource("table")`, two, known},
		{`@ParameterizedTest @MethodSource("read")`, two, several},
		{`@ParameterizedTest @MethodSource("sent")`, "String p", several},
		{`@ParameterizedTest @MethodSource({"cases", "table"})`, two, several},
		{`@ParameterizedTest @MethodSource("org.other.Cases#all")`, two, several},
		{`@ParameterizedTest @MethodSource("texts")`, "String p", "/a/x /a/y: not: the name n is not known"},
		{`@ParameterizedTest @ValueSource(strings = {"x", "y"})`, "String p", "/a/x /a/y: not: the name n is not known"},
		{`@ParameterizedTest @ValueSource(ints = 7)`, "long p", "/a/7: not: the name n is not known"},
		{`@ParameterizedTest @ValueSource(ints = 7)`, "double p", "/a/7.0: not: the name n is not known"},
		{`@ParameterizedTest @NullAndEmptySource @ValueSource(strings = "z")`, "String p", "/a/? /a/ /a/z: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(State.class)`, "State p", "/a/OPEN /a/DONE /a/GONE: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource`, "State p", "/a/OPEN /a/DONE /a/GONE: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(value = State.class, names = {"GONE", "OPEN"})`, "State p", "/a/OPEN /a/GONE: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(names = "GONE", mode = EnumSource.Mode.EXCLUDE)`, "State p", "/a/OPEN /a/DONE: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(names = "G.*", mode = MATCH_ALL)`, "State p", several},
		{`@ParameterizedTest @EnumSource(Odd.class)`, "Odd p", several},
		{`@RepeatedTest(2)`, "", "/a/? /a/?: not: the name n is not known"},
		{`@RepeatedTest(200)`, "", several},
		{`@Test(dataProvider = "named")`, two, known},
		{`@Test(dataProvider = "provider")`, two, several},
		{`@Test(dataProvider = "named", invocationCount = 3)`, two, several},
		{`@Test`, "", "/a/?: not: the name n is not known"},
	} {
		s := wrote(t, strings.NewReplacer("ABOVE", tt.above, "PARAMS", tt.params).Replace(parameterized))
		if got := runs(s); got != tt.want {
			t.Errorf("%s (%s)\ngot  %s\nwant %s", tt.above, tt.params, got, tt.want)
		}
	}
}

// A loop over values that are written out is followed with each of them, if nothing leaves it early.
func TestTurns(t *testing.T) {
	const alike = `assertEquals(200, r.statusCode())`
	for body, want := range map[string]string{
		`for (int p : List.of(1, 2)) { Response r = get("/" + p); assertEquals(200, r.statusCode()); }`:                              "/1 /2: " + alike,
		`for (var p : new String[] {"a", "b"}) { Response r = get("/" + p); assertEquals(200, r.statusCode()); }`:                    "/a /b: " + alike,
		`var all = List.of("a", "b"); for (String p : all) { Response r = get("/" + p); assertEquals(p, r.path("p")); }`:             `/a /b: assertEquals(p, r.path("p"))`,
		`List.of("a", "b").forEach(p -> { Response r = get("/" + p); assertEquals(200, r.statusCode()); });`:                         "/a /b: " + alike,
		`List.of("a", "b").forEach(p -> get("/" + p).then().statusCode(200));`:                                                       "/a /b: .statusCode(200)",
		`for (int p : List.of(1, 2)) { Response r = get("/" + p); if (p == 2) break; assertEquals(200, r.statusCode()); }`:           "/?: not: it is inside a condition",
		`for (int p : ids()) { Response r = get("/" + p); assertEquals(200, r.statusCode()); }`:                                      "/?: not: it is inside a condition",
		`int n = 0; for (int p : List.of(1, 2)) { n += 1; Response r = get("/" + p); assertEquals(n, r.jsonPath().getInt("n")); }`:   "/1 /2: not: the name n, which changes is not known",
		`for (int p : List.of(1, 2)) { for (int q : List.of(3)) { Response r = get("/" + q); assertEquals(200, r.statusCode()); } }`: "/? /?: not: it is inside a condition",
	} {
		s := wrote(t, head+"        "+body+"\n    }\n}\n")
		if got := runs(s); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// So it is in Kotlin.
func TestKotlinRuns(t *testing.T) {
	const tests = `enum class State { OPEN, DONE }
class ItTest {
    ABOVE
    fun it(PARAMS) {
        val r = get("/a/$p")
        assertEquals(n, r.jsonPath().getInt("n"))
    }
    companion object {
        @JvmStatic
        fun cases() = listOf(Arguments.of("x", 1), arguments("y", 2))
    }
}
`
	const known = `/a/x /a/y: assertEquals(n, r.jsonPath().getInt("n"))`
	for _, tt := range []struct{ above, params, want string }{
		{`@ParameterizedTest @CsvSource("x, 1", "y, 2")`, "p: String, n: Int", known},
		{`@ParameterizedTest @CsvSource(value = ["x | 1", "y | 2"], delimiter = '|')`, "p: String, n: Int", known},
		{`@ParameterizedTest @MethodSource("cases")`, "p: String, n: Int", known},
		{`@ParameterizedTest @ValueSource(strings = ["x", "y"])`, "p: String", "/a/x /a/y: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(State::class)`, "p: State", "/a/OPEN /a/DONE: not: the name n is not known"},
		{`@ParameterizedTest @EnumSource(State::class, names = ["DONE"])`, "p: State", "/a/DONE: not: the name n is not known"},
		{`@RepeatedTest(2)`, "", "/a/? /a/?: not: the name n is not known"},
	} {
		text := kotlinHead[:strings.Index(kotlinHead, "class ")] + strings.NewReplacer("ABOVE", tt.above, "PARAMS", tt.params).Replace(tests)
		if got := runs(wroteKotlin(t, text)); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.above, got, tt.want)
		}
	}
	for body, want := range map[string]string{
		`for (p in listOf(1, 2)) { val r = get("/$p"); assertEquals(200, r.statusCode()) }`:          "/1 /2: assertEquals(200, r.statusCode())",
		`listOf("a", "b").forEach { p -> get("/$p").then().statusCode(200) }`:                        "/a /b: .statusCode(200)",
		`listOf("a", "b").forEach { get("/$it").then().statusCode(200) }`:                            "/a /b: .statusCode(200)",
		`for ((p, n) in listOf("a" to 1)) { val r = get("/$p"); assertEquals(200, r.statusCode()) }`: "/?: assertEquals(200, r.statusCode())",
	} {
		if got := runs(wroteKotlin(t, kotlinHead+body+"\n    }\n}\n")); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

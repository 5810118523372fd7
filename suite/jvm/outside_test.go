package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A name that fields and methods have is drawn above them, in the class that has them all; one that has to be constant
// stays.
func TestOutsideOfTests(t *testing.T) {
	for name, c := range map[string]struct {
		kotlin         bool
		declared, want string // members of the class; "" where it cannot be
	}{
		"a field":            {false, "  static final String EMAIL = \"ada@example.com\";\n", "  HERE|static final String EMAIL = fresh_email;\n"},
		"behind others":      {false, "  int n = 1;\n\n  // who\n  String email = \"ada@example.com\";\n", "  int n = 1;\n\n  HERE|// who\n  String email = fresh_email;\n"},
		"behind an array":    {false, "  int[] n = {1};\n  String email = \"ada@example.com\";\n", "  int[] n = {1};\n  HERE|String email = fresh_email;\n"},
		"a part of it":       {false, "  String to = \"mailto:ada@example.com\";\n", "  HERE|String to = \"mailto:\" + fresh_email;\n"},
		"with an annotation": {false, "  @Deprecated\n  String email = \"ada@example.com\";\n", "  HERE|@Deprecated\n  String email = fresh_email;\n"},
		"a method":           {false, "  String email() {\n    return \"ada@example.com\";\n  }\n", "  HERE|String email() {\n    return fresh_email;\n  }\n"},
		"a class in it":      {false, "  static class Who {\n    String email = \"ada@example.com\";\n  }\n", "  HERE|static class Who {\n    String email = fresh_email;\n  }\n"},
		"in two classes":     {false, "  String email = \"ada@example.com\";\n}\n\nclass Others {\n  String email = \"ada@example.com\";\n", ""},
		"in an interface":    {false, "}\n\ninterface Others {\n  String EMAIL = \"ada@example.com\";\n", ""},
		"in an annotation":   {false, "  @Named(\"ada@example.com\")\n  String email;\n", ""},
		"for an annotation":  {false, "  static final String EMAIL = \"ada@example.com\";\n\n  @Named(EMAIL)\n  String other;\n", ""},
		"for a case":         {false, "  static final String EMAIL = \"ada@example.com\";\n\n  int of(String s) {\n    switch (s) { case EMAIL: return 1; default: return 2; }\n  }\n", ""},
		"behind a call": {false, "  int n = 1;\n  String to = \"to:\" + email();\n  int m;\n\n  String email() {\n    return \"ada@example.com\";\n  }\n",
			"  int n = 1;\n  HERE|String to = \"to:\" + email();\n  int m;\n\n  String email() {\n    return fresh_email;\n  }\n"},
		"behind a block": {false, "  static String to;\n  static { to = email(); }\n\n  @Named(n = 1) static String email() {\n    return \"ada@example.com\";\n  }\n",
			"  static String to;\n  HERE|static { to = email(); }\n\n  @Named(n = 1) static String email() {\n    return fresh_email;\n  }\n"},
		"behind a method": {false, "  @Named(n = 1) void other() {\n    int n = of(1);\n  }\n\n  String email = \"ada@example.com\";\n",
			"  @Named(n = 1) void other() {\n    int n = of(1);\n  }\n\n  HERE|String email = fresh_email;\n"},
		"for an annotation of Kotlin": {true, "  companion object {\n    const val EMAIL = \"ada@example.com\"\n  }\n\n  @Named(\"for ${UsersTest.EMAIL}\") val n = 1\n", ""},
		"a constant of Kotlin":        {true, "  companion object {\n    const val EMAIL = \"ada@example.com\"\n  }\n", "  companion object {\n    val EMAIL = fresh_email\n  }\n"},
		"of a type":                   {true, "  private val email: String = \"ada@example.com\"\n", "  private val email: String = fresh_email\n"},
		"a constant of it":            {true, "  companion object {\n    const val EMAIL = \"ada@example.com\"\n    const val TO = \"mailto:$EMAIL\"\n  }\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dialect, file, head := WrittenJava(), "UsersTest.java", "package shop;\n\nimport static io.restassured.RestAssured.given;\nimport org.junit.jupiter.api.Test;\n\n@Deprecated\nclass UsersTest {\n"
			rest := "\n  @Test\n  void joins() {\n    given().get(\"http://x/members?email=\" + EMAIL).then().statusCode(200);\n  }\n}\n"
			if c.kotlin {
				dialect, file, head = WrittenKotlin(), "UsersTest.kt", strings.NewReplacer(";", "", "static ", "").Replace(head)
				rest = strings.ReplaceAll(strings.ReplaceAll(rest, ";", ""), "void", "fun")
			}
			s, err := script.Read(dialect, file, []byte(head+c.declared+rest))
			if err != nil {
				t.Fatal(err)
			}
			edits, at, _, ok := s.Writer.Graft.Outside(s, s.Tests[0], "ada@example.com", "fresh_email")
			if !ok {
				if c.want != "" {
					t.Error("it cannot be")
				}
				return
			}
			got := script.Apply(s.Text, append(edits, script.Edit{Start: at, End: at, Text: "HERE|"}))
			want := head + c.want + rest
			if c.kotlin {
				want = strings.Replace(want, "@Deprecated", "HERE|@Deprecated", 1)
			}
			if c.want == "" || got != want {
				t.Errorf("%s", got)
			}
		})
	}
}

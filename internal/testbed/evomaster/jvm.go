package evomaster

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// jvm is what the two languages differ in.
type jvm struct {
	end  string
	base string // the beginning of a URL in quotes
	text func(string) string
	is   string // the matcher, which is a keyword of Kotlin
	made string // what an object's class has before it where one is made
}

// Java writes the tests as one class of JUnit 5, with REST-assured and the generator's NumberMatcher.
func Java(class, baseURL string, tests []Test) []byte {
	l := jvm{end: ";", base: `baseUrlOfSut + "`, text: literal.Java, is: "is", made: "new "}
	var b strings.Builder
	b.WriteString(jvmImports(";", "import static "))
	fmt.Fprintf(&b, "public class %s {\n\n    \n    private static String baseUrlOfSut = %s;\n    \n    @BeforeAll\n    public static void initClass() {\n%s    }\n\n", class, literal.Java(baseURL), jvmSettings(";"))
	for _, t := range tests {
		fmt.Fprintf(&b, "    \n    @Test @Timeout(60)\n    public void %s() throws Exception {\n        \n", t.Name)
		l.calls(&b, t)
		b.WriteString("    }\n    \n")
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

// Kotlin writes the tests as one class of JUnit 5, as [Java] does.
func Kotlin(class, baseURL string, tests []Test) []byte {
	l := jvm{base: `"${baseUrlOfSut}`, text: literal.Kotlin, is: "`is`"}
	var b strings.Builder
	b.WriteString(jvmImports("", "import "))
	fmt.Fprintf(&b, "internal class %s {\n\n    \n    companion object {\n        private val baseUrlOfSut = %s\n        \n        @BeforeAll\n        @JvmStatic\n        fun initClass() {\n%s        }\n    }\n\n", class, literal.Kotlin(baseURL), jvmSettings(""))
	for _, t := range tests {
		fmt.Fprintf(&b, "    \n    @Test @Timeout(60)\n    fun %s()  {\n        \n", t.Name)
		l.calls(&b, t)
		b.WriteString("    }\n    \n")
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

func jvmImports(end, static string) string {
	var b strings.Builder
	for _, name := range []string{"org.junit.jupiter.api.BeforeAll", "org.junit.jupiter.api.Test",
		"org.junit.jupiter.api.Timeout",
		"io.restassured.RestAssured", "io.restassured.response.ValidatableResponse", "io.restassured.config.JsonConfig",
		"io.restassured.path.json.config.JsonPathConfig", "io.restassured.config.EncoderConfig"} {
		b.WriteString("import " + name + end + "\n")
	}
	for _, name := range []string{"org.junit.jupiter.api.Assertions.*", "io.restassured.RestAssured.given",
		"io.restassured.config.RedirectConfig.redirectConfig",
		"org.hamcrest.Matchers.*", "org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*"} {
		b.WriteString(static + name + end + "\n")
	}
	return b.String() + "\n"
}

func jvmSettings(end string) string {
	return "        RestAssured.useRelaxedHTTPSValidation()" + end +
		"\n        RestAssured.urlEncodingEnabled = false" + end + `
        RestAssured.config = RestAssured.config()
            .jsonConfig(JsonConfig.jsonConfig().numberReturnType(JsonPathConfig.NumberReturnType.DOUBLE))
            .redirect(redirectConfig().followRedirects(false))
            .encoderConfig(EncoderConfig.encoderConfig().appendDefaultContentCharsetToContentTypeIfUndefined(false))` +
		end + "\n"
}

func (l jvm) calls(b *strings.Builder, t Test) {
	for _, e := range t.Calls {
		b.WriteString("        given()")
		if a := e.Request.Header.Get("Accept"); a != "" {
			fmt.Fprintf(b, ".accept(%s)", l.text(a))
		}
		b.WriteString("\n")
		if body, _ := e.Request.Payload(); len(body) > 0 {
			if kind := e.Request.Header.Get("Content-Type"); kind != "" {
				fmt.Fprintf(b, "                .contentType(%s)\n", l.text(kind))
			}
			fmt.Fprintf(b, "                .body(%s)\n", l.text(string(body)))
		}
		l.send(b, e)
		all := claims(e.Response)
		for i, c := range all {
			b.WriteString("                " + l.claim(c))
			if i == len(all)-1 {
				b.WriteString(l.end)
			}
			b.WriteString("\n")
			if i == 0 && len(all) > 1 {
				b.WriteString("                .assertThat()\n")
			}
		}
		b.WriteString("        \n")
	}
}

func (l jvm) send(b *strings.Builder, e *exchange.Exchange) {
	url := l.text(e.Request.Target)
	fmt.Fprintf(b, "                .%s(%s%s)\n                .then()\n", strings.ToLower(e.Request.Method),
		l.base, url[1:])
}

// path is a place as GPath has it, every key in quotes.
func path(segments []any) string {
	var b strings.Builder
	for i, s := range segments {
		if key, ok := s.(string); ok {
			if i > 0 {
				b.WriteString(".")
			}
			b.WriteString("'" + key + "'")
		} else {
			fmt.Fprintf(&b, "[%d]", s)
		}
	}
	return b.String()
}

func (l jvm) claim(c claim) string {
	at := path(c.path)
	under := func(what string) string {
		if at == "" {
			return l.text(what)
		}
		return l.text(at + "." + what)
	}
	switch c.kind {
	case aStatus:
		return fmt.Sprintf(".statusCode(%d)", c.n)
	case aType:
		return fmt.Sprintf(".contentType(%s)", l.text(c.text))
	case anEmpty:
		return ".body(isEmptyOrNullString())"
	case aText:
		return fmt.Sprintf(".body(containsString(%s))", l.text(c.text))
	case aSize:
		return fmt.Sprintf(".body(%s, equalTo(%d))", under("size()"), c.n)
	case aNothing:
		return fmt.Sprintf(".body(%s, %s(true))", under("isEmpty()"), l.is)
	}
	if at == "" { // a body that is one scalar
		if c.raw[0] == '"' {
			return fmt.Sprintf(".body(containsString(%s))", l.text(c.text))
		}
		return fmt.Sprintf(".body(containsString(%s))", l.text(c.raw))
	}
	switch {
	case c.raw == "null":
		return fmt.Sprintf(".body(%s, nullValue())", l.text(at))
	case c.raw == "true" || c.raw == "false":
		return fmt.Sprintf(".body(%s, equalTo(%s))", l.text(at), c.raw)
	case c.raw[0] == '"':
		return fmt.Sprintf(".body(%s, containsString(%s))", l.text(at), l.text(c.text))
	}
	return fmt.Sprintf(".body(%s, numberMatches(%s))", l.text(at), l.number(c.raw))
}

// number writes a JSON number: one that no int holds as a long, or else as a BigInteger.
func (l jvm) number(raw string) string {
	out := number(raw)
	if strings.ContainsAny(out, "eE.") {
		return out
	}
	if _, err := strconv.ParseInt(out, 10, 32); err == nil {
		return out
	}
	if _, err := strconv.ParseInt(out, 10, 64); err == nil {
		return out + "L"
	}
	return l.made + "java.math.BigInteger(" + l.text(out) + ")"
}

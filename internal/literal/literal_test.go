package literal

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

func TestLiterals(t *testing.T) {
	tests := []struct{ text, javascript, java, kotlin string }{
		{"", `""`, `""`, `""`},
		{`a "b" \n`, `"a \"b\" \\n"`, `"a \"b\" \\n"`, `"a \"b\" \\n"`},
		{"a\r\n\tb", `"a\r\n\tb"`, `"a\r\n\tb"`, `"a\r\n\tb"`},
		{"$x ${y}", `"$x ${y}"`, `"$x ${y}"`, `"\$x \${y}"`},
		{"\x00\u2028\u202e", `"\u0000\u2028\u202e"`, `"\u0000\u2028\u202e"`, `"\u0000\u2028\u202e"`},
		{"São 日本 😀", `"São 日本 😀"`, `"São 日本 😀"`, `"São 日本 😀"`},
		{"\U000e0001", `"\u{e0001}"`, `"\udb40\udc01"`, `"\udb40\udc01"`},
	}
	for _, tt := range tests {
		if got := JavaScript(tt.text); got != tt.javascript {
			t.Errorf("JavaScript(%q) = %s, want %s", tt.text, got, tt.javascript)
		}
		if got := Java(tt.text); got != tt.java {
			t.Errorf("Java(%q) = %s, want %s", tt.text, got, tt.java)
		}
		if got := Kotlin(tt.text); got != tt.kotlin {
			t.Errorf("Kotlin(%q) = %s, want %s", tt.text, got, tt.kotlin)
		}
	}
}

// Java's literals are JSON's too, so that they can be read back.
func TestLiteralsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var back string
		if err := json.Unmarshal([]byte(Java(text)), &back); err != nil || back != text {
			t.Fatalf("Java(%q) = %s, which reads %q: %v", text, Java(text), back, err)
		}
		if back, ok := FromJSON(JSON(text)); !ok || back != text {
			t.Fatalf("JSON(%q) = %s, which reads %q", text, JSON(text), back)
		}
		dollars := strings.ReplaceAll(Kotlin(text), `\$`, "$") // Kotlin's are, but for its dollar signs
		if err := json.Unmarshal([]byte(dollars), &back); err != nil || back != text {
			t.Fatalf("Kotlin(%q) = %s, which reads %q: %v", text, Kotlin(text), back, err)
		}
		if back, err := strconv.Unquote(Go(text)); err != nil || back != text {
			t.Fatalf("Go(%q) reads %q: %v", text, back, err)
		}
	})
}

// What Python reads from its literals is what was written.
func TestPythonReadsLiterals(t *testing.T) {
	needs.Program(t, "python3")
	texts := []string{"", "\x00", "\x00\x31", "\r\n", "\\N{DASH}", "\u2028\u2029\u0085\ufeff", strings.Repeat("\x00'\"", 2000)}
	rapid.Check(t, func(t *rapid.T) {
		texts = append(texts, rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"'\\{}\x00\x1b\n\r\t\u2028\U000e0001")))).Draw(t, "text"))
	})
	var literals []string
	for _, text := range texts {
		literals = append(literals, Python(text), PythonRaw(text), PythonBytes([]byte(text))+".decode()")
	}
	cmd := exec.Command("python3", "-W", "error", "-c", "import json, sys\njson.dump([eval(s) for s in json.load(sys.stdin)], sys.stdout)")
	in, err := json.Marshal(literals)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var back []string
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	for i, got := range back {
		if want := texts[i/3]; got != want {
			t.Errorf("%s is read as %q, want %q", literals[i], got, want)
		}
	}
}

package literal

import (
	"encoding/json"
	"strconv"
	"testing"

	"pgregory.net/rapid"
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
		if back, err := strconv.Unquote(Go(text)); err != nil || back != text {
			t.Fatalf("Go(%q) reads %q: %v", text, back, err)
		}
	})
}

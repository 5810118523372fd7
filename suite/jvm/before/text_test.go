package before

import (
	"strings"
	"testing"
)

// A chain is laid out as the formatters do.
func TestLaid(t *testing.T) {
	short := []string{"given()", `.body("{}")`, `.post("/a")`}
	long := []string{"given()", `.body("` + strings.Repeat("x", 40) + `")`, `.post(URI.create("` + strings.Repeat("y", 40) + `"))`}
	body, url := strings.Repeat("x", 40), strings.Repeat("y", 40)
	for _, tt := range []struct {
		kotlin   bool
		declares string
		links    []string
		width    int
		want     string
	}{
		{false, "R x = ", short, 80, `R x = given().body("{}").post("/a");`},
		{false, "R x = ", short, 35, "R x =\n    given().body(\"{}\").post(\"/a\");"},
		{false, "R x = ", short, 20, "R x =\n    given()\n        .body(\"{}\")\n        .post(\"/a\");"},
		{false, "", short, 20, "given()\n    .body(\"{}\")\n    .post(\"/a\");"},
		{false, "", long, 64, "given()\n    .body(\"" + body + "\")\n    .post(\n        URI.create(\"" + url + "\"));"},
		{false, "", long, 50, "given()\n    .body(\n        \"" + body + "\")\n    .post(\n        URI.create(\n            \"" + url + "\"));"},
		{true, "", long, 64, "given()\n    .body(\"" + body + "\")\n    .post(\n        URI.create(\"" + url + "\")\n    )"},
	} {
		f := &File{Kotlin: tt.kotlin}
		if got := strings.Join(f.laid(tt.declares, tt.links, f.end(), "    ", tt.width), "\n"); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// A variable of a set-up that stands alone has no braces around it; what the test has keeps them.
func TestUnbraced(t *testing.T) {
	for text, want := range map[string]string{`"/a/${setup_id}"`: `"/a/$setup_id"`, `"${setup_id}x"`: `"${setup_id}x"`,
		`"${setup_a}/${setup_b}"`: `"$setup_a/$setup_b"`, `"${own}"`: `"${own}"`} {
		if got := unbraced(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

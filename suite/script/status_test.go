package script

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestStatusNamed(t *testing.T) {
	for code := 100; code < 600; code++ {
		text := http.StatusText(code)
		if text == "" {
			continue
		}
		for _, name := range []string{text, strings.ReplaceAll(text, " ", ""), strings.ToUpper(strings.ReplaceAll(text, " ", "_"))} {
			if got, ok := StatusNamed(name); !ok || got != strconv.Itoa(code) {
				t.Errorf("%s is %q, want %d", name, got, code)
			}
		}
	}
	for _, name := range []string{"", "okay", "Text", "class"} {
		if got, ok := StatusNamed(name); ok {
			t.Errorf("%q is %s", name, got)
		}
	}
}

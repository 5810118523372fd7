package message

import (
	"strings"
	"testing"
)

// TestMarkupIsLinear: what is hostile takes no more time than what is not. Quadratic work would take hours here.
func TestMarkupIsLinear(t *testing.T) {
	for _, unit := range []string{`<a '<' "<" `, "<", "<a ", "<a><!--", `<a b="`, "<![CDATA[", "</a>", "<a x='1'>", "<a/>"} {
		body := []byte("<r>" + strings.Repeat(unit, 1<<20/len(unit)))
		xmlSites(body, places{})
		htmlParts(body)
	}
	partSites([]byte(strings.Repeat("--b\r\n", 1<<18)), "b", places{})
	partSites([]byte(strings.Repeat("--bb", 1<<18)), "b", places{})
}

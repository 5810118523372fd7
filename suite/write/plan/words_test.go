package plan

import "testing"

// TestVisible: what an API calls its members gets into comments, and into no line of its own.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"/body/a\x00b":       "/body/a\ufffdb",
		"/body/a\nimport os": "/body/a import os",
		"/body/\u202eevil":   "/body/\ufffdevil",
		"/body/\u2028x":      "/body/ x",
		"/body/\xff":         "/body/\ufffd",
	} {
		if got := OneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

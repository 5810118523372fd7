package wire

import "testing"

func TestLatin1(t *testing.T) {
	for raw, want := range map[string]string{"": "", "a\r\n": "a\r\n", "caf\xe9": "café", "é": "Ã©", "\x00\xff": "\x00ÿ"} {
		if got := Latin1(raw); got != want {
			t.Errorf("Latin1(%q) = %q, want %q", raw, got, want)
		}
	}
}

package wire

import (
	"bytes"
	"testing"
)

// What is packed can be unpacked.
func TestEncode(t *testing.T) {
	b := bytes.Repeat([]byte("the same again "), 1000)
	for _, coding := range []string{"", "identity", "gzip", "x-gzip", "Deflate", "br", "zstd", "gzip, br"} {
		packed, ok := Encode(coding, b)
		out, err := Decode(coding, packed, 1<<20)
		if !ok || err != nil || !bytes.Equal(out, b) {
			t.Errorf("%q: %v, %v, %d bytes", coding, ok, err, len(out))
		}
		if coding != "" && coding != "identity" && len(packed) >= len(b) {
			t.Errorf("%q packs %d bytes to %d", coding, len(b), len(packed))
		}
	}
	for _, coding := range []string{"lzma", "gzip, lzma", "gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip"} {
		if _, ok := Encode(coding, b); ok {
			t.Errorf("%q is known", coding)
		}
	}
}

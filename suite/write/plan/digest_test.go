package plan

import (
	"encoding/hex"
	"testing"
)

// The digests are those of the published examples, and found however they are written.
func TestDigests(t *testing.T) {
	for _, tt := range []struct {
		digest Digest
		text   string
		data   string
		digits int
		ok     bool
	}{
		{CRC32, "cbf43926", "123456789", 0, true},
		{CRC32, "crc: CBF43926", "123456789", 0, true},
		{CRC32, "cbf439", "123456789", 0, false},
		{MD5, `W/"900150983cd24fb0d6963f7d28e17f72-gzip"`, "abc", 0, true},
		{MD5, "kAFQmDzST7DWlj99KOF/cg==", "abc", 0, true},
		{MD5, "kAFQmDzST7DWlj99KOF_cg", "abc", 0, true},
		{MD5, "900150983cd24fb0", "abc", 16, true},
		{MD5, "900150983cd24fb0d7", "abc", 0, false},
		{MD5, "900150983cd24fb0d6963f7d28e17f72", "abd", 0, false},
		{SHA1, "a9993e364706816aba3e25717850c26c9cd0d89d", "abc", 0, true},
		{SHA256, "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", "abc", 0, true},
		{SHA512, "ddaf35a193617abacc417349ae204131", "abc", 32, true},
	} {
		digits, ok := DigitsIn(tt.text, tt.digest.Of([]byte(tt.data)))
		if digits != tt.digits || ok != tt.ok {
			t.Errorf("%s of %q in %q: %d, %v", tt.digest, tt.data, tt.text, digits, ok)
		}
		if ok && (!InText(tt.text, tt.digest.Of([]byte(tt.data)), digits) || !MayBeDigest(tt.text)) {
			t.Errorf("%s of %q in %q is not read as found", tt.digest, tt.data, tt.text)
		}
	}
	if sum, _ := hex.DecodeString("cbf43926"); InText("cbf4", sum, 0) {
		t.Error("a part is taken for all")
	}
}

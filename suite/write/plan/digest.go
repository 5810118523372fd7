package plan

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"regexp"
	"strings"
)

// Digest is a function that makes a short value of any bytes, as the suites' helpers name it. The first two tell
// changes, and are no protection.
type Digest string

// The digests: the checksum of ISO 3309, RFC 1321, FIPS 180-4.
const (
	CRC32  Digest = "crc32"
	MD5    Digest = "md5"
	SHA1   Digest = "sha1"
	SHA256 Digest = "sha256"
	SHA512 Digest = "sha512"
)

// Digests lists them, the longest first.
func Digests() []Digest { return []Digest{SHA512, SHA256, SHA1, MD5, CRC32} }

// Of returns the digest of some bytes.
func (d Digest) Of(data []byte) []byte {
	switch d {
	case CRC32:
		return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
	case MD5:
		sum := md5.Sum(data)
		return sum[:]
	case SHA1:
		sum := sha1.Sum(data)
		return sum[:]
	case SHA256:
		sum := sha256.Sum256(data)
		return sum[:]
	}
	sum := sha512.Sum512(data)
	return sum[:]
}

// InText reports whether a text holds a digest: in hex of any case, or in base64, of either alphabet, padded or not
// (RFC 4648). Where digits is more than 0, it holds so many digits of the hex at least, from the first on.
func InText(text string, sum []byte, digits int) bool {
	spelled := hex.EncodeToString(sum)
	if digits > 0 {
		spelled = spelled[:min(digits, len(spelled))]
	}
	if strings.Contains(strings.ToLower(text), spelled) {
		return true
	}
	return digits == 0 && (strings.Contains(text, base64.RawStdEncoding.EncodeToString(sum)) ||
		strings.Contains(text, base64.RawURLEncoding.EncodeToString(sum)))
}

// hexForm is what may be the beginning of a hex: 64 bits at least, which no chance gives.
var hexForm = regexp.MustCompile(`[0-9a-f]{16,}`)

// MayBeDigest reports whether a text is long enough to hold a digest, and has the letters of one.
func MayBeDigest(text string) bool { return digestForm.MatchString(text) }

var digestForm = regexp.MustCompile(`[0-9A-Za-z+/_-]{6}`)

// DigitsIn finds a digest in a text: digits is 0 where it is there as a whole, else how many of the first digits of its
// hex are; ok is false where it is not there.
func DigitsIn(text string, sum []byte) (digits int, ok bool) {
	if InText(text, sum, 0) {
		return 0, true
	}
	spelled := hex.EncodeToString(sum)
	for _, token := range hexForm.FindAllString(strings.ToLower(text), -1) {
		if strings.HasPrefix(spelled, token) {
			return len(token), true
		}
	}
	return 0, false
}

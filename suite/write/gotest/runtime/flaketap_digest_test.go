// Which values are digests of others.

package apitest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"strings"
)

// digestOf asserts that the text at a place holds the digest of the text at another: "md5", "/body". It is there in hex,
// or so many digits of that where they are not 0, or else in base64. What begins with = is no place, but a text that is
// known: "=tea". /body is the body as it came.
func (a *answer) digestOf(place, kind, of string, digits int) {
	a.t.Helper()
	values, content := a.values(place), a.body
	if known, ok := strings.CutPrefix(of, "="); ok {
		content = []byte(known)
	} else if of != "/body" {
		others := a.values(of)
		if len(others) == 0 {
			a.t.Errorf("nothing at %s", of)
			return
		}
		content = []byte(textOf(others[0]))
	}
	if len(values) == 0 || !holdsDigest(textOf(values[0]), digest(kind, content), digits) {
		a.t.Errorf("%s %s is not the %s of %s", place, show(values), kind, of)
	}
}

func holdsDigest(text string, sum []byte, digits int) bool {
	spelled := hex.EncodeToString(sum)
	if digits > 0 {
		spelled = spelled[:digits]
	}
	return strings.Contains(strings.ToLower(text), spelled) || digits == 0 &&
		strings.Contains(strings.NewReplacer("-", "+", "_", "/").Replace(text), base64.RawStdEncoding.EncodeToString(sum))
}

func digest(kind string, content []byte) []byte {
	var h hash.Hash
	switch kind {
	case "crc32":
		h = crc32.NewIEEE()
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	case "sha256":
		h = sha256.New()
	default:
		h = sha512.New()
	}
	h.Write(content)
	return h.Sum(nil)
}

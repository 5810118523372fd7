package compare

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The least lengths, in bytes, of what is taken for base64: of JSON, whose first letters say what it is, and of a text,
// which of 16 letters drawn by chance one in a million is.
const (
	minEncoded     = 8
	minEncodedText = 16
)

const bearer = "Bearer "

// jwtJSON reads a JSON web token (RFC 7519), "" where s is none: the parts that are JSON, and the signature as it
// stands.
func jwtJSON(s string) string {
	s = strings.TrimPrefix(s, bearer)
	if !strings.HasPrefix(s, "ey") || strings.Count(s, ".") != 2 {
		return ""
	}
	parts := strings.Split(s, ".")
	header, claims := objectOf(parts[0]), objectOf(parts[1])
	if header == "" || claims == "" {
		return ""
	}
	var w writer
	w.open('{')
	w.key("header")
	w.raw(header)
	w.key("claims")
	w.raw(claims)
	w.member("signature", parts[2])
	w.end('}')
	return w.String()
}

// objectOf returns the JSON object that base64 stands for, "" for none.
func objectOf(encoded string) string {
	plain, ok := unbase64(encoded)
	if !ok || !strings.HasPrefix(plain, "{") {
		return ""
	}
	if _, ok = parse(plain); !ok {
		return ""
	}
	return plain
}

// base64JSON reads base64 in either alphabet, padded or not, of JSON or of a text, "" for anything else: the JSON
// itself, or the text as a string.
func base64JSON(s string) string {
	plain, ok := unbase64(s)
	if !ok || plain == "" {
		return ""
	}
	if begin := strings.TrimLeft(plain, " \t\r\n"); begin != "" && (begin[0] == '{' || begin[0] == '[') {
		if _, ok := parse(plain); ok {
			return plain
		}
	}
	if len(s) < minEncodedText || !utf8.ValidString(plain) {
		return ""
	}
	for _, r := range plain {
		if !printable(r) {
			return ""
		}
	}
	return quote(plain)
}

// unbase64 decodes base64. White space, which mail has it in lines by, is not taken.
func unbase64(s string) (plain string, ok bool) {
	if !mayEncode(s) {
		return "", false
	}
	body := strings.TrimRight(s, "=")
	if pads := len(s) - len(body); pads > 2 || pads > 0 && len(s)%4 != 0 {
		return "", false
	}
	coding := base64.RawStdEncoding
	if strings.ContainsAny(body, "-_") {
		coding = base64.RawURLEncoding
	}
	b, err := coding.DecodeString(body)
	return string(b), err == nil
}

// binaryToken is the token of bytes that are no text: their length and their digest.
func binaryToken(s string) string {
	sum := sha256.Sum256([]byte(s))
	return quote(fmt.Sprintf("binary:%d:%s", len(s), hex.EncodeToString(sum[:16])))
}

// binaryJSON says what is known of bytes that are no text beside whether they are the same.
func binaryJSON(s string) string {
	return `{"length":` + strconv.Itoa(len(s)) + `,"type":` + quote(magic(s)) + `}`
}

// signs are what files begin with, by the registries of their formats.
var signs = []struct {
	at         int
	sign, name string
}{
	{0, "\x89PNG\r\n\x1a\n", "png"}, {0, "\xff\xd8\xff", "jpeg"}, {0, "GIF87a", "gif"}, {0, "GIF89a", "gif"},
	{8, "WEBP", "webp"},
	{8, "WAVE", "wav"}, {0, "BM", "bmp"}, {0, "II*\x00", "tiff"}, {0, "MM\x00*", "tiff"}, {0, "\x00\x00\x01\x00", "ico"},
	{4, "ftyp", "mp4"},
	{0, "%PDF-", "pdf"}, {0, "PK\x03\x04", "zip"}, {0, "PK\x05\x06", "zip"}, {0, "\x1f\x8b", "gzip"}, {0, "BZh", "bzip2"},
	{0, "\xfd7zXZ\x00", "xz"}, {0, "\x28\xb5\x2f\xfd", "zstd"}, {0, "7z\xbc\xaf\x27\x1c", "7z"}, {257, "ustar", "tar"},
	{0, "SQLite format 3\x00", "sqlite"}, {0, "OggS", "ogg"}, {0, "fLaC", "flac"}, {0, "ID3", "mp3"}, {0, "wOFF", "woff"},
	{0, "wOF2", "woff2"}, {0, "\x00asm", "wasm"}, {0, "\x7fELF", "elf"}, {0, "\xac\xed\x00\x05", "java"},
	{0, "PAR1", "parquet"},
	{0, "Obj\x01", "avro"}, {0, "\xff\xfe", "utf-16"}, {0, "\xfe\xff", "utf-16"},
}

// magic names the format that bytes begin as, "" where it is none that is known.
func magic(s string) string {
	for _, m := range signs {
		if len(s) >= m.at+len(m.sign) && s[m.at:m.at+len(m.sign)] == m.sign {
			return m.name
		}
	}
	return ""
}

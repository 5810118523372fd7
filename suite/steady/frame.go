package steady

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// framed returns an answer with another payload: packed as it was, its length told, its chunks and trailers as before,
// and its digests right where they were right.
func framed(was *exchange.Response, head, payload, body []byte) *exchange.Message {
	codings := strings.Join(was.Header.Values("Content-Encoding"), ",")
	packed := body
	if strings.TrimSpace(codings) != "" && !was.Plain {
		if out, ok := wire.Encode(codings, body); ok {
			packed = out
		} else {
			head = withoutField(head, "content-encoding")
		}
	}
	content, trailers, chunked := contentOf(was)
	head = edited(head, func(f field) []byte {
		switch f.name {
		case "content-md5", "digest", "content-digest", "repr-digest":
			return digested(f, content, packed, payload, body)
		case "content-length":
			if !chunked {
				return f.with(fmt.Sprint(len(packed)))
			}
		}
		return f.line
	})
	if chunked {
		packed = chunkedWith(packed, trailers)
	}
	return &exchange.Message{Head: head, Body: packed}
}

// contentOf returns the content of an answer without its chunks: as it is packed.
func contentOf(was *exchange.Response) (content []byte, trailers wire.Fields, chunked bool) {
	if _, chunked = wire.TransferCodings(was.Header); !chunked {
		return was.Body, nil, false
	}
	content, trailers, _ = wire.Dechunk(was.Body)
	return content, trailers, true
}

// chunkedWith frames content as one chunk, with the trailers behind it.
func chunkedWith(content []byte, trailers wire.Fields) []byte {
	out := bytes.TrimSuffix(wire.Chunk(content), []byte("\r\n"))
	for _, f := range trailers {
		out = fmt.Appendf(out, "%s: %s\r\n", f.Name, f.Value)
	}
	return append(out, "\r\n"...)
}

// digested returns a digest field with the digests of the new content in the place of those that were right: of what is
// sent, or, as some servers have it, of what is packed in it.
func digested(f field, content, packed, payload, body []byte) []byte {
	if f.name == "content-md5" {
		for _, c := range [][2][]byte{{content, packed}, {payload, body}} {
			if f.value == digest("md5", c[0]) {
				return f.with(digest("md5", c[1]))
			}
		}
		return f.line
	}
	value := f.value
	for _, algorithm := range []string{"sha-256", "sha-512", "md5"} {
		for _, c := range [][2][]byte{{content, packed}, {payload, body}} {
			if was := digest(algorithm, c[0]); strings.Contains(value, was) {
				value = strings.ReplaceAll(value, was, digest(algorithm, c[1]))
				break
			}
		}
	}
	if value == f.value {
		return f.line
	}
	return f.with(value)
}

// digest returns the digest of bytes in base64.
func digest(algorithm string, b []byte) string {
	var sum []byte
	switch algorithm {
	case "sha-256":
		s := sha256.Sum256(b)
		sum = s[:]
	case "sha-512":
		s := sha512.Sum512(b)
		sum = s[:]
	default:
		s := md5.Sum(b) //nolint:gosec // it is what Content-MD5 is made with
		sum = s[:]
	}
	return base64.StdEncoding.EncodeToString(sum)
}

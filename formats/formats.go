// Package formats reads what other tools recorded and writes recordings in their formats. Each format has a file of
// its own. Readers and writers are streams: none holds more than one exchange.
//
// What a format does not keep, an exchange made from it cannot have: bodies are then the payload alone
// (exchange.Message.Plain), and heads are rebuilt from the method, the URL and the fields that were kept.
package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Format is a form of file that holds exchanges.
type Format string

// HAR is the HTTP Archive format, version 1.2.
const HAR Format = "har"

// DetectSize is how many bytes from the beginning of a file [Detect] looks at; fewer will do where the file is shorter.
const DetectSize = 4096

var (
	bom       = []byte("\xef\xbb\xbf")
	gzipMagic = []byte{0x1f, 0x8b}
)

// Detect tells the format of a file by its first bytes, which may be compressed with gzip. The error says what the
// content looks like instead.
func Detect(head []byte) (Format, error) {
	text := head
	if bytes.HasPrefix(head, gzipMagic) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return "", fmt.Errorf("detect format: gzip: %w", err)
		}
		// The head ends within the compressed text, so that an error at the end is what must come.
		text, _ = io.ReadAll(io.LimitReader(z, DetectSize))
	}
	text = bytes.TrimLeft(bytes.TrimPrefix(text, bom), " \t\r\n")
	switch {
	case len(text) == 0:
		return "", errors.New("detect format: there is nothing in it")
	case text[0] == '{' && bytes.Contains(text, []byte(`"log"`)):
		return HAR, nil
	}
	return "", fmt.Errorf("detect format: not a HAR, the format that can be read: it begins with %.30q", text)
}

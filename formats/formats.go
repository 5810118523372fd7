package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/klauspost/compress/gzip"
)

// Format is a form of file that holds exchanges.
type Format string

// The formats that can be read. HAR can be written as well.
const (
	HAR      Format = "har"       // HTTP Archive 1.2, of browsers, proxies, Schemathesis
	Cassette Format = "cassette"  // the YAML that Schemathesis writes with --report vcr
	NDJSON   Format = "ndjson"    // the events that Schemathesis writes with --report ndjson
	Flows    Format = "mitmproxy" // what mitmdump -w writes
	RESTler  Format = "restler"   // RESTler's network logs
	Burp     Format = "burp"      // the XML of Burp's "Save items"
	Charles  Format = "charles"   // a JSON session of Charles, .chlsj
)

// DetectSize is how many bytes from the beginning of a file [Detect] looks at; fewer will do where the file is shorter.
const DetectSize = 4096

var (
	bom       = []byte("\xef\xbb\xbf")
	gzipMagic = []byte{0x1f, 0x8b}
	// What a file of objects that Java wrote begins with.
	javaObject = []byte{0xac, 0xed, 0x00, 0x05}

	// An event: its name, in capitals, and an object.
	ndjsonHead = regexp.MustCompile(`^\{"(?:Initialize|[A-Z][A-Za-z]*(?:Started|Finished))":\{`)
	// A tnetstring with another one in it, which is the first key of a dictionary.
	flowHead = regexp.MustCompile(`^[1-9][0-9]{1,11}:[1-9][0-9]?:[a-z_0-9]+[;,]`)
	// The head of the file, or, where it is longer than what is looked at, the tool's name in it.
	cassetteHead = regexp.MustCompile(`(?m)^(?:http_interactions:|recorded_with: 'Schemathesis )`)
	// The time of a message, or the head of a sequence.
	restlerHead = regexp.MustCompile(
		`(?m)^(?:[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?: |Generation-[0-9]+: Rendering Sequence-[0-9]+)`)
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
		return "", errors.New("detect format: the file is empty")
	case ndjsonHead.Match(text):
		return NDJSON, nil
	case text[0] == '{' && bytes.Contains(text, []byte(`"log"`)):
		return HAR, nil
	case flowHead.Match(text):
		return Flows, nil
	case cassetteHead.Match(text):
		return Cassette, nil
	case restlerHead.Match(text):
		return RESTler, nil
	case text[0] == '<' && bytes.Contains(text, []byte("burpVersion")):
		return Burp, nil
	case text[0] == '[' && bytes.Contains(text, []byte(`"protocolVersion"`)):
		return Charles, nil
	case bytes.HasPrefix(text, javaObject) && bytes.Contains(text, []byte("com.xk72.charles")):
		return "", errors.New("detect format: a binary session of Charles; export it as a JSON session: " +
			"File, Export Session, or charles convert FILE.chls FILE.chlsj")
	}
	return "", fmt.Errorf("detect format: unknown format that begins with %.30q: want one of HAR, Schemathesis report (vcr, ndjson), "+
		"mitmproxy flow file, RESTler network log, Burp items, Charles JSON session", text)
}

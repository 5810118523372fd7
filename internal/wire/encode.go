package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Encode packs content as a Content-Encoding value says, with what [Decode] undoes. ok is false where one of the
// codings is not known, or there are more than eight.
func Encode(encoding string, b []byte) (packed []byte, ok bool) {
	if strings.Count(encoding, ",") >= maxCodings {
		return nil, false
	}
	for coding := range strings.SplitSeq(encoding, ",") {
		if b, ok = encodeOne(strings.ToLower(trimOWS(coding)), b); !ok {
			return nil, false
		}
	}
	return b, true
}

func encodeOne(coding string, b []byte) (packed []byte, ok bool) {
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "", "identity":
		return b, true
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, false
		}
		w = z
	default:
		return nil, false
	}
	_, err := w.Write(b)
	if cerr := w.Close(); err != nil || cerr != nil { // a buffer takes everything
		return nil, false
	}
	return out.Bytes(), true
}

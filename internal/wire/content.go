package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// ErrTooLarge is what [Decode] returns for content that unpacks to more than the limit.
var ErrTooLarge = errors.New("content unpacks to more than the limit")

// Dechunk takes the chunk framing off a stored body and returns the data and the trailers. whole is false where the
// last chunk is missing or the framing is broken; what came before is returned all the same.
func Dechunk(b []byte) (data []byte, trailers Fields, whole bool) {
	for {
		line, rest := cutLine(b)
		size, err := chunkLength(line)
		if err != nil {
			return data, nil, false
		}
		if size == 0 {
			trailers, _ = parseFields(rest)
			return data, trailers, HeadEnd(append([]byte("x\n"), rest...)) > 0
		}
		if int64(len(rest)) < size {
			return append(data, rest...), nil, false
		}
		data = append(data, rest[:size]...)
		end, after := cutLine(rest[size:])
		if len(end) > 0 || len(rest[size:]) == 0 {
			return data, nil, false
		}
		b = after
	}
}

// Chunk puts chunk framing around data: one chunk and the end, no trailers.
func Chunk(data []byte) []byte {
	if len(data) == 0 {
		return []byte("0\r\n\r\n")
	}
	return fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(data), data)
}

// Decode undoes a Content-Encoding value: gzip, deflate (zlib or raw, as servers send both), br, zstd, and lists of
// them. limit bounds the size in bytes of what comes out, so that a small answer cannot fill the memory. An unknown
// coding is an error.
func Decode(encoding string, b []byte, limit int64) ([]byte, error) {
	codings := strings.Split(encoding, ",")
	for i := len(codings) - 1; i >= 0; i-- {
		var err error
		if b, err = decodeOne(strings.ToLower(strings.TrimSpace(codings[i])), b, limit); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func decodeOne(coding string, b []byte, limit int64) ([]byte, error) {
	var (
		r   io.Reader
		err error
	)
	switch coding {
	case "", "identity":
		return b, nil
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(b))
	case "deflate":
		if r, err = zlib.NewReader(bytes.NewReader(b)); err != nil {
			r, err = flate.NewReader(bytes.NewReader(b)), nil
		}
	case "br":
		r = brotli.NewReader(bytes.NewReader(b))
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(limit, 1<<20))))
		if err == nil {
			defer d.Close()
			r = d
		}
	default:
		return nil, fmt.Errorf("decode content: coding %.40q is not known", coding)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s content: %w", coding, err)
	}
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("decode %s content: %w", coding, err)
	}
	if int64(len(out)) > limit {
		return nil, ErrTooLarge
	}
	return out, nil
}

package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// ErrTooLarge is what [Decode] returns for content that unpacks to more than the limit.
var ErrTooLarge = errors.New("content unpacks to more than the limit")

// maxCodings bounds how often one body may be packed; a real one is packed once.
const maxCodings = 8

// Dechunk takes the chunk framing off a stored body and returns the data and the trailers. whole is false where the
// last chunk is missing or the framing is broken; what came before is returned all the same.
func Dechunk(b []byte) (data []byte, trailers Fields, whole bool) {
	for {
		line, rest, _ := bytes.Cut(b, []byte{'\n'})
		size, err := chunkLength(bytes.TrimSuffix(line, []byte{'\r'}))
		if err != nil {
			return data, nil, false
		}
		if size == 0 {
			end := blankLineEnd(rest, 0)
			if end < 0 {
				return data, nil, false
			}
			trailers, _ = parseFields(string(rest[:end]), "")
			return data, trailers, true
		}
		if data == nil {
			data = make([]byte, 0, len(rest)) // the framing only takes room
		}
		if int64(len(rest)) < size {
			return append(data, rest...), nil, false
		}
		data = append(data, rest[:size]...)
		end, after, found := bytes.Cut(rest[size:], []byte{'\n'})
		if !found || len(bytes.TrimSuffix(end, []byte{'\r'})) > 0 {
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

// Decode undoes a Content-Encoding value: gzip, deflate (zlib or raw, as servers send both), br, zstd, and lists of up
// to eight of them. limit bounds the size in bytes of what comes out of each, so that a small answer cannot fill the
// memory: beyond it the error is [ErrTooLarge]. An unknown coding is an error.
func Decode(encoding string, b []byte, limit int64) ([]byte, error) {
	out, err := DecodePart(encoding, b, limit)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// DecodePart is [Decode] that returns, beside the error, what came out before it: of content that breaks off, or whose
// outermost coding alone could be undone.
func DecodePart(encoding string, b []byte, limit int64) ([]byte, error) {
	if strings.Count(encoding, ",") >= maxCodings {
		return nil, fmt.Errorf("decode content: more than %d codings", maxCodings)
	}
	codings := strings.Split(encoding, ",")
	var first error
	for i := len(codings) - 1; i >= 0; i-- {
		coding := strings.ToLower(trimOWS(codings[i]))
		out, err := decodeOne(coding, b, limit)
		if err != nil && first == nil {
			first = fmt.Errorf("decode %.40q content: %w", coding, err)
		}
		if b = out; err != nil && (len(out) == 0 || errors.Is(err, ErrTooLarge)) {
			break
		}
	}
	return b, first
}

func decodeOne(coding string, b []byte, limit int64) ([]byte, error) {
	switch coding {
	case "", "identity":
		return b, nil
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return readAll(r, limit)
	case "deflate":
		return inflate(b, limit)
	case "br":
		return readAll(brotli.NewReader(bytes.NewReader(b)), limit)
	case "zstd":
		return unzstd(b, limit)
	default:
		return nil, errors.New("the coding is not known")
	}
}

// inflate reads the zlib format, which RFC 9110 §8.4.1.2 wants, or else the bare one that some servers send. A bare
// stream may begin as zlib does by chance, so the second is tried wherever the first fails.
func inflate(b []byte, limit int64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err == nil {
		var out []byte
		if out, err = readAll(r, limit); err == nil || errors.Is(err, ErrTooLarge) || errors.Is(err, io.ErrUnexpectedEOF) &&
			len(out) > 0 {
			return out, err
		}
	}
	out, rawErr := readAll(flate.NewReader(bytes.NewReader(b)), limit)
	if rawErr != nil && !errors.Is(rawErr, ErrTooLarge) {
		return out, err
	}
	return out, rawErr
}

// unzstd bounds the window as well: it is what a decoder must hold beside what comes out. Senders must keep to 8 MiB
// (RFC 9659); what goes beyond is read as far as the limit allows.
func unzstd(b []byte, limit int64) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(max(limit, 8<<20))))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := readAll(r, limit)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, ErrTooLarge // the frame says its size before its content comes
	}
	return out, err
}

// readAll reads to the end, or to one byte more than the limit. Beside an error of r it returns what came before it.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	limit = min(limit, math.MaxInt64-1)
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return out, err
	}
	if int64(len(out)) > limit {
		return nil, ErrTooLarge
	}
	return out, nil
}

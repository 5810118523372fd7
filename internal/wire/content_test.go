package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func TestDechunk(t *testing.T) {
	for _, tt := range chunkings {
		t.Run(tt.name, func(t *testing.T) {
			body, rest, _ := strings.Cut(tt.body, "|")
			data, trailers, whole := Dechunk([]byte(body + rest))
			if string(data) != tt.data || whole != (tt.state == Done) {
				t.Errorf("%q: data %q, whole %v; want %q, %v", tt.body, data, whole, tt.data, !whole)
			}
			var want Fields
			if tt.name == "trailers" {
				want = Fields{{"X-Sum", "1"}, {"Y", "2"}}
			} else if tt.name == "trailers with LF" {
				want = Fields{{"X-Sum", "1"}}
			}
			if diff := cmp.Diff(want, trailers); diff != "" {
				t.Errorf("trailers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDechunkUndoesChunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		got, trailers, whole := Dechunk(Chunk(data))
		if !bytes.Equal(got, data) || len(trailers) > 0 || !whole {
			t.Fatalf("%q came back as %q, trailers %v, whole %v", data, got, trailers, whole)
		}
	})
}

// pack is the other side of Decode, for one coding.
func pack(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var (
		buf bytes.Buffer
		w   io.WriteCloser
		err error
	)
	switch coding {
	case "gzip", "x-gzip":
		w, err = gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	case "deflate":
		w = zlib.NewWriter(&buf)
	case "deflate, raw":
		w, err = flate.NewWriter(&buf, flate.BestCompression)
	case "br":
		w = brotli.NewWriterLevel(&buf, brotli.BestSpeed)
	case "zstd":
		w, err = zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
	default:
		return data
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestDecode(t *testing.T) {
	data := []byte(strings.Repeat("what was meant ", 100))
	gz := pack(t, "gzip", data)
	tests := []struct {
		name, encoding string
		packed         []byte
		err            string
	}{
		{"none", "", data, ""},
		{"identity", "identity", data, ""},
		{"gzip", "gzip", gz, ""},
		{"gzip by its old name", "x-gzip", gz, ""},
		{"gzip of two members", "gzip", append(pack(t, "gzip", data[:7]), pack(t, "gzip", data[7:])...), ""},
		{"another case, white space", " GZip\t", gz, ""},
		{"deflate", "deflate", pack(t, "deflate", data), ""},
		{"deflate without zlib", "deflate", pack(t, "deflate, raw", data), ""},
		{"br", "br", pack(t, "br", data), ""},
		{"zstd", "zstd", pack(t, "zstd", data), ""},
		{"two", "br, gzip", pack(t, "gzip", pack(t, "br", data)), ""},
		{"empty elements", ",gzip, ,", gz, ""},
		{"eight", "gzip,,,,,,,", gz, ""},
		{"nine", "gzip,,,,,,,,", gz, "more than 8"},
		{"not known", "compress", data, `"compress"`},
		{"not known, the first of two", "compress, gzip", gz, `"compress"`},
		{"no gzip", "gzip", data, `"gzip"`},
		{"no zlib", "deflate", data, "zlib"},
		{"no brotli", "br", []byte("\xff\xff\xff"), `"br"`},
		{"no zstd", "zstd", data, `"zstd"`},
		{"nothing", "gzip", nil, "EOF"},
		{"gzip cut off", "gzip", gz[:len(gz)-5], "EOF"},
		{"zlib cut off", "deflate", pack(t, "deflate", data)[:10], "EOF"},
		{"gzip with a wrong sum", "gzip", append(gz[:len(gz)-8:len(gz)-8], 1, 2, 3, 4, 5, 6, 7, 8), "checksum"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode(tt.encoding, tt.packed, 1<<20)
			checkError(t, err, tt.err)
			if err == nil && !bytes.Equal(got, data) {
				t.Errorf("%.40q…, want %.40q…", got, data)
			}
			if err != nil && got != nil {
				t.Errorf("an error and %d bytes", len(got))
			}
		})
	}
}

// A bare deflate stream may begin with two bytes that zlib's header may be too.
func TestDecodeDeflateThatLooksLikeZlib(t *testing.T) {
	// 0x78: a stored block that is not the last, its padding bits set as in no known encoder's output; the length's
	// low byte 0x01 makes the pair divisible by 31, as zlib wants.
	raw := []byte{0x78, 0x01, 0x00, 0xfe, 0xff, 'a', 0x01, 0x00, 0x00, 0xff, 0xff}
	if _, err := zlib.NewReader(bytes.NewReader(raw)); err != nil {
		t.Fatalf("the stream does not look like zlib: %v", err)
	}
	got, err := Decode("deflate", raw, 10)
	if err != nil || string(got) != "a" {
		t.Errorf("%q, error %v", got, err)
	}
}

func TestDecodeLimit(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 10)
	for _, coding := range []string{"gzip", "deflate", "deflate, raw", "br", "zstd"} {
		encoding, _, _ := strings.Cut(coding, ",")
		packed := pack(t, coding, data)
		for _, limit := range []int64{100, 101, math.MaxInt64} {
			if got, err := Decode(encoding, packed, limit); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, limit %d: %d bytes, error %v", coding, limit, len(got), err)
			}
		}
		for _, limit := range []int64{99, 1, 0, -1} {
			if got, err := Decode(encoding, packed, limit); !errors.Is(err, ErrTooLarge) || got != nil {
				t.Errorf("%s, limit %d: %d bytes, error %v; want ErrTooLarge", coding, limit, len(got), err)
			}
		}
	}
	if got, err := Decode("gzip", pack(t, "gzip", nil), 0); err != nil || len(got) > 0 {
		t.Errorf("nothing packed, limit 0: %d bytes, error %v", len(got), err)
	}
}

// A bomb costs memory in the measure of the limit, not of what it would unpack to.
func TestDecodeBombs(t *testing.T) {
	const limit = 64 << 10
	zeros := make([]byte, 16<<20)
	bombs := map[string][]byte{
		"gzip, gzip": pack(t, "gzip", pack(t, "gzip", zeros)),
		// A frame that only says that its window and its content are of 1 GiB.
		"zstd ": {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0xa0, 0x00, 0x00, 0x00, 0x40, 0x01, 0x00, 0x00},
	}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bombs[coding] = pack(t, coding, zeros)
	}
	for encoding, bomb := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(encoding, bomb, limit)
		runtime.ReadMemStats(&after)
		if err == nil || encoding != "zstd " && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: error %v, want ErrTooLarge", encoding, err)
		}
		// A decoder holds its window beside what comes out: 4 MiB for brotli here, 8 for zstd.
		if used := after.TotalAlloc - before.TotalAlloc; used > 12<<20 {
			t.Errorf("%s: %d bytes in all were asked for to unpack at most %d", encoding, used, limit)
		}
	}
}

func TestDecodeUndoesPacking(top *testing.T) {
	codings := []string{"gzip", "deflate", "br", "zstd", "identity", ""}
	rapid.Check(top, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		list := rapid.SliceOfN(rapid.SampledFrom(codings), 1, 3).Draw(t, "codings")
		packed := data
		for _, coding := range list {
			packed = pack(top, coding, packed)
		}
		got, err := Decode(strings.Join(list, ","), packed, 1<<20)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%v: %q came back as %q, error %v", list, data, got, err)
		}
	})
}

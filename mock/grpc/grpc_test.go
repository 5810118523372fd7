package grpc

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

const get = "/rates.v1.Rates/Get"

func described(t testing.TB) *Description {
	t.Helper()
	d, err := ReadFile(t.Context(), filepath.Join("testdata", "rates.proto"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// setOf is the descriptor set of the same, without what it imports, as protoc writes it.
func setOf(t testing.TB) []byte {
	t.Helper()
	file := described(t).Method(get).desc.ParentFile()
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(file)}}
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A descriptor set says what its source says, whose imports may lie in a folder above.
func TestDescriptions(t *testing.T) {
	want := []string{"/rates.v1.Rates/Get", "/rates.v1.Rates/Upload", "/rates.v1.Rates/Watch"}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("types.proto", `syntax = "proto3"; package t; message M { string a = 1; }`)
	imports := write("a/b/s.proto", `syntax = "proto3"; package s; import "types.proto"; service S { rpc Do(t.M) returns (t.M); }`)
	for file, methods := range map[string][]string{filepath.Join("testdata", "rates.proto"): want, write("set", string(setOf(t))): want, imports: {"/s.S/Do"}} {
		d, err := ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(methods, d.Methods()); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
	d := described(t)
	if !d.Method(get).Unary() || d.Method("/rates.v1.Rates/Watch").Unary() || d.Method("/rates.v1.Rates/Upload").Unary() || d.Method("/other") != nil {
		t.Error("which methods are streams is not known")
	}
	deep := `syntax = "proto3"; ` + strings.Repeat("message M {", 100_000) + strings.Repeat("}", 100_000)
	for file, want := range map[string]string{
		"none.proto": "none.proto", write("wrong.proto", "syntax ="): "syntax error",
		write("empty.proto", `syntax = "proto3";`):                        "it describes no service",
		write("missing.proto", `syntax = "proto3"; import "none.proto";`): "none.proto",
		write("large.proto", strings.Repeat(" ", maxSource+1)):            "is larger than 1 MiB",
		write("deep.proto", deep):                                         "deep.proto",
		write("no set", "\x0a\xff"):                                       "read descriptor set",
		write("imports", "\x0a\x0b\x0a\x03a.x\x1a\x04none"):               "none, which is not in it: write it with protoc's --include_imports",
	} {
		if _, err := ReadFile(t.Context(), file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
}

// What is read of a message is what it was written from.
func TestMessages(t *testing.T) {
	m := described(t).Method(get)
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{}
		set := func(name string, v any) {
			if rapid.Bool().Draw(t, name) {
				want[name] = v
			}
		}
		set("usd", rapid.Float64Range(0.5, 1e9).Draw(t, "number"))
		set("id", strconv.FormatInt(rapid.Int64Range(1, 1<<62).Draw(t, "id"), 10))
		set("source", rapid.SampledFrom([]string{"BANK", "MARKET"}).Draw(t, "word"))
		set("at", "2026-01-02T03:04:05Z")
		set("others", map[string]any{rapid.String().Draw(t, "key"): map[string]any{"note": rapid.String().Draw(t, "text")}})
		set("asked", []any{map[string]any{"base": "EUR"}, map[string]any{}})
		set("raw", "AAE=")
		set("code", 0.0)
		set("open", true)
		set("any", map[string]any{"@type": "type.googleapis.com/rates.v1.Query", "base": "EUR"})
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := m.fromJSON(text, m.desc.Output())
		if err != nil {
			t.Fatal(err)
		}
		back, err := m.toJSON(raw, "", m.desc.Output())
		var got map[string]any
		if err != nil || json.Unmarshal(back, &got) != nil {
			t.Fatalf("%s: %v", back, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A sample of a method is one of its answers, and says of which types and values its fields are.
func TestSamples(t *testing.T) {
	m := described(t).Method(get)
	s := m.Sample()
	text, err := json.Marshal(s.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.fromJSON(text, m.desc.Output()); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	if diff := cmp.Diff([]any{"UNKNOWN", "BANK", "MARKET"}, s.Values["/body/source"]); diff != "" {
		t.Error(diff)
	}
	for place, want := range map[exchange.Place]string{"/body/usd": "number", "/body/id": "integer", "/body/at": "string", "/body/asked/*/currencies/*": "string",
		"/body/others/key/others": "object", "/body/open": "boolean", "/body/code": "", "/body/any": ""} {
		if s.Types[place] != want {
			t.Errorf("%s is %q, want %q", place, s.Types[place], want)
		}
	}
}

// What hostile frames say is refused, with a reason, and takes no more than a message may.
func TestFrames(t *testing.T) {
	m := described(t).Method(get)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	deep := []byte(nil)
	for range 200 { // others, a map: its value is a Rate
		entry := append(protowire.AppendTag(nil, 2, protowire.BytesType), protowire.AppendBytes(nil, deep)...)
		deep = append(protowire.AppendTag(nil, 5, protowire.BytesType), protowire.AppendBytes(nil, entry)...)
	}
	packed := func(times int) (out []byte) {
		for range times {
			inner := append(protowire.AppendTag(nil, 1, protowire.BytesType), protowire.AppendString(nil, "x/rates.v1.Rate")...)
			inner = append(append(inner, protowire.AppendTag(nil, 2, protowire.BytesType)...), protowire.AppendBytes(nil, out)...)
			out = append(protowire.AppendTag(nil, 11, protowire.BytesType), protowire.AppendBytes(nil, inner)...)
		}
		return out
	}
	frame := func(flag byte, size int, message []byte) []byte {
		return append(append([]byte{flag}, binary.BigEndian.AppendUint32(nil, uint32(size))...), message...)
	}
	for name, tc := range map[string]struct {
		body           []byte
		encoding, want string
	}{
		"none":          {nil, "", "not one message"},
		"short":         {[]byte{0, 0, 0}, "", "not one message"},
		"less":          {frame(0, 5, []byte("x")), "", "not one message"},
		"two":           {append(framed(nil), framed(nil)...), "", "not one message"},
		"huge":          {frame(0, 1<<32-1, nil), "", "larger than 4 MiB"},
		"brotli":        {frame(1, 1, []byte("x")), "br", `compressed by "br"`},
		"no gzip":       {frame(1, 1, []byte("x")), "gzip", "unpack message"},
		"bomb":          {frame(1, bomb.Len(), bomb.Bytes()), "gzip", "larger than 4 MiB"},
		"no fields":     {framed([]byte{0xff}), "", "it is no rates.v1.Rate"},
		"no UTF-8":      {framed([]byte("\x42\x01\xff")), "", "it is no rates.v1.Rate"},
		"deep":          {framed(deep), "", "it is no rates.v1.Rate"},
		"packed deep":   {framed(packed(maxDepth + 1)), "", "it is no rates.v1.Rate"},
		"packed seldom": {framed(packed(20)), "", ""},
	} {
		_, err := m.toJSON(tc.body, tc.encoding, m.desc.Output())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

// Each status has its name and its number, and HTTP statuses stand for the usual ones.
func TestStatuses(t *testing.T) {
	for s := range Status(17) {
		for _, name := range []string{s.String(), strconv.Itoa(int(s)), strings.ToLower(s.String())} {
			if got, ok := StatusNamed(name); !ok || got != s {
				t.Errorf("%s is %v", name, got)
			}
		}
		if got := StatusOf(s.HTTP()).HTTP(); got != s.HTTP() {
			t.Errorf("%s stands as %d, which stands for %d", s, s.HTTP(), got)
		}
	}
	for status, want := range map[int]string{200: "OK", 204: "OK", 400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 409: "ABORTED", 429: "RESOURCE_EXHAUSTED",
		418: "UNKNOWN", 500: "INTERNAL", 502: "UNAVAILABLE", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"} {
		if got := StatusOf(status).String(); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
	if got := Status(99); got.String() != "99" || got.HTTP() != 500 {
		t.Errorf("an unknown status is %s, %d", got, got.HTTP())
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := unpercent(percent(text)); got != text {
			t.Errorf("%q is read back as %q", text, got)
		}
	})
}

// What a real service was asked, and answered, is recorded as it would be of a mock; what cannot be read stays as it is.
func TestRecorded(t *testing.T) {
	m := described(t).Method(get)
	all := Services{"rates.example.com:443": described(t)}
	query, err := m.fromJSON([]byte(`{"base":"EUR"}`), m.desc.Input())
	if err != nil {
		t.Fatal(err)
	}
	rate, err := m.fromJSON([]byte(`{"usd":1.5}`), m.desc.Output())
	if err != nil {
		t.Fatal(err)
	}
	call := func(path string, trailer string, answer []byte) exchange.Exchange {
		head := wire.FieldLines(wire.Fields{{Name: "content-type", Value: "application/grpc"}, {Name: "x-a", Value: "1"}})
		return exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443",
			Request: exchange.ParseRequest(exchange.Message{Head: append([]byte("POST "+path+" HTTP/2.0\r\n"), head...), Body: query}),
			Response: exchange.ParseResponse(exchange.Message{Head: append([]byte("HTTP/2.0 200 OK\r\n"), head...), Body: answer,
				Trailer: []byte(trailer)})}
	}
	for _, tc := range []struct {
		e                     exchange.Exchange
		status                int
		name, reason, q, body string
	}{
		{call(get, "grpc-status: 0\r\n\r\n", rate), 200, "OK", "", `{"base":"EUR"}`, `{"usd":1.5}`},
		{call(get, "grpc-status: 5\r\ngrpc-message: kein %C3%BC%0A\r\n\r\n", nil), 404, "NOT_FOUND", "kein ü", `{"base":"EUR"}`, ""},
		{call(get, "", rate), 200, "", "", string(query), string(rate)},
		{call("/rates.v1.Rates/Watch", "grpc-status: 0\r\n\r\n", rate), 200, "", "", string(query), string(rate)},
		{call(get, "grpc-status: 0\r\n\r\n", []byte("nothing")), 200, "", "", string(query), "nothing"},
	} {
		got := all.Recorded(tc.e)
		h := got.Response.Header
		kind := "application/grpc"
		if tc.name != "" {
			kind = MediaType
		}
		if got.Response.Status != tc.status || h.Get(StatusName) != tc.name || h.Get(StatusReason) != tc.reason || string(got.Request.Body) != tc.q ||
			string(got.Response.Body) != tc.body || h.Get("x-a") != "1" || got.Request.Header.Get("Content-Type") != kind || got.Request.Malformed || got.Response.Malformed {
			t.Errorf("%s\n%s\n%s\n%s", got.Request.Head, got.Request.Body, got.Response.Head, got.Response.Body)
		}
	}
}

// FuzzCall has hostile bytes be a call, a description and an answer.
func FuzzCall(f *testing.F) {
	set := setOf(f)
	d := described(f)
	m := d.Method(get)
	answer, err := m.fromJSON([]byte(`{"usd":1,"others":{"a":{"note":"b"}},"at":"2026-01-02T03:04:05Z"}`), m.desc.Output())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(answer, []byte(`{"usd":1}`), set)
	f.Add([]byte("\x00\x00\x00\x00\x00"), []byte(``), []byte("\x0a\x00"))
	f.Fuzz(func(t *testing.T, body, text, set []byte) {
		all := Services{"a": d}
		c, ok := all.Call("a", 80, get, "application/grpc")
		if !ok {
			t.Fatal("it is no call")
		}
		if asked := c.Request(body, "gzip"); c.Why() == "" && !json.Valid(asked) {
			t.Errorf("no JSON: %q", asked)
		}
		if asJSON, err := m.toJSON(body, "", m.desc.Output()); err == nil {
			if _, err := m.fromJSON(asJSON, m.desc.Output()); err != nil {
				t.Errorf("%q cannot be written again: %v", asJSON, err)
			}
		}
		a, _ := c.Named(Answer{Status: 200, Body: text, Header: http.Header{StatusReason: {string(text)}}})
		w := httptest.NewRecorder()
		c.Write(w, a)
		if w.Header().Get(http.TrailerPrefix+"Grpc-Status") == "" {
			t.Error("an answer has no status")
		}
		if d, err := ParseSet(set); err == nil {
			for _, path := range d.Methods() {
				sample, err := json.Marshal(d.Method(path).Sample().JSON)
				if err != nil || len(sample) > 1<<20 {
					t.Errorf("%d bytes, %v", len(sample), err)
				}
			}
		}
	})
}

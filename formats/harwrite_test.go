package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// each makes a stream of exchanges.
func each(exchanges ...*exchange.Exchange) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range exchanges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// write returns the HAR of exchanges, as text.
func write(t testing.TB, o WriteOptions, exchanges ...*exchange.Exchange) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHAR(&b, each(exchanges...), o); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not JSON: %s", &b)
	}
	return b.String()
}

var reveal = WriteOptions{Redactor: exchange.Redactor{Reveal: true}}

// TestWriteReadReal writes what was read of a real session and reads it again: nothing may change.
func TestWriteReadReal(t *testing.T) {
	for _, file := range []string{"testdata/news-run.har.gz", "testdata/features-session.har.gz"} {
		want, err := readAll(bytes.NewReader(readFile(t, file)), HAROptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(strings.NewReader(write(t, reveal, want...)), HAROptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s changed (-want +got):\n%s", file, diff)
		}
	}
}

func TestWriteReadDrawn(t *testing.T) {
	token := rapid.StringMatching(`[A-Za-z][A-Za-z0-9-]{0,8}`)
	value := rapid.StringMatching(`([!-~ü][ -~ü]{0,8}[!-~ü])?`)
	rapid.Check(t, func(t *rapid.T) {
		fields := func(what string) (out string) {
			for name, v := range maps.All(rapid.MapOfN(token, value, 0, 4).Draw(t, what)) {
				out += name + ": " + v + "\r\n"
			}
			return out + "\r\n"
		}
		body := func(what string) []byte {
			if b := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Just([]byte(`{"a":"ü"}`))).Draw(t, what); len(b) > 0 {
				return b
			}
			return nil
		}
		want := &exchange.Exchange{
			Target:  exchange.DefaultTarget,
			Scheme:  rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme"),
			Addr:    "h:1234",
			Start:   time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "start"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Latency: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "latency")),
			Request: exchange.ParseRequest(exchange.Message{
				Plain: true,
				Head:  []byte(token.Draw(t, "method") + " /" + rapid.StringMatching(`[!-~ü]{0,20}`).Draw(t, "target") + " HTTP/1.1\r\n" + fields("request")),
				Body:  body("request body"),
			}),
		}
		if want.Request.Method == "CONNECT" {
			t.Skip("has no path")
		}
		if rapid.Bool().Draw(t, "fault") {
			want.Fault = &exchange.Fault{Kind: exchange.FaultReset, Text: rapid.String().Draw(t, "text")}
		} else {
			want.Response = exchange.ParseResponse(exchange.Message{
				Plain: true, Head: []byte("HTTP/1.1 200 OK\r\n" + fields("response")), Body: body("response body"),
			})
		}
		var b bytes.Buffer
		if err := WriteHAR(&b, each(want), reveal); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(&b, HAROptions{SequenceHeaders: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*exchange.Exchange{want}, got); diff != "" {
			t.Errorf("exchange changed (-want +got):\n%s", diff)
		}
	})
}

// TestWriteCoded writes an exchange that was recorded on the wire, with its codings.
func TestWriteCoded(t *testing.T) {
	e := readOne(t, entry("", "", ""))
	e.Response = exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Body: []byte("5\r\nhello\r\n0\r\n\r\n"),
	})
	if har := write(t, reveal, e); !strings.Contains(har, `"text":"hello"`) {
		t.Errorf("the body is not in\n%s", har)
	}
}

func TestWriteError(t *testing.T) {
	broken := errors.New("disk is gone")
	err := WriteHAR(&bytes.Buffer{}, func(yield func(*exchange.Exchange, error) bool) { yield(nil, broken) }, WriteOptions{})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}

// secretExchange has the secret in every place that is named as one, and the word "plain" in others.
func secretExchange(t *testing.T, secret string) *exchange.Exchange {
	e := readOne(t, entry("", "", ""))
	e.Request = exchange.ParseRequest(exchange.Message{
		Head: []byte("POST /p?api_key=" + secret + "&q=plain HTTP/1.1\r\nAuthorization: Bearer " + secret + "\r\nCookie: sid=" + secret +
			"\r\nReferer: http://h/?token=" + secret + "\r\nContent-Type: application/json\r\nX-Plain: plain\r\n\r\n"),
		Body: []byte(`{"user": "plain", "password": "` + secret + `", "credentials": {"a": ["` + secret + `"], "n": 1}, "x": [{"accessToken":"` + secret + `"}]}`),
	})
	e.Response = exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 302 Found\r\nSet-Cookie: sid=" + secret + "\r\nLocation: /next?access_token=" + secret + "\r\nContent-Type: text/plain\r\n\r\n"),
		Body: []byte(`[{"secret":"` + secret + `"}, "plain"]`),
	})
	return e
}

func TestWriteRedacts(t *testing.T) {
	const secret = "hunter2hunter2"
	o := WriteOptions{Redactor: exchange.Redactor{Key: []byte("k")}}
	har := write(t, o, secretExchange(t, secret))
	if strings.Contains(har, secret) {
		t.Errorf("the secret is in\n%s", har)
	}
	har = strings.ReplaceAll(har, "%3A", ":") // in URLs
	if n := strings.Count(har, o.Redactor.Token(secret)); n < 8 {
		t.Errorf("the secret's token is there %d times in\n%s", n, har)
	}
	if har := write(t, reveal, secretExchange(t, secret)); strings.Count(har, secret) < 9 {
		t.Errorf("with Reveal the secret is missing in\n%s", har)
	}
}

func TestDetect(t *testing.T) {
	real := readFile(t, "testdata/news-run.har.gz")
	for _, c := range []struct {
		name string
		head []byte
		want string // in the error; "" for a HAR
	}{
		{"har", []byte(entry("", "", "")), ""},
		{"byte order mark", []byte("\xef\xbb\xbf\n" + entry("", "", "")), ""},
		{"gzip", real[:min(len(real), DetectSize)], ""},
		{"short gzip", real[:200], ""},
		{"empty", nil, "the file is empty"},
		{"yaml", []byte("command: st run\n"), `begins with "command: st run`},
		{"other json", []byte(`{"a":1}`), "unknown format"},
		{"broken gzip", []byte{0x1f, 0x8b, 1, 2}, "gzip"},
	} {
		got, err := Detect(c.head)
		if c.want == "" && (err != nil || got != HAR) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

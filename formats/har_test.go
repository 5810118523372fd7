package formats

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// entry makes a HAR of one entry from the members of its request, of its response, and of the entry itself.
func entry(request, response, more string) string {
	return fmt.Sprintf(`{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-21T01:56:59.674811+00:00","time":1.5,`+
		`"request":{"method":"GET","url":"http://h:1/p","httpVersion":"HTTP/1.1","headers":[]%s},`+
		`"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"content":{}%s}%s}]}}`, request, response, more)
}

// readOne reads a HAR that holds one exchange.
func readOne(t *testing.T, har string) *exchange.Exchange {
	t.Helper()
	all, err := readAll(strings.NewReader(har), HAROptions{})
	if err != nil || len(all) != 1 {
		t.Fatalf("read %d exchanges, error %v; want one\n%s", len(all), err, har)
	}
	return all[0]
}

func readAll(r io.Reader, o HAROptions) (all []*exchange.Exchange, last error) {
	for e, err := range ReadHAR(r, o) {
		if err != nil {
			last = err
			continue
		}
		all = append(all, e)
	}
	return all, last
}

func TestReadHAR(t *testing.T) {
	har := entry(`,"method":"POST","url":"https://api.example.org/a%2Fb/ü?q=1&q=%20",
		"headers":[{"name":"Host","value":"other"},{"name":"x-Odd","value":"1"},{"name":"x-Odd","value":"2"},{"name":"X-Schemathesis-TestCaseId","value":"abc"}],
		"postData":{"mimeType":"text/plain","text":"hé","params":[{"name":"not","value":"this"}]}`,
		`,"status":404,"statusText":"Not Found","headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"size":3,"text":"AP8B","encoding":"base64"}`,
		`,"serverIPAddress":"1.2.3.4","_unknown":{"a":[1,{"b":null}]}`)
	got := readOne(t, har)
	want := &exchange.Exchange{
		Target:   "default",
		Sequence: "abc",
		Scheme:   "https",
		Addr:     "api.example.org:443",
		Start:    time.Date(2026, 11, 21, 1, 56, 59, 674811000, time.UTC),
		Latency:  1500 * time.Microsecond,
		Request: exchange.ParseRequest(exchange.Message{
			Plain: true,
			Head:  []byte("POST /a%2Fb/ü?q=1&q=%20 HTTP/1.1\r\nHost: other\r\nx-Odd: 1\r\nx-Odd: 2\r\nX-Schemathesis-TestCaseId: abc\r\n\r\n"),
			Body:  []byte("hé"),
		}),
		Response: exchange.ParseResponse(exchange.Message{
			Plain: true,
			Head:  []byte("HTTP/1.1 404 Not Found\r\nContent-Encoding: gzip\r\n\r\n"),
			Body:  []byte{0, 255, 1},
		}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exchange (-want +got):\n%s", diff)
	}
	if got.Request.Malformed || got.Response.Malformed {
		t.Error("the messages are marked malformed")
	}
	if payload, err := got.Response.Payload(); err != nil || string(payload) != "\x00\xff\x01" {
		t.Errorf("payload is %q, %v", payload, err)
	}
}

func TestReadHARRequests(t *testing.T) {
	for _, c := range []struct {
		name, request string
		head, body    string
		addr          string
	}{
		{"no path", `,"url":"http://h"`, "GET / HTTP/1.1\r\n\r\n", "", "h:80"},
		{"query without path", `,"url":"HTTP://h?a=b"`, "GET /?a=b HTTP/1.1\r\n\r\n", "", "h:80"},
		{"user and IPv6", `,"url":"https://u:p@[::1]/x"`, "GET /x HTTP/1.1\r\n\r\n", "", "[::1]:443"},
		{"IPv6 with port", `,"url":"http://[::1]:8080/x"`, "GET /x HTTP/1.1\r\n\r\n", "", "[::1]:8080"},
		{"websocket", `,"url":"wss://h/x"`, "GET /x HTTP/1.1\r\n\r\n", "", "h:443"},
		{"CONNECT", `,"method":"CONNECT","url":"https://h:444"`, "CONNECT h:444 HTTP/1.1\r\n\r\n", "", "h:444"},
		{"HTTP/1.0", `,"httpVersion":"http/1.0"`, "GET /p HTTP/1.0\r\n\r\n", "", "h:1"},
		{"unknown version", `,"httpVersion":"unknown"`, "GET /p HTTP/1.1\r\n\r\n", "", "h:1"},
		{"no version", `,"httpVersion":""`, "GET /p HTTP/1.1\r\n\r\n", "", "h:1"},
		{
			"HTTP/2", `,"httpVersion":"h2","headers":[{"name":":authority","value":"h:1"},{"name":":method","value":"GET"},{"name":"accept","value":"*/*"}]`,
			"GET /p HTTP/1.1\r\nHost: h:1\r\naccept: */*\r\n\r\n", "", "h:1",
		},
		{
			"injected lines", `,"url":"http://h:1/p\r\nX: y","headers":[{"name":"A\r\nB","value":"c\r\n\r\nd\u0000"},{"name":"","value":"x"}]`,
			"GET /p%0D%0AX: y HTTP/1.1\r\nA  B: c    d\r\n\r\n", "", "h:1",
		},
		{
			"form", `,"postData":{"mimeType":"application/x-www-form-urlencoded","text":"","params":[{"name":"a b","value":"c&d"},{"name":"e"}]}`,
			"GET /p HTTP/1.1\r\n\r\n", "a+b=c%26d&e=", "h:1",
		},
		{
			"multipart", `,"postData":{"mimeType":"multipart/form-data; boundary=X","params":[{"name":"a","value":"b"}]}`,
			"GET /p HTTP/1.1\r\n\r\n", "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X--\r\n", "h:1",
		},
		{"binary", `,"postData":{"mimeType":"x/y","text":"/w","encoding":"base64"}`, "GET /p HTTP/1.1\r\n\r\n", "\xff", "h:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := readOne(t, entry(c.request, "", ""))
			if got := string(e.Request.Head); got != c.head {
				t.Errorf("head is\n%q, want\n%q", got, c.head)
			}
			if got := string(e.Request.Body); got != c.body {
				t.Errorf("body is %q, want %q", got, c.body)
			}
			if e.Addr != c.addr {
				t.Errorf("address is %q, want %q", e.Addr, c.addr)
			}
		})
	}
}

func TestReadHARFaults(t *testing.T) {
	for _, c := range []struct {
		response string
		want     exchange.Fault
	}{
		{`,"status":0`, exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the HAR"}},
		{`,"status":-1,"_error":null`, exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the HAR"}},
		{`,"status":0,"_error":{"not":"text"}`, exchange.Fault{Kind: exchange.FaultEOF, Text: "no answer in the HAR"}},
		{`,"status":0,"_error":"net::ERR_CONNECTION_REFUSED"`, exchange.Fault{Kind: exchange.FaultDial, Text: "net::ERR_CONNECTION_REFUSED"}},
		{`,"status":0,"_error":"Connection reset by peer"`, exchange.Fault{Kind: exchange.FaultReset, Text: "Connection reset by peer"}},
		{`,"status":0,"_error":"timeout: after 5 s"`, exchange.Fault{Kind: exchange.FaultTimeout, Text: "after 5 s"}},
		{`,"status":0,"_error":"net::ERR_CERT_AUTHORITY_INVALID"`, exchange.Fault{Kind: exchange.FaultTLS, Text: "net::ERR_CERT_AUTHORITY_INVALID"}},
	} {
		e := readOne(t, entry("", c.response, ""))
		if e.Response != nil || e.Fault == nil {
			t.Errorf("%s: not a fault", c.response)
			continue
		}
		if diff := cmp.Diff(c.want, *e.Fault); diff != "" {
			t.Errorf("%s: fault (-want +got):\n%s", c.response, diff)
		}
	}
	if e := readOne(t, entry("", "", `,"response":null`)); e.Fault == nil || e.Response != nil {
		t.Error("an entry without response is no fault")
	}
}

func TestReadHAROdd(t *testing.T) {
	e := readOne(t, entry("", `,"httpVersion":"HTTP/2","status":200.0,"content":{"size":12345}`, `,"time":-1,"startedDateTime":"yesterday"`))
	if e.Latency != 0 || !e.Start.IsZero() || e.Response.Cut != 12345 || e.Response.Proto != "HTTP/2.0" {
		t.Errorf("read %v, %v, %d cut, %s", e.Latency, e.Start, e.Response.Cut, e.Response.Proto)
	}
	e = readOne(t, entry("", "", `,"startedDateTime":"2026-11-21T03:56:59.5+0200"`))
	if want := time.Date(2026, 11, 21, 1, 56, 59, 5e8, time.UTC); !e.Start.Equal(want) {
		t.Errorf("start is %v, want %v", e.Start, want)
	}
	e = readOne(t, "\xef\xbb\xbf \n"+entry("", "", ""))
	if e.Request.Target != "/p" {
		t.Error("a byte order mark is not tolerated")
	}
	e = readOne(t, `{"before":[[{}],{"log":{}}],"log":{"pages":[{"id":"x"}],"creator":{},"entries":[`+
		strings.TrimSuffix(entry("", "", "")[strings.Index(entry("", "", ""), "[{")+1:], "]}}")+`],"browser":{}},"after":1}`)
	if e.Request.Target != "/p" {
		t.Error("members around the entries are not tolerated")
	}
}

func TestReadHARNotes(t *testing.T) {
	har := strings.Replace(entry("", "", `,"startedDateTime":"yesterday"`), `"entries":[`,
		`"entries":[{"request":{"method":"GET","url":"blob:https://h/x"}},{"request":{"method":"GET","url":"http://h/x"}},`, 1)
	var notes []Note
	all, err := readAll(strings.NewReader(har), HAROptions{Note: func(n Note) { notes = append(notes, n) }})
	if err != nil || len(all) != 2 || !all[0].Start.IsZero() || !all[1].Start.IsZero() {
		t.Errorf("read %d exchanges, %v; want 2 without a time", len(all), err)
	}
	want := []Note{
		{Entry: 1, Skipped: true, Reason: `no HTTP: URL "blob:https://h/x"`},
		{Entry: 2, Reason: "no startedDateTime"},
		{Entry: 3, Reason: `startedDateTime must be a time such as 2026-01-29T12:15:09.123Z, got "yesterday"`},
	}
	if d := cmp.Diff(want, notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
}

func TestReadHARBad(t *testing.T) {
	good := entry("", "", "")
	for _, c := range []struct {
		name, har string
		want      string
		exchanges int
	}{
		{"empty", "", "at byte 0", 0},
		{"no JSON", "hello", "not JSON", 0},
		{"array", "[]", "not a HAR", 0},
		{"no log", `{"a":1}`, "no log.entries", 0},
		{"log is text", `{"log":"x"}`, "not a HAR", 0},
		{"no entries", `{"log":{"version":"1.2"}}`, "no log.entries", 0},
		{"entries no array", `{"log":{"entries":{}}}`, "log.entries is an object, not an array", 0},
		{"more behind", good + "{}", "after entry 1", 1},
		{"end is missing", good[:len(good)-1], "after entry 1 at byte", 1},
		{"entry is text", `{"log":{"entries":["x"]}}`, "entry 1 at byte 19", 0},
		{"relative URL", entry(`,"url":"/p"`, "", ""), `entry 1 at byte 35: URL "/p" is not absolute`, 0},
		{"no host", entry(`,"url":"http:///p"`, "", ""), "names no host", 0},
		{"bad base64", entry("", `,"content":{"text":"!!","encoding":"base64"}`, ""), "entry 1 at byte 35: response body: decode base64", 0},
		{"unknown encoding", entry("", `,"content":{"text":"!!","encoding":"x"}`, ""), "unknown encoding", 0},
		{"deep beside the entries", `{"a":` + strings.Repeat("[", 1e6), "nested", 0},
		{"deep in an entry", `{"log":{"entries":[{"a":` + strings.Repeat("[", 1e6), "entry 1", 0},
		{"gzip cut", string(zip(t, good)[:40]), "cut short", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := readAll(strings.NewReader(c.har), HAROptions{File: "x.har"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read har x.har: ") {
				t.Errorf("error is %v, want the file and %q", err, c.want)
			}
			if len(all) != c.exchanges {
				t.Errorf("%d exchanges came before the error, want %d", len(all), c.exchanges)
			}
		})
	}
}

// endless gives the beginning of a HAR and then one string that never ends.
type endless struct{ head io.Reader }

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.head.Read(p); err == nil {
		return n, nil
	}
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReadHAREndless(t *testing.T) {
	_, err := readAll(&endless{strings.NewReader(`{"log":{"entries":[{"a":"`)}, HAROptions{maxEntry: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "entry 1 at byte 19: more than 1048576 bytes") {
		t.Errorf("error is %v", err)
	}
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unzip(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReadHARCut cuts a real HAR everywhere: every whole entry before the cut must come, and then an error that says
// where.
func TestReadHARCut(t *testing.T) {
	text := unzip(t, readFile(t, "testdata/news-run.har.gz"))
	before := 0
	for n := 0; n < len(bytes.TrimSpace(text)); n += 397 {
		all, err := readAll(bytes.NewReader(text[:n]), HAROptions{})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if len(all) < before {
			t.Fatalf("cut at %d: %d exchanges, a shorter one gave %d", n, len(all), before)
		}
		before = len(all)
		if n > len(text)/2 && !strings.Contains(err.Error(), fmt.Sprintf("entry %d", before)) &&
			!strings.Contains(err.Error(), fmt.Sprintf("entry %d", before+1)) {
			t.Fatalf("cut at %d after %d entries: %v", n, before, err)
		}
	}
	if before < 19 {
		t.Errorf("only %d entries came", before)
	}
}

// TestReadHARStops sees that a consumer can leave.
func TestReadHARStops(t *testing.T) {
	n := 0
	for _, err := range ReadHAR(bytes.NewReader(readFile(t, "testdata/news-run.har.gz")), HAROptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d exchanges came", n)
	}
}

func TestReadHARTestdata(t *testing.T) {
	for _, c := range []struct {
		file      string
		exchanges int
	}{
		{"testdata/news-run.har.gz", 20},
		{"testdata/features-session.har.gz", 16},
	} {
		checkReal(t, c.file, c.exchanges)
	}
}

// TestReadHARFixtures reads whole sessions of two real APIs, where they are at hand.
func TestReadHARFixtures(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "fixtures")
	_, err := os.Stat(root)
	needs.That(t, "the folder of recorded sessions (shared/fixtures), of which testdata has a part,", err == nil)
	for file, n := range map[string]int{
		"news/python/runs/01.har.gz":     20,
		"news/python/session.har.gz":     2866,
		"features/python/session.har.gz": 5003,
		"news/jest/session.har.gz":       2462,
	} {
		checkReal(t, filepath.Join(root, file), n)
	}
}

// checkReal checks what must hold of every HAR that a recorder wrote of real traffic.
func checkReal(t *testing.T, file string, want int) {
	t.Helper()
	all, err := readAll(bytes.NewReader(readFile(t, file)), HAROptions{File: file, Target: "api"})
	if err != nil || len(all) != want {
		t.Errorf("%s: read %d exchanges, %v; want %d", file, len(all), err, want)
	}
	var last time.Time
	for i, e := range all {
		if e.Request.Malformed || e.Response == nil || e.Response.Malformed || e.Target != "api" || e.Start.Before(last) {
			t.Errorf("%s: exchange %d is wrong: %+v", file, i+1, e)
		}
		last = e.Start
		if n := e.Response.Header.Get("Content-Length"); n != "" && n != fmt.Sprint(len(e.Response.Body)) {
			t.Errorf("%s: exchange %d has %d bytes of body, its head says %s", file, i+1, len(e.Response.Body), n)
		}
		if n := e.Request.Header.Get("Content-Length"); n != "" && n != fmt.Sprint(len(e.Request.Body)) {
			t.Errorf("%s: request %d has %d bytes of body, its head says %s", file, i+1, len(e.Request.Body), n)
		}
	}
}

func FuzzReadHAR(f *testing.F) {
	f.Add([]byte(entry("", "", "")))
	f.Add([]byte(entry(`,"httpVersion":"h2","postData":{"params":[{"name":"a"}]}`, `,"status":0`, "")))
	f.Add(zip(f, entry("", `,"content":{"text":"AAAA","encoding":"base64"}`, "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for e, err := range ReadHAR(bytes.NewReader(data), HAROptions{}) {
			if err != nil {
				return
			}
			if (e.Response == nil) == (e.Fault == nil) {
				t.Fatal("not exactly one of response and fault")
			}
			// What is read must not have more lines than it was given fields.
			if n := bytes.Count(e.Request.Head, []byte("\n")); n != len(e.Request.Header)+2 {
				// Names with colons in them and the like may cost a field, but never add one.
				if n < len(e.Request.Header)+2 {
					t.Fatalf("head %q gives %d fields", e.Request.Head, len(e.Request.Header))
				}
			}
		}
	})
}

func BenchmarkReadHAR(b *testing.B) {
	text := unzip(b, readFile(b, "testdata/news-run.har.gz"))
	first, last := bytes.Index(text, []byte(`"entries": [`))+len(`"entries": [`), bytes.LastIndexByte(text, ']')
	var har bytes.Buffer
	har.Write(text[:first])
	for i := range 200 {
		if i > 0 {
			har.WriteByte(',')
		}
		har.Write(text[first:last])
	}
	har.Write(text[last:])
	for name, data := range map[string][]byte{"plain": har.Bytes(), "gzip": zip(b, har.String())} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(har.Len()))
			b.ReportAllocs()
			for b.Loop() {
				all := 0
				for _, err := range ReadHAR(bytes.NewReader(data), HAROptions{}) {
					if err != nil {
						b.Fatal(err)
					}
					all++
				}
				if all != 4000 {
					b.Fatalf("read %d exchanges", all)
				}
			}
		})
	}
}

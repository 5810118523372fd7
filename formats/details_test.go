package formats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// one reads a file that holds one exchange.
func one(t *testing.T, f Format, text string, o Options) *exchange.Exchange {
	t.Helper()
	all, err := collectAs(f, strings.NewReader(text), o)
	if err != nil || len(all) != 1 {
		t.Fatalf("read %d exchanges, %v; want one of\n%s", len(all), err, text)
	}
	return all[0]
}

func vcr(request, response string) string {
	return "command: 'st run'\nhttp_interactions:\n- id: 'abc'\n  recorded_at: '2026-11-21T07:04:03.500000+00:00'\n" +
		"  checks:\n    - name: 'x'\n      message: 'it\\'s no YAML: \"'\n  request:\n    uri: 'http://h:1/p?q=''1'''\n    method: 'POST'\n" +
		request + "  response:" + response
}

const answered = "\n    status:\n      code: '200'\n      message: \"OK\"\n    elapsed: '0.25'\n    headers:\n"

func TestReadCassetteDetails(t *testing.T) {
	e := one(t, Cassette, vcr(
		"    headers:\n      \"X-A\":\n      - \"caf\\u00e9\"\n      - \"\\ud83d\\ude00\"\n\n    body:\n      encoding: 'utf-8'\n      string: \"\\x00\\n\\u2028\\U0001F600ü\"\n",
		answered+"      \"set-cookie\":\n      - \"a=1\"\n      - \"b=2\"\n\n    body:\n      encoding: 'ISO-8859-1'\n      string: \"\\xFCé\"\n    truncated_from: 10\n    http_version: '1.0'"), Options{})
	want := &exchange.Exchange{
		Target: "default", Sequence: "abc", Scheme: "http", Addr: "h:1",
		Start: time.Date(2026, 11, 21, 7, 4, 3, 25e7, time.UTC), Latency: 250 * time.Millisecond,
		Request: exchange.ParseRequest(exchange.Message{
			Plain: true, Head: []byte("POST /p?q='1' HTTP/1.1\r\nX-A: caf\xe9\r\nX-A: 😀\r\n\r\n"), Body: []byte("\x00\n\u2028😀ü"),
		}),
		Response: exchange.ParseResponse(exchange.Message{
			Plain: true, Head: []byte("HTTP/1.0 200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n"), Body: []byte("\xfc\xe9"), Cut: 8,
		}),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for encoding, body := range map[string]string{"utf-16le": "\xe9\x00", "utf-8": "é", "no-such": "é", "ascii": "é"} {
		e := one(t, Cassette, vcr("", answered+"\n    body:\n      encoding: '"+encoding+"'\n      string: \"é\"\n    http_version: '1.1'\n"), Options{})
		if string(e.Response.Body) != body {
			t.Errorf("%s: body is %q, want %q", encoding, e.Response.Body, body)
		}
	}
	e = one(t, Cassette, vcr("    body:\n      encoding: 'utf-8'\n      base64_string: '/w=='\n", " null\n"), Options{Target: "api"})
	if string(e.Request.Body) != "\xff" || e.Fault == nil || e.Fault.Kind != exchange.FaultEOF || e.Target != "api" {
		t.Errorf("read %+v", e)
	}
}

func scenario(label, cases, interactions string) string {
	return fmt.Sprintf(`{"ScenarioFinished":{"id":"1","recorder":{"label":%q,"cases":{%s},"checks":{"a":[{"x":"]}\""}]},"interactions":{%s}}}}`+"\n",
		label, cases, interactions)
}

func TestReadNDJSONDetails(t *testing.T) {
	request := `"request":{"method":"GET","uri":"http://h/p","headers":{"B":["1","2"],"A":["caf\u00e9"]},"body":{"$base64":"/w=="}},"timestamp":1795244643.5`
	e := one(t, NDJSON, `{"Initialize":{}}`+"\n"+scenario("GET /p", "", `"id1":{`+request+
		`,"response":{"status_code":200,"headers":{"x":["1"]},"content":{"$base64":"AA=="},"elapsed":0.5,"content_size":3}}`), Options{})
	want := &exchange.Exchange{
		Target: "default", Sequence: "id1", Scheme: "http", Addr: "h:80",
		Start: time.Unix(1795244643, 0).UTC(), Latency: 500 * time.Millisecond,
		Request: exchange.ParseRequest(exchange.Message{
			Plain: true, Head: []byte("GET /p HTTP/1.1\r\nB: 1\r\nB: 2\r\nA: caf\xe9\r\nX-Schemathesis-TestCaseId: id1\r\n\r\n"), Body: []byte("\xff"),
		}),
		Response: exchange.ParseResponse(exchange.Message{Plain: true, Head: []byte("HTTP/1.1 200 \r\nx: 1\r\n\r\n"), Body: []byte{0}, Cut: 2}),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	// An error belongs to the scenario of its operation, which comes after it.
	problem := `{"NonFatalError":{"value":{"type":"ReadTimeout","message":"Read timed out."},"label":"GET /p"}}` + "\n"
	for label, want := range map[string]string{"GET /p": "timeout: ReadTimeout: Read timed out.", "GET /q": "eof: no answer in the report"} {
		if e := one(t, NDJSON, problem+scenario(label, "", `"a":{`+request+`}`), Options{}); e.Fault == nil || e.Fault.String() != want {
			t.Errorf("%s: fault is %v, want %s", label, e.Fault, want)
		}
	}
}

// TestReadNDJSONSequences sees that the steps of a scenario that follow one another are one sequence, and that a chain
// that bites its own tail ends.
func TestReadNDJSONSequences(t *testing.T) {
	cases, interactions := []string{`"a":{"is_transition_applied":false}`}, []string{}
	parents := [][2]string{{"b", "a"}, {"c", "b"}, {"x", "y"}, {"y", "x"}, {"z", "z"}}
	for _, p := range parents {
		cases = append(cases, fmt.Sprintf(`%q:{"value":{},"parent_id":%q}`, p[0], p[1]))
	}
	for _, id := range []string{"c", "a", "b", "d", "x", "y", "z"} {
		interactions = append(interactions, fmt.Sprintf(`%q:{"request":{"method":"GET","uri":"http://h/p"}}`, id))
	}
	all, err := collectAs(NDJSON, strings.NewReader(scenario("s", strings.Join(cases, ","), strings.Join(interactions, ","))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.Sequence)
	}
	if diff := cmp.Diff([]string{"a", "a", "a", "d"}, got[:4]); diff != "" || len(got) != 7 || got[6] != "z" {
		t.Errorf("sequences %v: %s", got, diff)
	}
}

// TestJSONScan holds the scan against encoding/json: every value that is good JSON is found whole, however the bytes
// come.
func TestJSONScan(t *testing.T) {
	value := rapid.OneOf(rapid.Just("null"), rapid.Map(rapid.Float64Range(-1e9, 1e9), asJSON[float64]), rapid.Map(rapid.String(), asJSON[string]),
		rapid.Map(rapid.SliceOf(rapid.String()), asJSON[[]string]), rapid.Map(rapid.MapOf(rapid.String(), rapid.String()), asJSON[map[string]string]))
	rapid.Check(t, func(t *rapid.T) {
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		in := fmt.Sprintf(" {\"a\" : %s ,\n%s: [%s,%s] }", a, asJSON("b\"\\"), a, b)
		j := jsonScan{in: bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(in)), 16), line: 1}
		var names, values []string
		err := j.members(func(name string) error {
			raw, err := j.value(1 << 20)
			names, values = append(names, name), append(values, string(raw))
			return err
		})
		if _, end := j.peek(); err != nil || !errors.Is(end, io.EOF) || int(j.offset) != len(in) || j.line != 2 {
			t.Fatalf("%s: %v, then %v at %d in line %d", in, err, end, j.offset, j.line)
		}
		if diff := cmp.Diff([]string{"a", "b\"\\", a, "[" + a + "," + b + "]"}, append(names, values...)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func asJSON[T any](v T) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestUnquote undoes what JSON and Go, whose escapes are those of Python and YAML, put into strings.
func TestUnquote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		for _, quoted := range []string{asJSON(s), fmt.Sprintf("%+q", s)} {
			if got, err := unquote([]byte(quoted[1:len(quoted)-1]), utf8.AppendRune); err != nil || string(got) != s {
				t.Fatalf("%s gives %q, %v", quoted, got, err)
			}
		}
	})
	for in, want := range map[string]string{`\xff`: "ÿ", `\ud800x`: "\ufffdx", `\UFFFFFFFF`: "\ufffd", `\'\"\N`: "'\"\u0085"} {
		if got, err := unquote([]byte(in), utf8.AppendRune); err != nil || string(got) != want {
			t.Errorf("%s gives %q, %v; want %q", in, got, err, want)
		}
	}
	if got, err := unquote([]byte(`\xff`), appendByte); err != nil || string(got) != "\xff" {
		t.Errorf("raw it gives %q, %v", got, err)
	}
}

func ts(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.String()
}

func tt(kind byte, s string) string { return fmt.Sprintf("%d:%s%c", len(s), s, kind) }

func field(name, value string) string { return tt(']', tt(',', name)+tt(',', value)) }

func httpFlow(version, request, response, more string) string {
	return flow(ts(more, tt(';', "type"), tt(';', "http"), tt(';', "version"), tt('#', version),
		tt(';', "client_conn"), tt('}', tt(';', "id")+tt(';', "c1")),
		tt(';', "request"), tt('}', request), tt(';', "response"), response))
}

func TestReadFlowsDetails(t *testing.T) {
	request := func(version, path string, fields ...string) string {
		return ts(tt(';', "method"), tt(',', "GET"), tt(';', "host"), tt(';', "::1"), tt(';', "port"), tt('#', "443"), tt(';', "scheme"), tt(',', "https"),
			tt(';', "path"), tt(',', path), tt(';', "authority"), tt(',', "api.example"), tt(';', "http_version"), tt(',', version),
			tt(';', "headers"), tt(']', ts(fields...)), tt(';', "content"), tt(',', "\x00\xff"), tt(';', "timestamp_start"), tt('^', "1795244643.25"))
	}
	response := func(content string, fields ...string) string {
		return tt('}', ts(tt(';', "status_code"), tt('#', "200"), tt(';', "reason"), tt(',', "OK"), tt(';', "http_version"), tt(',', "HTTP/2.0"),
			tt(';', "headers"), tt(']', ts(fields...)), tt(';', "content"), content, tt(';', "timestamp_end"), tt('^', "1795244643.5")))
	}
	e := one(t, Flows, httpFlow("21", request("HTTP/2.0", "/p\r\nX: 1", field("a\r\nb", "c\nd")), response(tt(',', "x"), field("te", "y")), ""), Options{})
	want := &exchange.Exchange{
		Target: "default", Conn: 1, Scheme: "https", Addr: "[::1]:443",
		Start: time.UnixMicro(1795244643250000).UTC(), Latency: 250 * time.Millisecond,
		Request: exchange.ParseRequest(exchange.Message{
			Head: []byte("GET /p%0D%0AX: 1 HTTP/1.1\r\nHost: api.example\r\na  b: c d\r\n\r\n"), Body: []byte("\x00\xff"),
		}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/2.0 200 OK\r\nte: y\r\n\r\n"), Body: []byte("x")}),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	packed := string(zip(t, "packed"))
	chunked, gz := field("Transfer-Encoding", "chunked"), field("Content-Encoding", "gzip")
	for _, c := range []struct {
		name, response string
		body           string
		plain          bool
		cut            int64
	}{
		{"coded", response(tt(',', packed), gz), packed, false, 0},
		{"coded and chunked", response(tt(',', packed), chunked, gz), "packed", true, 0},
		{"chunked", response(tt(',', "data"), chunked), "data", true, 0},
		{"broken coding", response(tt(',', "data"), chunked, gz), "data", true, 0},
		{"not stored", response("0:~", field("Content-Length", "7")), "", false, 7},
	} {
		e := one(t, Flows, httpFlow("21", request("HTTP/1.1", "/"), c.response, ""), Options{})
		if m := e.Response.Message; string(m.Body) != c.body || m.Plain != c.plain || m.Cut != c.cut {
			t.Errorf("%s: body %q, plain %t, cut %d", c.name, m.Body, m.Plain, m.Cut)
		}
	}
	failure := tt(';', "error") + tt('}', tt(';', "msg")+tt(';', "[Errno 111] Connect call failed")+tt(';', "timestamp")+tt('^', "1795244644.25"))
	e = one(t, Flows, httpFlow("21", request("HTTP/1.1", "/"), "0:~", failure), Options{})
	if e.Fault == nil || e.Fault.Kind != exchange.FaultDial || e.Latency != time.Second {
		t.Errorf("fault is %v after %v", e.Fault, e.Latency)
	}
	if e = one(t, Flows, httpFlow("21", request("HTTP/1.1", "/"), "0:~", ""), Options{}); e.Fault == nil || e.Fault.Kind != exchange.FaultEOF {
		t.Errorf("fault is %v", e.Fault)
	}
}

// TestReadFlowsSkips sees what is left out, and that it is said.
func TestReadFlowsSkips(t *testing.T) {
	var notes []Note
	request := ts(tt(';', "method"), tt(',', "GET"), tt(';', "host"), tt(';', "h"))
	file := flow(ts(tt(';', "type"), tt(';', "tcp"), tt(';', "version"), tt('#', "21"))) +
		httpFlow("22", request, "0:~", tt(';', "websocket")+tt('}', ""))
	one(t, Flows, file, Options{Note: func(n Note) { notes = append(notes, n) }})
	want := []Note{
		{Entry: 1, Skipped: true, Reason: `not HTTP but "tcp"`},
		{Entry: 2, Reason: "flow format version 22 is newer than 21, the last one known; reading it anyway"},
		{Entry: 2, Reason: "the messages of a WebSocket are left out"},
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadRESTlerDetails(t *testing.T) {
	sending := func(at, more string) string {
		return "2026-11-21 " + at + ": Sending: 'GET /p HTTP/1.1\\r\\nHost: h:443\\r\\n" + more + "\\r\\n'\n\n"
	}
	answer := func(at string) string {
		return "2026-11-21 " + at + ": Received: \"HTTP/1.1 200 OK\\r\\nDate: Sat, 21 Nov 2026 07:04:03 GMT\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nit's\\r\\n0\\r\\n\\r\\n\"\n\n"
	}
	log := "2026-11-21 12:34:00.000: Will refresh token: x\n\nGeneration-1: Rendering Sequence-1\n" + sending("12:34:03.900", "") + answer("12:34:04.100") +
		"\nGeneration-1: Rendering Sequence-1\n" + sending("12:34:05", "x-restler-sequence-id: abc\\r\\n") + "2026-11-21 12:34:05.500: Empty response received.  Re-creating connection and re-trying.\n" +
		sending("12:34:06.000", "") + "2026-11-21 12:34:06.250: Received: ''\n\n" +
		sending("12:34:07.000", "") + "2026-11-21 12:34:07.250: Received: 'hello'\n\n" +
		sending("12:34:08.000", "") + sending("12:34:09.000", "") + "2026-11-21 12:34:09.100: Unknown error: Exception Sending Data: [Errno 32] Broken pipe\n"
	all, err := collectAs(RESTler, strings.NewReader(log), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		what := ""
		if e.Response != nil {
			payload, err := e.Response.Payload()
			what = fmt.Sprintf("%d %q %v", e.Response.Status, payload, err)
		} else {
			what = e.Fault.String()
		}
		got = append(got, fmt.Sprintf("%s %s %s +%v %s", e.Sequence, e.URL(), e.Start.Format("15:04:05.000"), e.Latency, what))
	}
	want := []string{
		`1 generation-1 sequence-1 https://h:443/p 07:04:03.900 +200ms 200 "it'" <nil>`,
		`abc https://h:443/p 07:04:05.000 +500ms eof: Empty response received.  Re-creating connection and re-trying.`,
		`2 generation-1 sequence-1 https://h:443/p 07:04:06.000 +250ms eof: empty answer`,
		`2 generation-1 sequence-1 https://h:443/p 07:04:07.000 +250ms unparseable: the answer has no status`,
		`2 generation-1 sequence-1 https://h:443/p 07:04:08.000 +0s eof: no answer in the log`,
		`2 generation-1 sequence-1 https://h:443/p 07:04:09.000 +100ms eof: Unknown error: Exception Sending Data: [Errno 32] Broken pipe`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDetectFormats(t *testing.T) {
	for _, c := range []struct {
		text string
		want Format
	}{
		{"\n\nGeneration-1: Rendering Sequence-1\n", RESTler},
		{"key: x\n2026-11-21 07:04:03.963: Sending: ''", RESTler},
		{"command: 'x'\nrecorded_with: 'Schemathesis 4", Cassette},
		{"http_interactions:", Cassette},
		{`{"Initialize":{"command":"st run --log x"`, NDJSON},
		{`{"ScenarioFinished":{"log":1`, NDJSON},
		{`{ "log": {`, HAR},
		{"5839:9:websocket;0:~", Flows},
		{"5839:7:version,", Flows},
		{"12:34:56 started", ""},
		{"2026-11-21 something", ""},
		{"command: x\n", ""},
	} {
		if got, err := Detect([]byte(c.text)); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

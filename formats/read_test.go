package formats

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/flaketap/flaketap/exchange"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samples are files that the tools themselves wrote, but for the last three: restler.txt is made after the logger, burp.xml and
// charles.chlsj after files that others saved.
var samples = []struct {
	file      string
	format    Format
	exchanges int
}{
	{"schemathesis.har", HAR, 19},
	{"schemathesis.yaml", Cassette, 19},
	{"schemathesis.ndjson", NDJSON, 19},
	{"schemathesis-bytes.yaml", Cassette, 7},
	{"schemathesis-bytes.har", HAR, 7},
	{"schemathesis-stateful.ndjson", NDJSON, 11},
	{"mitmproxy-11.flows", Flows, 7},
	{"mitmproxy-9.flows", Flows, 7},
	{"restler.txt", RESTler, 8},
	{"burp.xml", Burp, 8},
	{"charles.chlsj", Charles, 8},
}

func sample(t testing.TB, file string) []byte { return readFile(t, filepath.Join("testdata", file)) }

// collect reads everything; the format is told by the content.
func collect(r []byte, o Options) (all []*exchange.Exchange, last error) {
	format, err := Detect(r[:min(len(r), DetectSize)])
	if err != nil {
		return nil, err
	}
	return collectAs(format, bytes.NewReader(r), o)
}

func collectAs(f Format, r io.Reader, o Options) (all []*exchange.Exchange, last error) {
	for e, err := range Read(f, r, o) {
		if err != nil {
			last = err
			continue
		}
		all = append(all, e)
	}
	return all, last
}

// show writes an exchange for people.
func show(w io.Writer, i int, e *exchange.Exchange) {
	fmt.Fprintf(w, "%d sequence=%q conn=%d %s://%s %s +%v\n", i+1, e.Sequence, e.Conn, e.Scheme, e.Addr,
		e.Start.Format(time.RFC3339Nano), e.Latency)
	message := func(name string, m exchange.Message) {
		fmt.Fprintf(w, "%s plain=%t cut=%d\n", name, m.Plain, m.Cut)
		for line := range bytes.Lines(m.Head) {
			fmt.Fprintf(w, "\t%q\n", line)
		}
		fmt.Fprintf(w, "\t\t%q\n", m.Body)
	}
	message("request", e.Request.Message)
	if e.Response != nil {
		message("response", e.Response.Message)
	}
	if e.Fault != nil {
		fmt.Fprintf(w, "fault %s\n", e.Fault)
		if len(e.Fault.Seen.Head) > 0 {
			message("seen", e.Fault.Seen)
		}
	}
	fmt.Fprintln(w)
}

func TestReadSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			data := sample(t, s.file)
			if got, err := Detect(data[:min(len(data), DetectSize)]); err != nil || got != s.format {
				t.Errorf("detected %q, %v", got, err)
			}
			all, err := collect(data, Options{File: s.file})
			if err != nil || len(all) != s.exchanges {
				t.Fatalf("read %d exchanges, %v; want %d", len(all), err, s.exchanges)
			}
			var b bytes.Buffer
			for i, e := range all {
				if e.Request.Malformed || (e.Response == nil) == (e.Fault == nil) || e.Response != nil && e.Response.Malformed ||
					e.Target != exchange.DefaultTarget {
					t.Errorf("exchange %d is wrong: %+v", i+1, e)
				}
				show(&b, i, e)
			}
			golden := filepath.Join("testdata", "golden", s.file+".txt")
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(readFile(t, golden)), b.String()); diff != "" {
				t.Errorf("-want +got; -update writes it anew:\n%s", diff)
			}
			packed, err := collect(zip(t, string(data)), Options{File: s.file})
			if diff := cmp.Diff(all, packed); err != nil || diff != "" {
				t.Errorf("compressed with gzip it gives %v, %s", err, diff)
			}
		})
	}
}

// TestReadSchemathesisAgree reads the three reports of one run of Schemathesis: they tell of the same exchanges.
func TestReadSchemathesisAgree(t *testing.T) {
	byURL := func(file string) map[string][]string {
		all, err := collect(sample(t, file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]string{}
		for _, e := range all {
			answer := "fault"
			if e.Response != nil {
				answer = fmt.Sprintf("%d %s %q", e.Response.Status, e.Response.Header.Get("Content-Type"), e.Response.Body)
				if e.Request.Header.Get("Content-Type") == "" || strings.Contains(e.Response.Header.Get("Content-Type"), "octet") {
					answer = fmt.Sprint(e.Response.Status) // bytes that are no text are lost in two of the three
				}
			}
			out[e.Sequence] = append(out[e.Sequence], fmt.Sprintf("%s %s %s", e.Request.Method, e.URL(), answer))
		}
		return out
	}
	har := byURL("schemathesis.har")
	for _, file := range []string{"schemathesis.yaml", "schemathesis.ndjson"} {
		if diff := cmp.Diff(har, byURL(file)); diff != "" {
			t.Errorf("%s (-har +it):\n%s", file, diff)
		}
	}
	if len(har) != 19 {
		t.Errorf("%d test cases, want 19", len(har))
	}
}

// TestReadPreservedBytes reads the two reports of a run with --report-preserve-bytes: no byte of a body is lost.
func TestReadPreservedBytes(t *testing.T) {
	cassette, err := collect(sample(t, "schemathesis-bytes.yaml"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	har, err := collect(sample(t, "schemathesis-bytes.har"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for i, e := range cassette {
		sent += len(e.Request.Body)
		if diff := cmp.Diff([][]byte{e.Request.Body, e.Response.Body}, [][]byte{har[i].Request.Body, har[i].Response.Body}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("exchange %d (-cassette +har):\n%s", i+1, diff)
		}
	}
	if sent == 0 {
		t.Error("no request has a body")
	}
}

// TestReadCut cuts each sample everywhere: what comes is the beginning of what the whole file gives, and where an
// exchange is broken off, the error says so.
func TestReadCut(t *testing.T) {
	for _, s := range samples {
		if s.format == HAR {
			continue // it has a test of its own
		}
		data := sample(t, s.file)
		whole, _ := collect(data, Options{})
		for n := 0; n < len(data)-1; n += 1 + len(data)/60 {
			all, err := collectAs(s.format, bytes.NewReader(data[:n]), Options{File: "x"})
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && n > 1000 {
				t.Fatalf("%s cut at %d: %v", s.file, n, err)
			}
			if err != nil && !strings.Contains(err.Error(), "x: ") {
				t.Fatalf("%s cut at %d: %v names no file", s.file, n, err)
			}
			if err == nil && s.format != RESTler && s.format != NDJSON && len(all) == s.exchanges {
				t.Fatalf("%s cut at %d is whole", s.file, n)
			}
			if s.format == RESTler && len(all) > 0 {
				all = all[:len(all)-1] // the log that ends after a request has an exchange without an answer
			}
			if len(all) > len(whole) {
				t.Fatalf("%s cut at %d has %d exchanges", s.file, n, len(all))
			}
			if diff := cmp.Diff(whole[:len(all)], all, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s cut at %d: %s", s.file, n, diff)
			}
		}
	}
}

// TestReadStops sees that a consumer can leave each format.
func TestReadStops(t *testing.T) {
	for _, s := range samples {
		n := 0
		for range Read(s.format, bytes.NewReader(sample(t, s.file)), Options{}) {
			if n++; n == 2 {
				break
			}
		}
		if n != 2 {
			t.Errorf("%s: %d came", s.file, n)
		}
	}
}

func TestReadBad(t *testing.T) {
	vcr := "http_interactions:\n- id: 'a'\n"
	for _, c := range []struct {
		format     Format
		text, want string
	}{
		{"other", "x", "unknown format"},
		{Cassette, "", "not a cassette"},
		{Cassette, "a: b\n", "not a cassette"},
		{Cassette, vcr + "  request:\n    uri: 'http\n- id: 'b'\n", "entry 1, line 4: \"'http\" is not closed on its line"},
		{Cassette, vcr + "  request:\n    nonsense\n- id: 'b'\n", "entry 1, line 4"},
		{Cassette, vcr + "  response: null\n- id: 'b'\n  response: null", "entry 1, line 4: the entry that begins in line 2: URL"},
		{Cassette, vcr + "  request:\n    uri: '/p'\n  response: null\n", `URL "/p" is not absolute`},
		{Cassette, vcr + "  request:\n    headers:\n      - 'x'\n- id: 'b'\n", "is not a header field"},
		{Cassette, vcr + "  request:\n    uri: \"\\q\"\n- id: 'b'\n", "escape \\q"},
		{Cassette, vcr + "  request:\n    body:\n      base64_string: '!'\n  response: null\n-", "request body: decode base64"},
		{Cassette, vcr + "  request:\n    uri: 'http://h/'\n  response:\n    http_version: '1.1'\n", "no status code"},
		{Cassette, "http_interactions:\n" + strings.Repeat("x", 2000), "line 2: longer than 1000 bytes"},
		{Cassette, vcr + strings.Repeat("  x: yyyyyyyyyyyyyyyyyyyyyyyyy\n", 100), "more than 1000 bytes in one entry"},
		{NDJSON, "", "cut short"},
		{NDJSON, "[]", `line 1: found '[', want the beginning of an event`},
		{NDJSON, "{\"A\":{}}\n{\"B\" 1}", `line 2: found '1', want ':'`},
		{NDJSON, `{"A":` + strings.Repeat("[", 1e5), "nested"},
		{NDJSON, `{"A":{"recorder":{"interactions":{"x":{"request":{"uri":"/p"}}}}}}`, `test case "x": URL`},
		{NDJSON, `{"A":{"recorder":{"interactions":{"x":{"request":x}}}}}`, "not JSON"},
		{NDJSON, `{"A":{"recorder":{"interactions":{"x":{"request":{"body":{"$base64":"!"}}}}}}}`, "request body: decode base64"},
		{NDJSON, `{"A":{"recorder":{"interactions":{"x":{"response":{}}}}}}`, "no status code"},
		{NDJSON, `{"A":{"recorder":{"interactions":{"x":"` + strings.Repeat("y", 2000), "more than 1000 bytes"},
		{NDJSON, `{"` + strings.Repeat("y", 1e5) + `":1}`, "more than 65536 bytes"},
		{Flows, "", "cut short"},
		{Flows, "abc", `found 'a', want a length`},
		{Flows, "1234567890123:", ", want a length"},
		{Flows, "99999:", "entry 1 at byte 0: more than 1000 bytes in one flow"},
		{Flows, "3:abc,", "not a flow"},
		{Flows, "5:1:ab,}", ", want a length"},
		{Flows, "4:9:ab}", "a value of 9 bytes inside one of 2"},
		{Flows, flow("7:version;1:5#"), "version \"5\" is older"},
		{Flows, flow("7:version;2:21#4:type;4:http;"), "has no method"},
		{RESTler, "", "not a network log"},
		{RESTler, "2026-11-21 07:04:03.963: Received: ''\n\n", "line 1: an answer without a request"},
		{RESTler, "2026-11-21 07:04:03.963: Sending: 'x\n\n", "is not a quoted string"},
		{RESTler, "2026-11-21 07:04:03.963: Sending: 'GET / HTTP/1.1\\r\\n\\r\\n'\n\n", "no Host"},
		{RESTler, "2026-11-21 07:04:03.963: Sending: '\\x1'\n\n", "an escape is incomplete"},
		{Burp, "", "not a file of Burp"},
		{Burp, "<issues/>", "line 1: not a file of Burp: found <issues>, want <items>"},
		{Burp, "<items>\n<item>\n</item></items>", "item 1, line 3: it has no request"},
		{Burp, "<items><item><request base64='true'>!</request></item></items>", "item 1, line 1: request: decode base64"},
		{Burp, "<items><item><request base64='maybe'>x</request></item></items>", "item 1, line 1"},
		{Burp, "<items><item><request>GET / HTTP/1.1\n\n</request></item></items>", `URL "" is not absolute`},
		{Burp, "<items><item><a></b></item></items>", "not XML: element <a> closed by </b>"},
		{Burp, "<items><item><request>&boom;</request></item></items>", "not XML: invalid character entity &boom;"},
		{Burp, "<items><item><request>" + strings.Repeat("x", 10_000), "more than 1000 bytes in one piece"},
		{Burp, "<items>" + strings.Repeat("<x>", 1e5), "more than 1000 bytes"},
		{Charles, "", "cut short"},
		{Charles, "{}", `transaction 0 at byte 0: not JSON: found '{', want '['`},
		{Charles, "[]x", "text after the end"},
		{Charles, "[1]", "transaction 1 at byte 1: not JSON"},
		{Charles, "[{}\n,{}]", "transaction 1 at byte 1: it has no host"},
		{Charles, `[{"host":"h","scheme":"http","method":"GET","request":{"body":{"encoded":"!"}}}]`, "request body: decode base64"},
		{Charles, `[{"host":"h","scheme":"http","response":{"status":200,"body":{"encoded":"!"}}}]`, "response body: decode base64"},
		{Charles, `[{"host":"` + strings.Repeat("x", 2000), "more than 1000 bytes in one piece"},
		{Charles, "[" + strings.Repeat("[", 1e5), "nested"},
	} {
		_, err := collectAs(c.format, strings.NewReader(c.text), Options{File: "x.y", maxEntry: 1000})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read "+string(c.format)+" x.y: ") {
			t.Errorf("%s %.60q: error is %v, want the file and %q", c.format, c.text, err, c.want)
		}
	}
}

// TestDetectBinarySession: a session that Charles wrote in its own form is refused with what to do.
func TestDetectBinarySession(t *testing.T) {
	_, err := Detect([]byte("\xac\xed\x00\x05sr\x00\x1ecom.xk72.charles.model.Session"))
	if err == nil || !strings.Contains(err.Error(), "charles convert FILE.chls FILE.chlsj") {
		t.Error(err)
	}
}

// flow makes a flow of tnetstrings.
func flow(members string) string { return fmt.Sprintf("%d:%s}", len(members), members) }

// repeated gives one text again and again: a large file, without the memory for one.
type repeated struct {
	head string
	text string
	n    int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.head != "" {
		r.rest, r.head = r.head, ""
	}
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.rest = r.text
		r.n--
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// grow makes a session of n times what a sample holds.
func grow(t testing.TB, file string, format Format, n int) *repeated {
	text := string(sample(t, file))
	switch format {
	case Cassette:
		head, body, _ := strings.Cut(text, "http_interactions:")
		return &repeated{head: head + "http_interactions:", text: body, n: n}
	default:
		return &repeated{text: text, n: n}
	}
}

var streams = []struct {
	file   string
	format Format
}{
	{"schemathesis.yaml", Cassette}, {"schemathesis.ndjson", NDJSON}, {"mitmproxy-11.flows", Flows}, {"restler.txt", RESTler},
}

// TestReadFlat reads sessions of thousands of exchanges, and looks at the memory that lives meanwhile.
func TestReadFlat(t *testing.T) {
	for _, s := range streams {
		text := len(sample(t, s.file))
		n := 10 << 20 / text
		var m runtime.MemStats
		count, most := 0, uint64(0)
		for _, err := range Read(s.format, grow(t, s.file, s.format, n), Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if count++; count%2000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
		if count < 3000 || most > 16<<20 {
			t.Errorf("%s: %d exchanges, %d bytes of heap at the most", s.file, count, most)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, s := range streams {
		b.Run(string(s.format), func(b *testing.B) {
			n := 16 << 20 / len(sample(b, s.file))
			b.SetBytes(int64(n * len(sample(b, s.file))))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Read(s.format, grow(b, s.file, s.format, n), Options{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// fuzz is the target of all decoders: nothing panics, and an exchange has exactly one of response and fault.
func fuzz(f *testing.F, format Format) {
	for _, s := range samples {
		if data := sample(f, s.file); s.format == format {
			f.Add(data[:min(len(data), 4<<10)])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Detect(data)
		for e, err := range Read(format, bytes.NewReader(data), Options{maxEntry: 1 << 20}) {
			if err != nil {
				return
			}
			if (e.Response == nil) == (e.Fault == nil) || e.Addr == "" || e.Scheme == "" {
				t.Fatalf("not an exchange: %+v", e)
			}
		}
	})
}

func FuzzReadCassette(f *testing.F) { fuzz(f, Cassette) }
func FuzzReadNDJSON(f *testing.F)   { fuzz(f, NDJSON) }
func FuzzReadFlows(f *testing.F)    { fuzz(f, Flows) }
func FuzzReadRESTler(f *testing.F)  { fuzz(f, RESTler) }
func FuzzReadBurp(f *testing.F)     { fuzz(f, Burp) }
func FuzzReadCharles(f *testing.F)  { fuzz(f, Charles) }

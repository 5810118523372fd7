package suite

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/volatility"
)

// harFile is the part of a HAR that the fixtures need.
type harFile struct {
	Log struct {
		Entries []struct {
			StartedDateTime time.Time
			Request         struct {
				Method, URL, HTTPVersion string
				Headers                  []harHeader
				PostData                 *struct{ Text string }
			}
			Response struct {
				Status      int
				StatusText  string
				HTTPVersion string
				Headers     []harHeader
				Content     struct{ Text, Encoding string }
			}
		}
	}
}

type harHeader struct{ Name, Value string }

func head(line string, headers []harHeader) []byte {
	var b bytes.Buffer
	b.WriteString(line + "\r\n")
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// readHAR reads the exchanges of a gzipped HAR file.
func readHAR(t testing.TB, name string) []*exchange.Exchange {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	var har harFile
	if err := json.Unmarshal(raw, &har); err != nil {
		t.Fatal(err)
	}
	var out []*exchange.Exchange
	for i, e := range har.Log.Entries {
		u, err := url.Parse(e.Request.URL)
		if err != nil {
			t.Fatal(err)
		}
		target := strings.TrimPrefix(e.Request.URL, u.Scheme+"://"+u.Host)
		body := ""
		if e.Request.PostData != nil {
			body = e.Request.PostData.Text
		}
		answer := []byte(e.Response.Content.Text)
		if e.Response.Content.Encoding == "base64" {
			if answer, err = base64.StdEncoding.DecodeString(e.Response.Content.Text); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, &exchange.Exchange{
			Seq: uint64(i + 1), Pass: 1, Scheme: u.Scheme, Addr: u.Host, Start: e.StartedDateTime,
			Request: exchange.ParseRequest(exchange.Message{
				Head:  head(e.Request.Method+" "+target+" HTTP/1.1", e.Request.Headers),
				Body:  []byte(body),
				Plain: true,
			}),
			Response: exchange.ParseResponse(exchange.Message{
				Head:  head(fmt.Sprintf("HTTP/1.1 %d %s", e.Response.Status, e.Response.StatusText), e.Response.Headers),
				Body:  answer,
				Plain: true,
			}),
		})
	}
	return out
}

// fixture is one API's Python suite with its re-executions.
type fixture struct {
	name   string
	suites []string // the files, in the order in which they ran
	runs   []string // the HAR files, in order; the first is the recording
	cut    bool     // it is the cut-down copy, with few runs
}

// fixtures returns the real material where it is there, else the cut-down copy that the repository holds.
func fixtures(t testing.TB) []fixture {
	t.Helper()
	var out []fixture
	for _, name := range []string{"news", "features"} {
		dir := filepath.Join("..", "..", "shared", "fixtures", name, "python")
		f := fixture{name: name}
		if _, err := os.Stat(dir); err != nil {
			dir, f.cut = filepath.Join("testdata", "evomaster", name), true
		}
		f.suites, _ = filepath.Glob(filepath.Join(dir, "*.py"))
		f.runs, _ = filepath.Glob(filepath.Join(dir, "runs", "*.har.gz"))
		if len(f.suites) == 0 || len(f.runs) < 3 {
			t.Fatalf("%s: %d suites, %d runs", dir, len(f.suites), len(f.runs))
		}
		out = append(out, f)
	}
	return out
}

// judged adds to a Source the map that its steps make. starts says what its runs began from, in order; of those that it
// does not list, nothing is known.
func judged(t testing.TB, src Source, starts ...exchange.Start) Source {
	t.Helper()
	var all []*exchange.Exchange
	var runs []exchange.Run
	for _, s := range src.Steps {
		all = append(all, s.Exchange)
	}
	for i, n := range runsOf(src.Steps)[1:] {
		start := exchange.StartUnknown
		if i < len(starts) {
			start = starts[i]
		}
		runs = append(runs, exchange.Run{Number: n, Kind: exchange.RunImport, Conditions: exchange.Conditions{Start: start}})
	}
	src.Bindings = flow.Bindings(all)
	src.Operations = flow.Operations(all, src.Bindings)
	rec := exchange.Recording{Started: all[0].Start, Count: uint64(len(all)), Passes: []exchange.Pass{{Number: 1}}}
	steps := func(yield func(exchange.Step, error) bool) {
		for _, s := range src.Steps {
			if !yield(s, nil) {
				return
			}
		}
	}
	var err error
	src.Map, err = volatility.Judge(rec, runs, steps, src.Operations, src.Bindings, volatility.Options{Redactor: src.Redactor})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// starts says what the runs after the first began from: the last ran on the instance of the one before it, all others on
// a fresh one.
func (f fixture) starts() []exchange.Start {
	out := slices.Repeat([]exchange.Start{exchange.StartFresh}, len(f.runs)-1)
	out[len(out)-1] = exchange.StartContinued
	return out
}

// source makes a Source of HAR files: the first is the recording, the others its runs.
func source(t testing.TB, files []string) Source {
	t.Helper()
	recorded := readHAR(t, files[0])
	var src Source
	for _, e := range recorded {
		src.Steps = append(src.Steps, exchange.Step{Exchange: e})
	}
	for i, file := range files[1:] {
		for _, pair := range align.Exchanges(recorded, readHAR(t, file)) {
			if pair.Recorded == nil || pair.Run == nil {
				continue
			}
			step := &src.Steps[pair.Recorded.Seq-1]
			step.Observations = append(step.Observations, &exchange.Observation{
				Run: i + 1, Seq: pair.Recorded.Seq, Start: pair.Run.Start,
				Sent: pair.Run.Request, Response: pair.Run.Response,
			})
		}
	}
	return src
}

// failures returns the tests that failed in a run, as its JUnit file says, by file and test.
func failures(t testing.TB, har string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(strings.TrimSuffix(har, ".har.gz") + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	pattern := regexp.MustCompile(`<testcase classname="([^".]*)[^"]*" name="([^"]*)" time="[^"]*"><failure`)
	for _, m := range pattern.FindAllStringSubmatch(string(data), -1) {
		out[m[1]+"."+m[2]] = true
	}
	return out
}

package report

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// Entry is one exchange in a list, its secrets redacted. docs/inspect.md documents the JSON of this type and of those
// below; members are added, and neither removed nor given another meaning.
type Entry struct {
	Seq           uint64    `json:"seq"`
	Pass          int       `json:"pass"`
	Connection    uint64    `json:"connection"` // 0: not known
	Sequence      string    `json:"sequence"`   // the mark it bears; "" for none
	Target        string    `json:"target"`     // the target's name
	Scheme        string    `json:"scheme"`
	Address       string    `json:"address"`
	Start         time.Time `json:"start"`
	Latency       float64   `json:"latency_ms"`
	Method        string    `json:"method"`
	RequestTarget string    `json:"request_target"` // as sent: path and query
	Status        int       `json:"status"`         // 0 where there is a fault
	Fault         string    `json:"fault"`          // its kind; "" where there is a response
	MediaType     string    `json:"media_type"`     // of the response
	RequestBytes  int64     `json:"request_bytes"`  // of the body, as on the wire
	ResponseBytes int64     `json:"response_bytes"`
	Fingerprint   string    `json:"fingerprint"`
}

// EntryColumns are the columns of [Entry.Cells].
func EntryColumns() []Column {
	return []Column{{Name: "SEQ", Right: true}, {Name: "PASS", Right: true}, {Name: "CONN", Right: true}, {Name: "STATUS"},
		{Name: "MS", Right: true}, {Name: "BYTES", Right: true}, {Name: "SEQUENCE", Max: 28}, {Name: "METHOD", Max: 12},
		{Name: "TARGET"}}
}

// Cells are the entry for people.
func (e *Entry) Cells() []string {
	return []string{fmt.Sprint(e.Seq), fmt.Sprint(e.Pass), connection(e.Connection), outcome(e.Status, e.Fault),
		milliseconds(e.Latency),
		fmt.Sprint(e.ResponseBytes), e.Sequence, e.Method, e.RequestTarget}
}

// outcome is a status, or in its place the kind of a fault.
func outcome(status int, fault string) string {
	if fault != "" {
		return fault
	}
	return fmt.Sprint(status)
}

func connection(n uint64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func milliseconds(ms float64) string {
	if ms < 10 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// Detail is one exchange in full, with what it answered in the runs. Secrets are redacted.
type Detail struct {
	Entry
	Request      Message       `json:"request"`
	Response     *Message      `json:"response,omitempty"`
	Cause        string        `json:"cause,omitempty"` // of a fault, in words
	Seen         *Message      `json:"seen,omitempty"`  // what came of the answer before the fault
	Observations []Observation `json:"observations"`
}

// Message is a request or response.
type Message struct {
	Line      string   `json:"line"` // the start line
	Headers   []Header `json:"headers"`
	Malformed bool     `json:"malformed"`         // the head could not be read in full: what could be is shown
	Interim   int      `json:"interim,omitempty"` // the bytes of the 1xx responses before it
	Body      Body     `json:"body"`
}

// Header is one field of a head.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is the body of a message without transfer and content coding.
type Body struct {
	Size   int    `json:"size"`           // in bytes
	Cut    int64  `json:"cut"`            // the bytes that passed but were not stored
	Text   string `json:"text"`           // where it is text
	Base64 []byte `json:"base64"`         // where it is not
	Digest string `json:"sha256"`         // of the stored body; of a body with redacted members, of what is shown
	Note   string `json:"note,omitempty"` // what is odd about it
}

// Observation is what the exchange answered in one run.
type Observation struct {
	Run         int                 `json:"run"`
	Kind        exchange.RunKind    `json:"kind"`
	Conditions  exchange.Conditions `json:"conditions"`
	Start       time.Time           `json:"start"`
	Latency     float64             `json:"latency_ms"`
	Status      int                 `json:"status"` // 0 where there is a fault
	Fault       string              `json:"fault"`
	Cause       string              `json:"cause,omitempty"`
	Bytes       int64               `json:"response_bytes"`
	Settling    *Settling           `json:"settling,omitempty"`
	Differences []Difference        `json:"differences"`
}

// Settling is what became of a read that did not answer as recorded at once, and was asked again.
type Settling struct {
	Settled bool    `json:"settled"`  // it answered as recorded in the end
	Early   bool    `json:"early"`    // it answered at once what the recording has later
	After   float64 `json:"after_ms"` // from the first request to the last answer
	Looks   int     `json:"looks"`    // how often it was asked again
}

// Difference is a place at which a run answered otherwise than the recording.
type Difference struct {
	Place  exchange.Place `json:"place"`
	Kind   string         `json:"kind"`
	Before string         `json:"before"` // the recorded JSON token; "" where there is none
	After  string         `json:"after"`
}

// maxListed bounds the differences of one run that the text form lists.
const maxListed = 20

// Text writes the exchange for people.
func (d *Detail) Text(w io.Writer) error {
	t := &text{}
	t.whole("exchange %d: pass %d, connection %s%s", d.Seq, d.Pass, connection(d.Connection),
		labelled(", sequence ", d.Sequence))
	t.whole("%s, took %s ms, %s at %s://%s", d.Start.UTC().Format(time.RFC3339Nano), milliseconds(d.Latency), d.Target,
		d.Scheme, d.Address)
	t.whole("fingerprint %s", d.Fingerprint)
	t.message("request", &d.Request)
	if d.Response != nil {
		t.message("response", d.Response)
	}
	if d.Fault != "" {
		t.whole("")
		t.whole("no response: %s%s", d.Fault, labelled(": ", d.Cause))
	}
	if d.Seen != nil {
		t.message("received part of the answer", d.Seen)
	}
	t.observations(d.Observations)
	_, err := w.Write(t.out.Bytes())
	return err
}

func labelled(label, s string) string {
	if s == "" {
		return ""
	}
	return label + s
}

// whole writes one line, however long.
func (t *text) whole(format string, args ...any) {
	t.out.WriteString(strings.TrimRight(show(fmt.Sprintf(format, args...), unlimited), " "))
	t.out.WriteByte('\n')
}

// unlimited is more columns than any line has.
const unlimited = 1 << 40

func (t *text) message(title string, m *Message) {
	t.whole("")
	if m.Malformed {
		title += " (malformed: the readable part of its head)"
	}
	t.whole("%s", title)
	t.whole("  %s", m.Line)
	for _, h := range m.Headers {
		t.whole("  %s: %s", h.Name, h.Value)
	}
	b := &m.Body
	if b.Size == 0 && b.Cut == 0 && b.Note == "" {
		return
	}
	t.whole("")
	switch {
	case b.Base64 != nil:
		t.whole("  %d bytes that are not text, sha256 %s", b.Size, b.Digest)
		t.dump(b.Base64)
	case b.Text != "":
		for line := range strings.Lines(indented(b.Text)) {
			t.whole("  %s", strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
	}
	if b.Cut > 0 {
		t.whole("  (%d more bytes passed and were not stored)", b.Cut)
	}
	if b.Note != "" {
		t.whole("  (%s)", b.Note)
	}
}

// maxDump bounds the bytes of a binary body that are shown to people.
const maxDump = 256

func (t *text) dump(b []byte) {
	part := b[:min(len(b), maxDump)]
	for line := range strings.Lines(hex.Dump(part)) {
		t.whole("  %s", strings.TrimSuffix(line, "\n"))
	}
	if len(part) < len(b) {
		t.whole("  (and %d more)", len(b)-len(part))
	}
}

// maxIndent is how many levels of JSON are shown indented: the blanks before each token are as many as it is deep, and
// a small text of brackets alone would fill megabytes.
const maxIndent = 32

// indented returns JSON over several lines, its tokens as they are, and any other text as it is. So is JSON that is
// nested deeper than documents are.
func indented(s string) string {
	if jsontree.Deeper(s, maxIndent) >= 0 {
		return s
	}
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(s))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil || dec.More() {
		return s
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(raw) != nil {
		return s
	}
	return b.String()
}

func (t *text) observations(all []Observation) {
	t.whole("")
	if len(all) == 0 {
		t.whole("no run has a matching exchange")
		return
	}
	for _, o := range all {
		same := "the same answer"
		if n := len(o.Differences); n > 0 {
			same = count(n, "difference")
		}
		t.whole("run %d (%s, %s): %s in %s ms, %s", o.Run, kind(o.Kind), conditions(o.Conditions.Start, o.Conditions.Perturb),
			outcome(o.Status, o.Fault), milliseconds(o.Latency), same)
		if o.Cause != "" {
			t.whole("  %s", o.Cause)
		}
		if s := o.Settling; s != nil && s.Early {
			t.whole("  ahead of the recording: a later request of this kind has this answer")
		} else if s != nil && s.Settled {
			t.whole("  as recorded when the request was repeated, after %s ms", milliseconds(s.After))
		} else if s != nil {
			t.whole("  not as recorded when the request was repeated %s, within %s ms", count(s.Looks, "time"), milliseconds(s.After))
		}
		for _, d := range o.Differences[:min(len(o.Differences), maxListed)] {
			t.whole("  %s %s: %s -> %s", showEnds(string(d.Place), 60), d.Kind, showEnds(orDash(d.Before), 80),
				showEnds(orDash(d.After), 80))
		}
		if more := len(o.Differences) - maxListed; more > 0 {
			t.whole("  and %d more", more)
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Readable reports whether bytes are a text, which is shown with what cannot be seen in it as escapes: UTF-8 without
// NUL.
func Readable(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

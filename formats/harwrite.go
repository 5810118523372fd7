package formats

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/wire"
)

// WriteOptions says how exchanges are written. The zero value shows secrets as tokens without a key.
type WriteOptions struct {
	Redactor exchange.Redactor // for the secrets; its Reveal writes them as they are
	Version  string            // flaketap's version, for the file's creator
}

// What is written of an entry, beside what is read of one: HAR 1.2 wants it there.
type (
	outEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  outRequest  `json:"request"`
		Response outResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  outTimings  `json:"timings"`
	}
	outRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		Version     string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		QueryString []harPair `json:"queryString"`
		Post        *outPost  `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	outPost struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"`
	}
	outResponse struct {
		Status      int        `json:"status"`
		Reason      string     `json:"statusText"`
		Version     string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     outContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
		Error       string     `json:"_error,omitempty"`
	}
	outContent struct {
		Size     int64   `json:"size"`
		MimeType string  `json:"mimeType"`
		Text     *string `json:"text,omitempty"`
		Encoding string  `json:"encoding,omitempty"`
	}
	outTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
)

// WriteHAR writes exchanges as an HTTP Archive 1.2, one entry at a time: absolute URLs, bodies without their codings,
// faults as status 0 with the cause in "_error". Secrets are redacted: what is named as one, in headers, URLs and
// bodies of any form, and what the Redactor knows, wherever it turns up.
//
// An error of the exchanges ends the writing; what was written is then no whole document.
func WriteHAR(w io.Writer, exchanges iter.Seq2[*exchange.Exchange, error], o WriteOptions) error {
	out := bufio.NewWriterSize(w, 64<<10)
	version, err := json.Marshal(o.Version)
	if err != nil {
		return fmt.Errorf("write har: %w", err)
	}
	fmt.Fprintf(out, `{"log":{"version":"1.2","creator":{"name":"flaketap","version":%s},"pages":[],"entries":[`, version)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	sep := "\n"
	for e, err := range exchanges {
		if err != nil {
			return fmt.Errorf("write har: %w", err)
		}
		_, _ = out.WriteString(sep) // Flush returns what went wrong
		sep = ","
		if err := enc.Encode(newOutEntry(e, o.Redactor)); err != nil {
			return fmt.Errorf("write har: exchange %d: %w", e.Seq, err)
		}
	}
	_, _ = out.WriteString("]}}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write har: %w", err)
	}
	return nil
}

func newOutEntry(e *exchange.Exchange, r exchange.Redactor) outEntry {
	ms := float64(e.Latency) / 1e6
	out := outEntry{
		Started: e.Start.UTC().Format(time.RFC3339Nano),
		Time:    ms,
		Timings: outTimings{Wait: ms},
		Request: newOutRequest(e, r),
	}
	if e.Fault != nil || e.Response == nil {
		out.Response = outResponse{Cookies: []harPair{}, Headers: []harPair{}, HeadersSize: -1, BodySize: -1}
		if e.Fault != nil {
			out.Response.Error = r.Show("", e.Fault.String())
		}
		return out
	}
	out.Response = newOutResponse(e.Response, r)
	return out
}

func newOutRequest(e *exchange.Exchange, r exchange.Redactor) outRequest {
	req := &e.Request
	address := redact.Target(r, e.URL())
	out := outRequest{
		Method:      req.Method,
		URL:         address,
		Version:     req.Proto,
		Cookies:     []harPair{},
		Headers:     shownFields(r, req.Header),
		QueryString: []harPair{},
		HeadersSize: len(req.Head),
		BodySize:    len(req.Body),
	}
	_, query, _ := strings.Cut(address, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); pair != "" {
			out.QueryString = append(out.QueryString, harPair{unescape(name), unescape(value)})
		}
	}
	if body, _ := req.Payload(); len(body) > 0 {
		kind := req.Header.Get("Content-Type")
		text, encoding := encodeText(redact.Body(r, kind, body))
		out.Post = &outPost{MimeType: kind, Text: text, Encoding: encoding}
	}
	return out
}

func newOutResponse(resp *exchange.Response, r exchange.Redactor) outResponse {
	kind := resp.Header.Get("Content-Type")
	body, _ := resp.Payload()
	out := outResponse{
		Status:      resp.Status,
		Reason:      r.Show("", resp.Reason),
		Version:     resp.Proto,
		Cookies:     []harPair{},
		Headers:     shownFields(r, resp.Header),
		RedirectURL: redact.Target(r, resp.Header.Get("Location")),
		HeadersSize: len(resp.Head),
		BodySize:    len(resp.Body),
		Content:     outContent{Size: int64(len(body)) + resp.Cut, MimeType: kind},
	}
	if len(body) > 0 || resp.Cut == 0 {
		text, encoding := encodeText(redact.Body(r, kind, body))
		out.Content.Text, out.Content.Encoding = &text, encoding
	}
	return out
}

// encodeText returns a body as a HAR holds it: as it is where it is text, else in base64.
func encodeText(body []byte) (text, encoding string) {
	if utf8.Valid(body) {
		return string(body), ""
	}
	return base64.StdEncoding.EncodeToString(body), "base64"
}

// shownFields returns a header section with its secrets redacted.
func shownFields(r exchange.Redactor, fields wire.Fields) []harPair {
	out := make([]harPair, 0, len(fields))
	for _, f := range fields {
		out = append(out, harPair{f.Name, redact.Header(r, f.Name, f.Value)})
	}
	return out
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

package formats

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// What is read of an entry. Numbers are floats, because some writers give sizes and codes with a decimal point.
type (
	harEntry struct {
		Started  string       `json:"startedDateTime"`
		Time     float64      `json:"time"` // ms
		Request  harRequest   `json:"request"`
		Response *harResponse `json:"response"`
	}
	harRequest struct {
		Method  string    `json:"method"`
		URL     string    `json:"url"`
		Version string    `json:"httpVersion"`
		Headers []harPair `json:"headers"`
		Post    *harPost  `json:"postData"`
	}
	harResponse struct {
		Status  float64         `json:"status"`
		Reason  string          `json:"statusText"`
		Version string          `json:"httpVersion"`
		Headers []harPair       `json:"headers"`
		Content harContent      `json:"content"`
		Error   json.RawMessage `json:"_error"` // of mitmproxy and Chrome, where there is no answer
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harPost struct {
		MimeType string    `json:"mimeType"`
		Text     string    `json:"text"`
		Encoding string    `json:"encoding"` // not of HAR 1.2, which has no form for bodies that are no text
		Params   []harPair `json:"params"`
	}
	harContent struct {
		Size     float64 `json:"size"`
		Text     *string `json:"text"`
		Encoding string  `json:"encoding"`
	}
)

// errNoHTTP marks entries of browsers that never went over HTTP.
var errNoHTTP = errors.New("no HTTP")

// exchange makes an exchange from an entry.
func (h *harEntry) exchange(o HAROptions) (*exchange.Exchange, error) {
	if h.Request.URL == "" {
		return nil, errors.New("it has no request with a url")
	}
	scheme, authority, target, err := splitURL(h.Request.URL)
	if err != nil {
		return nil, err
	}
	if h.Request.Method == "CONNECT" {
		target = authority
	}
	e := &exchange.Exchange{
		Target:  o.Target,
		Scheme:  scheme,
		Addr:    withPort(authority, scheme),
		Start:   parseTime(h.Started),
		Latency: milliseconds(h.Time),
	}
	request, err := h.Request.message(authority, target)
	if err != nil {
		return nil, err
	}
	e.Request = exchange.ParseRequest(request)
	for _, name := range o.SequenceHeaders {
		if v := e.Request.Header.Get(name); v != "" {
			e.Sequence = v
			break
		}
	}
	if h.Response == nil || h.Response.Status <= 0 {
		e.Fault = h.Response.fault()
		return e, nil
	}
	response, err := h.Response.message()
	if err != nil {
		return nil, err
	}
	e.Response = exchange.ParseResponse(response)
	return e, nil
}

// message rebuilds the request.
func (r *harRequest) message(authority, target string) (exchange.Message, error) {
	m := exchange.Message{Plain: true}
	version := protocol(r.Version)
	modern := !strings.HasPrefix(version, "HTTP/1.") && !strings.HasPrefix(version, "HTTP/0.")
	if modern {
		version = "HTTP/1.1"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\n", oneLine(r.Method), strings.NewReplacer("\r", "%0D", "\n", "%0A", "\x00",
		"%00").Replace(target), version)
	if modern && !has(r.Headers, "host") {
		fmt.Fprintf(&b, "Host: %s\r\n", oneLine(authority))
	}
	writeFields(&b, r.Headers)
	m.Head = []byte(b.String())
	if r.Post == nil {
		return m, nil
	}
	var err error
	if m.Body, err = r.Post.body(); err != nil {
		return m, fmt.Errorf("request body: %w", err)
	}
	m.Body = r.preserved(m.Body)
	return m, nil
}

// body returns the body of a request: its text, or where the writer kept the parameters of a form only, those.
func (p *harPost) body() ([]byte, error) {
	if p.Text != "" || len(p.Params) == 0 {
		return decodeText(p.Text, p.Encoding)
	}
	kind, params, _ := mime.ParseMediaType(p.MimeType)
	var b strings.Builder
	if boundary := params["boundary"]; boundary != "" && strings.HasPrefix(kind, "multipart/") {
		for _, x := range p.Params {
			fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, x.Name, x.Value)
		}
		fmt.Fprintf(&b, "--%s--\r\n", boundary)
		return []byte(b.String()), nil
	}
	for i, x := range p.Params {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(x.Name) + "=" + url.QueryEscape(x.Value))
	}
	return []byte(b.String()), nil
}

// message rebuilds the response.
func (r *harResponse) message() (exchange.Message, error) {
	m := exchange.Message{Plain: true}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %03d %s\r\n", protocol(r.Version), int64(min(r.Status, math.MaxInt32)), oneLine(r.Reason))
	writeFields(&b, r.Headers)
	m.Head = []byte(b.String())
	if r.Content.Text == nil {
		m.Cut = int64(min(max(r.Content.Size, 0), 1<<53))
		return m, nil
	}
	var err error
	if m.Body, err = decodeText(*r.Content.Text, r.Content.Encoding); err != nil {
		return m, fmt.Errorf("response body: %w", err)
	}
	return m, nil
}

// fault makes a fault of a response that is none. r may be nil.
func (r *harResponse) fault() *exchange.Fault {
	var text string
	if r != nil && json.Unmarshal(r.Error, &text) != nil {
		text = ""
	}
	kind, rest, _ := strings.Cut(text, ": ")
	switch k := exchange.FaultKind(kind); k {
	case exchange.FaultDial, exchange.FaultTLS, exchange.FaultReset, exchange.FaultEOF, exchange.FaultTruncated,
		exchange.FaultTimeout, exchange.FaultUnparseable, exchange.FaultClient:
		return &exchange.Fault{Kind: k, Text: rest} // as WriteHAR writes it
	}
	f := &exchange.Fault{Kind: faultKind(text), Text: text}
	if text == "" {
		f.Text = "no answer in the HAR"
	}
	return f
}

// faultKind guesses the kind of fault from the words of mitmproxy, Chrome and Firefox.
func faultKind(text string) exchange.FaultKind {
	text = strings.ToLower(text)
	for _, x := range []struct {
		kind  exchange.FaultKind
		words []string
	}{
		{exchange.FaultTLS, []string{"tls", "ssl", "certificate", "err_cert"}},
		{exchange.FaultTimeout, []string{"timed out", "timed_out", "timeout"}},
		{exchange.FaultClient, []string{"client disconnect", "client closed", "err_aborted", "canceled", "cancelled"}},
		{exchange.FaultReset, []string{"reset"}},
		{exchange.FaultDial, []string{"refused", "unreachable", "resolv", "no such host", "name or service",
			"connect call failed"}},
		{exchange.FaultTruncated, []string{"incomplete", "content_length_mismatch"}},
		{exchange.FaultUnparseable, []string{"invalid", "protocol"}},
	} {
		for _, w := range x.words {
			if strings.Contains(text, w) {
				return x.kind
			}
		}
	}
	return exchange.FaultEOF
}

// writeFields writes the header section and the blank line after it. Pseudo-fields of HTTP/2 begin with a colon.
func writeFields(b *strings.Builder, fields []harPair) {
	for _, f := range fields {
		if name := oneLine(f.Name); name != "" && !strings.HasPrefix(name, ":") {
			b.WriteString(name + ": " + oneLine(f.Value) + "\r\n")
		}
	}
	b.WriteString("\r\n")
}

func has(fields []harPair, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// oneLine makes sure that text from a file cannot add lines to a head.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\r\n\x00") {
		s = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(s)
	}
	return strings.TrimSpace(s)
}

// protocol returns the version in the form of a start line. Writers say "h2", "http/2.0", "HTTP/2", "unknown", "".
func protocol(version string) string {
	v := strings.ToUpper(oneLine(version))
	switch {
	case v == "H2", v == "H2C", v == "HTTP/2":
		return "HTTP/2.0"
	case strings.HasPrefix(v, "H3"), v == "HTTP/3", strings.HasPrefix(v, "QUIC"), strings.HasPrefix(v, "HTTP/2+QUIC"):
		return "HTTP/3.0"
	case strings.HasPrefix(v, "HTTP/") && !strings.Contains(v, " "):
		return v
	}
	return "HTTP/1.1"
}

// decodeText returns the bytes of a body.
func decodeText(text, encoding string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	switch strings.ToLower(encoding) {
	case "base64":
		// The decoder ignores line ends; some writers leave the padding out.
		clean := strings.TrimRight(strings.TrimSpace(text), "=")
		b, err := base64.RawStdEncoding.DecodeString(clean)
		if err != nil {
			return nil, fmt.Errorf("decode base64: %w", err)
		}
		return b, nil
	case "", "utf-8", "utf8":
		return []byte(text), nil
	}
	return nil, fmt.Errorf("unknown encoding %.40q", encoding)
}

// splitURL splits an absolute URL into scheme, authority without user information, and the request-target, which stays
// exactly as it was written.
func splitURL(raw string) (scheme, authority, target string, err error) {
	scheme, rest, found := strings.Cut(raw, "://")
	switch scheme = strings.ToLower(scheme); {
	case found && (scheme == "http" || scheme == "ws"):
		scheme = "http"
	case found && (scheme == "https" || scheme == "wss"):
		scheme = "https"
	default:
		if s, _, ok := strings.Cut(raw, ":"); ok && !strings.ContainsAny(s, "/?#[]. ") {
			return "", "", "", fmt.Errorf("%w: URL %.60q", errNoHTTP, raw)
		}
		return "", "", "", fmt.Errorf("URL %.60q is not absolute", raw)
	}
	authority, target = rest, "/"
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, target = rest[:i], rest[i:]
	}
	if target[0] != '/' {
		target = "/" + target
	}
	authority = oneLine(authority[strings.LastIndexByte(authority, '@')+1:])
	if authority == "" {
		return "", "", "", fmt.Errorf("URL %.60q names no host", raw)
	}
	return scheme, authority, target, nil
}

// withPort returns the authority with the port that its scheme implies, where it names none.
func withPort(authority, scheme string) string {
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		if i < len(authority)-1 {
			return authority
		}
		authority = authority[:i]
	}
	if scheme == "https" {
		return authority + ":443"
	}
	return authority + ":80"
}

// parseTime reads a time in the forms that writers use, and gives the zero time for others, and for years so far away
// that what follows from them could not be written.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700",
		"2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1 && t.Year() < 9000 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// untimed says why an entry has no time.
func untimed(started string) string {
	if started == "" {
		return "no startedDateTime"
	}
	return fmt.Sprintf("startedDateTime must be a time such as 2026-01-29T12:15:09.123Z, got %.40q", started)
}

// milliseconds returns a duration from a number that may be anything.
func milliseconds(ms float64) time.Duration {
	if !(ms > 0) {
		return 0
	}
	return time.Duration(math.Round(min(ms, 1e12) * 1e6))
}

package suite

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/wire"
)

// fill is a value of a request that is not written into the suite as it was recorded: bound, or secret.
type fill struct {
	place exchange.Place
	value string
	expr  string // what stands for it in Python: bound["orderId"], secret("secret:…")
}

// fills lists the values of a request that are bound, then those that are secret.
func (w *pytestWriter) fills(e *exchange.Exchange) []fill {
	var out []fill
	for _, u := range w.uses[e.Seq] {
		out = append(out, fill{u.place, u.binding.Value, "bound[" + pyString(u.binding.Name) + "]"})
	}
	for _, s := range w.secretsOf(e) {
		if !slices.ContainsFunc(out, func(f fill) bool { return f.place == s.place }) {
			out = append(out, fill{s.place, s.value, w.secret(s.value)})
		}
	}
	return out
}

// marker is the text that holds the place of the n-th value. It needs no escaping anywhere; in place of a number it is
// one, so that what stands around it stays as it was.
func marker(n int, number bool) string {
	if number {
		return fmt.Sprintf("70931%04d13907", n)
	}
	return fmt.Sprintf("qZv%04dvZq", n)
}

var (
	markers   = regexp.MustCompile(`qZv(\d{4})vZq|70931(\d{4})13907`)
	aNumber   = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)
	maxMarked = 1000
)

// mark returns the request with a marker in place of each value, put there by the same rules by which a replay puts in
// its own: where the value stands, and how it is escaped, is said in one place only.
func mark(e *exchange.Exchange, fills []fill) exchange.Request {
	marked := *e
	for i, f := range fills[:min(len(fills), maxMarked)] {
		carrier := flow.NewCarrier([]exchange.Binding{{
			Value:    f.value,
			Producer: exchange.Ref{Seq: e.Seq + 1, Place: exchange.PlaceBody},
			Uses:     []exchange.Ref{{Seq: e.Seq, Place: f.place}},
		}})
		carrier.Learn(e.Seq+1, exchange.ParseResponse(exchange.Message{
			Head:  []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
			Body:  []byte(quoteJSON(marker(i, aNumber.MatchString(f.value)))),
			Plain: true,
		}))
		// A value within something packed, as Basic credentials are, cannot be put in by a text that stands for it.
		if r := carrier.Request(&marked); holds(&r, marker(i, aNumber.MatchString(f.value))) {
			marked.Request = r
		}
	}
	return marked.Request
}

// holds reports whether a text stands in a request as it is.
func holds(r *exchange.Request, text string) bool {
	payload, _ := r.Payload()
	return bytes.Contains(r.Head, []byte(text)) || bytes.Contains(payload, []byte(text))
}

// piece is a part of a text: a literal, or a Python expression.
type piece struct {
	text string
	expr bool
}

// split cuts a marked text at its markers and at its secrets; escape wraps the expression for a marker as its place needs,
// given what stands before it, and show makes Python's text of what is left.
func (w *pytestWriter) split(text string, fills []fill, show func(string) string, escape func(before, expr string) string) []piece {
	var out []piece
	at := 0
	spans := w.src.Redactor.Secrets(text)
	for _, m := range markers.FindAllStringSubmatchIndex(text, -1) {
		var n int
		digits := text[max(m[2], m[4]):max(m[3], m[5])]
		if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || n >= len(fills) {
			continue
		}
		out = append(out, w.between(text, at, m[0], spans, show)...)
		out = append(out, piece{escape(text[:m[0]], fills[n].expr), true})
		at = m[1]
	}
	if out = append(out, w.between(text, at, len(text), spans, show)...); len(out) == 0 {
		out = append(out, piece{})
	}
	return out
}

// pyText writes the pieces of a text as one Python expression.
func pyText(pieces []piece) string {
	plain := true // fit for an f-string in double quotes
	for _, p := range pieces {
		if !p.expr && strings.ContainsAny(p.text, "\"'\\{}\r\n\t") {
			plain = false
		}
	}
	if len(pieces) == 1 && pieces[0].expr {
		return pieces[0].text
	}
	if len(pieces) == 1 || !plain {
		parts := make([]string, len(pieces))
		for i, p := range pieces {
			parts[i] = p.text
			if !p.expr {
				parts[i] = pyString(p.text)
			}
		}
		return strings.Join(parts, " + ")
	}
	var b strings.Builder
	b.WriteString(`f"`)
	for _, p := range pieces {
		if p.expr {
			b.WriteString("{" + strings.ReplaceAll(p.text, `"`, "'") + "}")
			continue
		}
		literal := pyString(p.text)
		b.WriteString(literal[1 : len(literal)-1])
	}
	b.WriteByte('"')
	return b.String()
}

// unsendable says why a recorded exchange cannot be made a test step; "" where it can.
func unsendable(e *exchange.Exchange) string {
	switch {
	case e.Fault != nil:
		return "the recorded attempt failed (" + string(e.Fault.Kind) + ")"
	case e.Response == nil:
		return "it has no recorded answer"
	case e.Request.Malformed:
		return "the request is no well-formed HTTP"
	case e.Request.Cut > 0:
		return "it was not recorded in full"
	case e.Request.Method == "CONNECT" || e.Response.Status == 101:
		return "it leaves HTTP"
	case e.Response.Malformed:
		return "the answer is no well-formed HTTP"
	}
	return ""
}

// connectionField reports whether a request header belongs to the connection and not to the request: the client adds
// framing and Host of its own, and neither waits for interim answers nor leaves HTTP. The rest of Connection's values
// are sent as recorded, for APIs that answer with the headers they got.
func connectionField(name, value string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "proxy-connection", "proxy-authorization", "upgrade", "expect":
		return true
	case "connection":
		return !strings.EqualFold(value, "keep-alive") && !strings.EqualFold(value, "close")
	}
	return false
}

// send writes the sending of one request.
func (w *pytestWriter) send(e *exchange.Exchange) []string {
	fills := w.fills(e)
	r := mark(e, fills)
	path, query := exchange.SplitTarget(r.Target)
	target := w.split(path, fills, wireText, func(_, x string) string { return "in_path(" + x + ")" })
	if strings.Contains(r.Target, "?") {
		target = append(target, w.split("?"+query, fills, wireText, func(_, x string) string { return "in_query(" + x + ")" })...)
	}
	args := []string{pyString(r.Method), pyText(join(target))}
	if headers := w.headers(&r, fills); len(headers) > 0 {
		args = append(args, "headers=["+strings.Join(headers, ",\x00")+"]")
	}
	if r.Header.Has("Content-Length") || r.Header.Has("Transfer-Encoding") || len(r.Body) > 0 {
		args = append(args, "body="+w.body(&r, fills))
	}
	if !r.Plain && r.Header.HasToken("Transfer-Encoding", "chunked") {
		args = append(args, "chunked=True")
	}
	if base := baseURL(e); base != w.target {
		args = append(args, "base_url="+pyString(base))
	}
	return pyCallLines("res = api.send(", args)
}

// join puts neighbouring literals together.
func join(pieces []piece) []piece {
	var out []piece
	for _, p := range pieces {
		if n := len(out); n > 0 && !p.expr && !out[n-1].expr {
			out[n-1].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// wireText shows bytes of a head as the text that the client, which encodes heads as Latin-1, sends them from.
func wireText(s string) string {
	if strings.Trim(s, "\x00") == s && isASCII(s) {
		return s
	}
	return latin1([]byte(s))
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// headers writes the header list of a request, one element per header.
func (w *pytestWriter) headers(r *exchange.Request, fills []fill) []string {
	var out []string
	for _, f := range r.Header {
		name, value := strings.TrimSpace(f.Name), f.Value
		if name == "" || connectionField(name, value) || r.Plain && strings.EqualFold(name, "Content-Encoding") {
			continue
		}
		value = strings.Join(strings.FieldsFunc(value, func(c rune) bool { return c == '\r' || c == '\n' }), " ")
		pieces := w.split(value, fills, wireText, func(_, x string) string { return x })
		out = append(out, "("+pyString(wireText(name))+", "+pyText(pieces)+")")
	}
	return out
}

// body writes the body of a request: text where it is text, bytes where it is not or has a content coding.
func (w *pytestWriter) body(r *exchange.Request, fills []fill) string {
	payload, err := r.Payload()
	if !r.Plain && (r.Header.Has("Content-Encoding") || err != nil) {
		coded := r.Body
		if r.Header.HasToken("Transfer-Encoding", "chunked") {
			coded, _, _ = wire.Dechunk(r.Body)
		}
		return w.bytes(coded, payload)
	}
	if !utf8.Valid(payload) {
		return w.bytes(payload, payload)
	}
	kind := r.MediaType()
	pieces := w.split(string(payload), fills, asIs, func(before, x string) string {
		switch {
		case kind == "application/x-www-form-urlencoded":
			return "in_query(" + x + ")"
		case !strings.HasSuffix(kind, "json"):
			return x
		case strings.HasSuffix(before, `"`):
			return "in_json(" + x + ")"
		}
		return "as_json(" + x + ")"
	})
	if len(pieces) == 1 && !pieces[0].expr && len(payload) > lineWidth-30 {
		return "(" + strings.Join(pyBreak(string(payload), lineWidth-20), "\n") + ")"
	}
	return pyText(pieces)
}

// pyBytesBroken writes bytes as one literal, or as several, with line feeds between, where there are many.
func pyBytesBroken(b []byte) string {
	const width = 32
	if len(b) <= width {
		return pyBytes(b)
	}
	var parts []string
	for c := range slices.Chunk(b, width) {
		parts = append(parts, pyBytes(c))
	}
	return "(" + strings.Join(parts, "\n") + ")"
}

// pyCallLines writes a call, on one line where that is short enough, else an argument per line. In an argument a NUL is
// a blank at which a list, and a line feed the place at which a text, may be broken: no literal holds either as it is.
func pyCallLines(open string, args []string) []string {
	one := strings.ReplaceAll(open+strings.Join(args, ", ")+")", "\x00", " ")
	if utf8.RuneCountInString(one) <= lineWidth-8 && !strings.Contains(one, "\n") {
		return []string{one}
	}
	out := []string{open}
	for _, a := range args {
		out = append(out, pyArgument(a)...)
	}
	return append(out, ")")
}

// pyArgument writes one argument of a broken call; a list that is too long gets a line per element, and a text that was
// broken one per part.
func pyArgument(a string) []string {
	if parts := strings.Split(a, "\n"); len(parts) > 1 {
		name, first, _ := strings.Cut(parts[0], "(")
		parts[0], parts[len(parts)-1] = first, strings.TrimSuffix(parts[len(parts)-1], ")")
		out := []string{"    " + name + "("}
		for _, p := range parts {
			out = append(out, "        "+p)
		}
		return append(out, "    ),")
	}
	inner, isList := strings.CutPrefix(a, "headers=[")
	if utf8.RuneCountInString(a) <= lineWidth-13 || !isList {
		return []string{"    " + strings.ReplaceAll(a, "\x00", " ") + ","}
	}
	out := []string{"    headers=["}
	for _, h := range strings.Split(strings.TrimSuffix(inner, "]"), ",\x00") {
		out = append(out, "        "+h+",")
	}
	return append(out, "    ],")
}

// bodyPlaces calls visit with each scalar of a request's JSON body.
func bodyPlaces(r *exchange.Request, visit func(place exchange.Place, value string)) {
	payload, err := r.Payload()
	if err != nil || len(payload) == 0 || !strings.HasSuffix(r.MediaType(), "json") {
		return
	}
	as := exchange.ParseResponse(exchange.Message{
		Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: payload, Plain: true,
	})
	compare.Walk(as, func(place exchange.Place, raw string) {
		if place.Root() != "body" || raw == "" || raw[0] == '{' || raw[0] == '[' {
			return
		}
		if s, ok := jsonText(raw); ok && raw[0] == '"' {
			raw = s
		}
		visit(place, raw)
	})
}

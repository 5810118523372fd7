package message

import (
	"bytes"
	"mime"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// maxParts bounds the parts of a multipart body that are looked into.
const maxParts = 1 << 10

// boundaryOf returns the boundary that a Content-Type names; "" where it names none.
func boundaryOf(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || len(params["boundary"]) > 70 { // RFC 2046 §5.1.1
		return ""
	}
	return params["boundary"]
}

// partSites returns the values of a body of the type multipart/form-data (RFC 7578): of a part that holds JSON its
// members, as /body/meta/orderId, of one that holds any other short text the whole, as /body/name. Files, parts of
// other types, and parts that tell their own length stay as they are.
func partSites(body []byte, boundary string, seen places) []Site {
	if boundary == "" {
		return nil
	}
	var out []Site
	delimiter := []byte("--" + boundary)
	pos := delimited(body, delimiter, 0)
	for n := 0; pos >= 0 && n < maxParts && len(out) < jsontree.MaxScalars; n++ {
		line := bytes.IndexByte(body[pos:], '\n')
		if line < 0 || bytes.HasPrefix(body[pos+len(delimiter):], []byte("--")) {
			break
		}
		start := pos + line + 1
		if pos = delimited(body, delimiter, start); pos < 0 {
			break // cut off
		}
		end := start + len(bytes.TrimSuffix(bytes.TrimSuffix(body[start:pos], []byte("\n")), []byte("\r")))
		out = append(out, partSite(body, Span{start, end}, seen)...)
	}
	return out
}

// delimited returns where the next line that begins with the delimiter begins, -1 where there is none.
func delimited(body, delimiter []byte, from int) int {
	for from < len(body) {
		k := bytes.Index(body[from:], delimiter)
		if k < 0 {
			return -1
		}
		if at := from + k; at == 0 || body[at-1] == '\n' {
			return at
		}
		from += k + 1
	}
	return -1
}

// partSite returns the values of one part, head and content.
func partSite(body []byte, at Span, seen places) []Site {
	head, content, found := bytes.Cut(body[at.Start:at.End], []byte("\r\n\r\n"))
	if !found {
		if head, content, found = bytes.Cut(body[at.Start:at.End], []byte("\n\n")); !found {
			return nil
		}
	}
	name, kind := "", "text/plain"
	for line := range bytes.Lines(head) {
		field, value, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch strings.ToLower(field) {
		case "content-disposition":
			_, params, err := mime.ParseMediaType(strings.TrimSpace(value))
			if err == nil {
				name = params["name"]
			}
		case "content-type":
			kind = exchange.MediaType(strings.TrimSpace(value))
		case "content-length", "content-transfer-encoding", "content-encoding":
			return nil
		}
	}
	start := at.End - len(content)
	if name == "" || len(content) == 0 {
		return nil
	}
	place := seen.next(exchange.PlaceBody.Key(name))
	if strings.HasSuffix(kind, "json") {
		out := jsonSites(content, place)
		for i := range out {
			out[i].start += start
			out[i].end += start
		}
		return out
	}
	if !strings.HasPrefix(kind, "text/") || len(content) > words.MaxValue {
		return nil
	}
	return []Site{{Place: place, Form: InText, Body: true, Value: string(content), start: start, end: at.End, Name: name}}
}

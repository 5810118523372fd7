package compare

import (
	"net/url"
	"strings"
)

// isLines reports whether a media type is that of JSON texts one after the other.
func isLines(kind string) bool {
	switch kind {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines",
		"application/x-jsonlines", "application/json-lines", "application/stream+json", "application/x-json-stream",
		"application/json-seq", "application/geo+json-seq", "text/x-ndjson", "text/jsonl":
		return true
	}
	return false
}

// linesJSON reads JSON texts line by line, or each behind a record separator, as an array. A line that is no JSON, as
// the last one of an answer that was cut off, is a text.
func linesJSON(s string) string {
	var w writer
	w.open('[')
	n := 0
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\x1e' }) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n++; n > maxItems {
			return ""
		}
		w.next()
		if _, ok := parse(line); ok {
			w.raw(line)
		} else {
			w.string(line)
		}
	}
	w.end(']')
	return w.String()
}

// wholeLines is linesJSON for a text that nobody said is one of lines: each is to be JSON.
func wholeLines(s string) string {
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if _, ok := parse(line); !ok || line[0] != '{' && line[0] != '[' {
			return ""
		}
	}
	return linesJSON(s)
}

// eventsJSON reads server-sent events, by the standard of HTML, as an array of objects: data, event, id, retry.
// Comments are left out. An event that is not ended by a blank line counts, as recordings are cut off anywhere.
func eventsJSON(s string) string {
	var (
		w    writer
		data []string
		n    int
		open bool
	)
	w.open('[')
	finish := func() {
		if open {
			if data != nil {
				w.member("data", strings.Join(data, "\n"))
			}
			w.end('}')
		}
		data, open = nil, false
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n") {
		if line == "" {
			finish()
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		if name != "data" && name != "event" && name != "id" && name != "retry" {
			continue
		}
		if n++; n > maxItems {
			return ""
		}
		if !open {
			w.next()
			w.open('{')
			open = true
		}
		if name == "data" {
			data = append(data, value)
		} else {
			w.member(name, value)
		}
	}
	finish()
	w.end(']')
	return w.String()
}

// formJSON reads the pairs of a form as an object. Keys that occur twice stay two members.
func formJSON(s string) string {
	var w writer
	w.open('{')
	n := 0
	for pair := range strings.SplitSeq(strings.Trim(s, " \r\n"), "&") {
		if pair == "" {
			continue
		}
		if n++; n > maxItems {
			return ""
		}
		name, value, _ := strings.Cut(pair, "=")
		w.member(unescapeForm(name), unescapeForm(value))
	}
	w.end('}')
	return w.String()
}

// unescapeForm undoes the coding of a form, and leaves alone what is none.
func unescapeForm(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

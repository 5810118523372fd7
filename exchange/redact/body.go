package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/url"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
)

// shower replaces the secrets of whole messages by their tokens and leaves every other byte as it is.
type shower struct {
	exchange.Redactor
	// schemes says that the word for the scheme stays before credentials: "Bearer secret:…". A value has one token
	// then, whether it stands alone or not.
	schemes bool
}

// token returns what stands for the value of a place that is named as that of a secret.
func (r shower) token(value string) string {
	if r.schemes {
		return r.credential(value)
	}
	return r.Token(value)
}

// pairs redacts name=value pairs joined by &.
func (r shower) pairs(root exchange.Place, s string) string {
	parts := strings.Split(s, "&")
	for i, pair := range parts {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			continue
		}
		plain := unescape(value)
		if shown := r.Show(root.Key(unescape(name)), plain); shown != plain {
			parts[i] = name + "=" + url.QueryEscape(shown)
		}
	}
	return strings.Join(parts, "&")
}

// body redacts the members of JSON, form and multipart bodies that are named as secrets are, and the secrets that any
// body names in its own way, or repeats.
func (r shower) body(contentType string, body []byte) []byte {
	if r.Reveal || len(body) == 0 {
		return body
	}
	return []byte(r.Show("", string(r.members(contentType, body))))
}

// members redacts the members of bodies whose form is known.
func (r shower) members(contentType string, body []byte) []byte {
	kind, params, _ := mime.ParseMediaType(contentType)
	switch {
	case exchange.IsForm(kind, body):
		return []byte(r.pairs(exchange.PlaceBody, string(body)))
	case strings.HasPrefix(kind, "multipart/") && params["boundary"] != "":
		return r.parts(body, params["boundary"])
	case strings.Contains(kind, "json"):
		return r.json(body)
	}
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') &&
		json.Valid(body) {
		return r.json(body)
	}
	return body
}

// parts redacts a multipart body: the content of each part by the part's name.
func (r shower) parts(body []byte, boundary string) []byte {
	sep := []byte("--" + boundary)
	parts := bytes.Split(body, sep)
	for i, part := range parts {
		head, content, found := bytes.Cut(part, []byte("\r\n\r\n"))
		if !found {
			continue
		}
		content, end := bytes.CutSuffix(content, []byte("\r\n"))
		place := exchange.PlaceBody.Key(partName(head))
		if len(content) == 0 || !r.Secret(place) {
			continue
		}
		out := append(bytes.Clone(head), "\r\n\r\n"+r.token(string(content))...)
		if end {
			out = append(out, "\r\n"...)
		}
		parts[i] = out
	}
	return bytes.Join(parts, sep)
}

// partName returns the name in the head of a part of a form.
func partName(head []byte) string {
	for line := range strings.SplitSeq(string(head), "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Disposition") {
			_, params, _ := mime.ParseMediaType(value)
			return params["name"]
		}
	}
	return ""
}

// level is an object or array that a walk through JSON is in.
type level struct {
	object bool
	key    bool // an object: the next token is a key
	secret bool // it lies within a secret
	member bool // an object: the value of the last key is a secret
}

// json redacts JSON, one value or several in a row: strings and numbers within members that are named as secrets, and
// the secrets within all other strings, which are looked at without their escapes.
func (r shower) json(body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var (
		out   []byte
		done  int64 // of body, in out
		stack = []level{{}}
	)
	for {
		from := dec.InputOffset()
		tok, err := dec.Token()
		to := dec.InputOffset()
		if err == io.EOF {
			return append(out, body[done:]...)
		}
		if err != nil {
			return append(append(out, body[done:from]...), r.rest(body[from:], stack[len(stack)-1])...)
		}
		top := &stack[len(stack)-1]
		if delim, ok := tok.(json.Delim); ok && (delim == '}' || delim == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		replace := func(shown string) {
			start := to - int64(len(bytes.TrimLeft(body[from:to], " \t\r\n,:")))
			out = append(append(out, body[done:start]...), jsonString(shown)...)
			done = to
		}
		if top.key {
			top.key = false
			key := tok.(string)
			top.member = top.secret || r.Secret(exchange.PlaceBody.Key(key))
			if shown := r.Show("", key); shown != key {
				replace(shown)
			}
			continue
		}
		top.key = top.object
		switch v := tok.(type) {
		case json.Delim:
			stack = append(stack, level{object: v == '{', key: v == '{', secret: top.member, member: top.member})
		case string, json.Number:
			plain := text(v)
			shown := r.Show("", plain)
			if top.member {
				shown = r.token(plain)
			}
			if shown != plain {
				replace(shown)
			}
		}
	}
}

// jsonString writes a text as a JSON string.
func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always encodes
		return []byte(`""`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func text(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return v.(string)
}

// rest redacts what is left of JSON that breaks off within at: as a whole, where it may belong to a secret or any word
// in it names one.
func (r shower) rest(b []byte, at level) []byte {
	if at.secret || at.member && !at.key {
		return []byte(r.Token(string(b)))
	}
	for word := range strings.FieldsFuncSeq(string(b), func(c rune) bool {
		return !unicode.IsLetter(c) && c != '_' &&
			c != '-'
	}) {
		if r.Secret(exchange.PlaceBody.Key(word)) {
			return []byte(r.Token(string(b)))
		}
	}
	return b
}

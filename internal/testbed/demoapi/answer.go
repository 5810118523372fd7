package demoapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// answer is a response, complete before its first byte is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// with returns the answer with a header set.
func (a answer) with(name, value string) answer {
	a.header.Set(name, value)
	return a
}

// write sends the answer.
func (a answer) write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // an error means that the client has gone, and nobody is left to tell
}

// empty returns an answer without a body.
func empty(status int) answer { return answer{status: status, header: http.Header{}} }

// typed returns an answer of a media type.
func typed(status int, mediaType string, body []byte) answer {
	a := empty(status).with("Content-Type", mediaType)
	a.body = body
	return a
}

// reply returns v as JSON.
func reply(status int, v any) answer {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only a value that JSON cannot hold gets here, and no handler makes one.
		return fail(http.StatusInternalServerError, "internal", "The answer cannot be written.")
	}
	return typed(status, "application/json", bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// failure is the body of an error answer.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// fail returns an error answer.
func fail(status int, code, message string) answer {
	var f failure
	f.Error.Code, f.Error.Message = code, message
	return reply(status, f)
}

func notFound() answer {
	return fail(http.StatusNotFound, "not_found", "There is no such resource.")
}

func full() answer {
	return fail(http.StatusTooManyRequests, "full", "The store holds no more; reset it.")
}

// decode reads a request's JSON body. Strict as a generated server would be: the media type must be JSON, unknown
// members and a second document are refused. The answer is nil where all is well.
func decode[T any](r *request) (v T, bad *answer) {
	refuse := func(status int, code, message string) (T, *answer) {
		a := fail(status, code, message)
		return v, &a
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be application/json.")
	}
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return refuse(http.StatusBadRequest, "bad_json", describe(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(http.StatusBadRequest, "bad_json", "The body has more than one JSON value.")
	}
	if bytes.Equal(bytes.TrimSpace(r.body), []byte("null")) {
		return refuse(http.StatusBadRequest, "bad_json", "The body must be an object.")
	}
	return v, nil
}

// describe says what is wrong with a JSON body, in words that depend on the body alone.
func describe(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("The body is no JSON: error at byte %d.", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("The member %.60q has the wrong type.", kind.Field)
	case strings.HasPrefix(err.Error(), "json: unknown field"):
		return "The body has a member that is not known."
	}
	return "The body is no whole JSON value."
}

// number reads an integer of the query; def where it is not given. ok is false where it is none, or out of range.
func (r *request) number(name string, def, low, high int) (n int, ok bool) {
	if !r.query.Has(name) {
		return def, true
	}
	n, err := strconv.Atoi(r.query.Get(name))
	return n, err == nil && n >= low && n <= high
}

// id reads the path's parameter as a positive integer.
func (r *request) id() (int, bool) {
	n, err := strconv.Atoi(r.param)
	return n, err == nil && n > 0 && strconv.Itoa(n) == r.param
}

// absolute returns the absolute URL of a path of this API, as the client addressed it.
func (r *request) absolute(path string) string { return "http://" + r.Host + path }

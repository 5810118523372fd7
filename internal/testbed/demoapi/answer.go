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

	"github.com/flaketap/flaketap/internal/testbed/service"
)

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
	return service.Reply(status, f)
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

// param returns the value of the path's parameter, of which a template has one at most.
func (r *request) param() string {
	for _, v := range r.params {
		return v
	}
	return ""
}

// id reads the path's parameter as a positive integer.
func (r *request) id() (int, bool) {
	n, err := strconv.Atoi(r.param())
	return n, err == nil && n > 0 && strconv.Itoa(n) == r.param()
}

// absolute returns the absolute URL of a path of this API, as the client addressed it.
func (r *request) absolute(path string) string { return "http://" + r.Host + path }

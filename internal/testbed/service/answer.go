package service

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Answer is a response, complete before its first byte is sent.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// With returns the answer with a header set.
func (a Answer) With(name, value string) Answer {
	a.Header.Set(name, value)
	return a
}

// Write sends the answer, which was made at a time by the API's clock.
func (a Answer) Write(w http.ResponseWriter, now time.Time) {
	h := w.Header()
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	for name, values := range a.Header {
		h[name] = values
	}
	if a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // an error means that the client has gone, and nobody is left to tell
}

// Empty returns an answer without a body.
func Empty(status int) Answer { return Answer{Status: status, Header: http.Header{}} }

// Typed returns an answer of a media type.
func Typed(status int, mediaType string, body []byte) Answer {
	a := Empty(status).With("Content-Type", mediaType)
	a.Body = body
	return a
}

// Reply returns v, which JSON can hold, as JSON.
func Reply(status int, v any) Answer { return Typed(status, "application/json", Encode(v)) }

// Encode returns v as JSON on one line; the members of maps are in the order of their names.
func Encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // only a value that JSON cannot hold gets here, and no handler makes one
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

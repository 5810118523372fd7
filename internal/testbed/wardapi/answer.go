package wardapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// object is a JSON object; its members are written in the order of their names.
type object = map[string]any

// resource returns v as a clinical resource.
func resource(status int, v any) answer {
	return service.Typed(status, "application/fhir+json", service.Encode(v))
}

// problem returns an error answer in the form of RFC 9457, with a trace that is new each time.
func (a *API) problem(r *request, status int, kind, detail string, more ...object) answer {
	p := object{
		"type": "https://klinik.example/probleme/" + kind, "title": http.StatusText(status), "status": status,
		"detail":   detail,
		"trace_id": a.hex(16), "zeitpunkt": r.now.Format(time.RFC3339Nano),
	}
	for _, m := range more {
		for name, v := range m {
			p[name] = v
		}
	}
	return service.Typed(status, "application/problem+json", service.Encode(p))
}

func (a *API) missing(r *request) answer {
	return a.problem(r, http.StatusNotFound, "nicht-gefunden", "Die Ressource gibt es nicht.")
}

func (a *API) full(r *request) answer {
	return a.problem(r, http.StatusTooManyRequests, "voll", "Der Speicher ist voll.")
}

// decode reads a request's JSON body. The media type must be JSON; a second document is refused. The answer is nil
// where all is well.
func decode[T any](a *API, r *request) (v T, bad *answer) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		p := a.problem(r, http.StatusUnsupportedMediaType, "medientyp", "Erwartet wird application/json.")
		return v, &p
	}
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	err = dec.Decode(&v)
	if _, more := dec.Token(); err == nil && errors.Is(more, io.EOF) &&
		!bytes.Equal(bytes.TrimSpace(r.body), []byte("null")) {
		return v, nil
	}
	detail := "Der Inhalt ist kein gültiges JSON-Objekt."
	if err != nil && strings.HasPrefix(err.Error(), "json: unknown field") {
		detail = "Der Inhalt hat ein unbekanntes Feld."
	}
	p := a.problem(r, http.StatusBadRequest, "json", detail)
	return v, &p
}

// absolute returns the absolute URL of a path of this API, as the client addressed it.
func (r *request) absolute(path string) string { return "http://" + r.Host + path }

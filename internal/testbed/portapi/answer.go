package portapi

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

// problem returns an error answer in the form of RFC 9457. Its footer bears the year, its trace is new each time.
func (a *API) problem(r *request, status int, kind, detail string, more ...object) answer {
	p := object{
		"type": "https://port.example/problems/" + kind, "title": http.StatusText(status), "status": status,
		"detail": detail, "trace_id": a.hex(16), "timestamp": r.now.Format(time.RFC3339Nano),
		"support": "Quote reference " + strings.ToUpper(a.hex(4)) + " when you call the help desk.",
		"hotline": "Monday to Friday 08:00-18:00", "legal": r.now.Format("(c) 2006 Harbour One Terminals"),
	}
	for _, m := range more {
		for name, v := range m {
			p[name] = v
		}
	}
	return service.Typed(status, "application/problem+json", service.Encode(p))
}

func (a *API) missing(r *request) answer {
	return a.problem(r, http.StatusNotFound, "not-found", "There is no such resource.")
}

func (a *API) full(r *request) answer {
	return a.problem(r, http.StatusInsufficientStorage, "full", "The store is full.")
}

// rule is a rule that a request breaks.
type rule struct{ Field, Message string }

// invalid answers with the rules that a request breaks, in the order of a hash map.
func (a *API) invalid(r *request, broken []rule) answer {
	broken = shuffled(a, broken)
	errs, texts := []object{}, []string{}
	for _, x := range broken {
		errs = append(errs, object{"field": x.Field, "message": x.Message})
		texts = append(texts, x.Field+" "+x.Message)
	}
	return a.problem(r, http.StatusUnprocessableEntity, "rules", "The request breaks rules.", object{
		"errors": errs, "count": len(errs), "summary": strings.Join(texts, "; "),
		"first":      "Look at " + broken[0].Field + " first.",
		"schema_md5": md5Of("port schema 2024.11"),
	})
}

// decode reads a request's JSON body. The media type must be JSON; a second document is refused. The answer is nil
// where all is well.
func decode[T any](a *API, r *request) (v T, bad *answer) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		p := a.problem(r, http.StatusUnsupportedMediaType, "media-type", "The body must be application/json.")
		return v, &p
	}
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	err = dec.Decode(&v)
	if _, more := dec.Token(); err == nil && errors.Is(more, io.EOF) &&
		!bytes.Equal(bytes.TrimSpace(r.body), []byte("null")) {
		return v, nil
	}
	p := a.problem(r, http.StatusBadRequest, "json", "The body is no JSON object of the form wanted.")
	return v, &p
}

// absolute returns the absolute URL of a path of this API, as the client addressed it.
func (r *request) absolute(path string) string { return "http://" + r.Host + path }

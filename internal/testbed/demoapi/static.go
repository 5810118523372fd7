package demoapi

import (
	_ "embed"
	"net/http"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the API's OpenAPI 3.0 document, as served at /openapi.json.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// The answers that never move. They are full of what looks as if it did.
const (
	staticJSON = `{"title":"Sample","published":"2026-01-29T05:15:09Z","id":"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a1ff","updated":1769663709,` +
		`"slides":[{"title":"One","type":"all"},{"title":"Two","items":["why","how"],"type":"all"}],"etag":"5eb63bbbe01eeed093cb22bb8f5acdc3"}`
	staticXML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
		"<note id=\"72c11c70\" date=\"2026-01-29\"><to>Ada</to><from>Bob@1f</from><body>Unchanged &amp; unchanging.</body></note>\n"
	staticHTML = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Static</title></head>" +
		"<body><h1>Static</h1><p>Last built 2026-01-29 12:15:09.</p></body></html>\n"
	staticText = "Nothing here moves.\nNot even 2026-01-29T12:15:09+07:00.\n"
)

func (a *API) staticRoutes() []route {
	constant := func(path, mediaType, body string) route {
		return service.On("GET", path, func(*request) answer { return service.Typed(http.StatusOK, mediaType, []byte(body)) })
	}
	return []route{
		constant("/static/json", "application/json", staticJSON),
		constant("/static/xml", "application/xml", staticXML),
		constant("/static/html", "text/html; charset=utf-8", staticHTML),
		constant("/static/text", "text/plain; charset=utf-8", staticText),
		constant("/openapi.json", "application/json", string(openAPI)),
	}
}

package collection

import "github.com/flaketap/flaketap/internal/outfile"

// The JSON of a collection of Postman's format 2.1, as far as it is written.
type (
	postmanCollection struct {
		Info      postmanInfo       `json:"info"`
		Items     []*postmanItem    `json:"item"`
		Variables []postmanVariable `json:"variable"`
		Behavior  map[string]any    `json:"protocolProfileBehavior"`
	}
	postmanInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	postmanItem struct {
		Name    string          `json:"name"`
		Items   []*postmanItem  `json:"item,omitempty"`
		Request *postmanRequest `json:"request,omitempty"`
		Events  []postmanEvent  `json:"event,omitempty"`
	}
	postmanRequest struct {
		Method  string          `json:"method"`
		URL     string          `json:"url"`
		Headers []postmanHeader `json:"header"`
		Body    *postmanBody    `json:"body,omitempty"`
	}
	postmanHeader struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	postmanBody struct {
		Mode string `json:"mode"`
		Raw  string `json:"raw"`
	}
	postmanEvent struct {
		Listen string        `json:"listen"`
		Script postmanScript `json:"script"`
	}
	postmanScript struct {
		Type string   `json:"type"`
		Exec []string `json:"exec"`
	}
	postmanVariable struct {
		Key   string `json:"key"`
		Value string `json:"value"`
		Type  string `json:"type"`
	}
)

const postmanOwn = `const set = (name, value) => pm.collectionVariables.set(name, value);
const headers = (name) => pm.response.headers.all().filter((h) => h.key.toLowerCase() === name).map((h) => h.value);
const body = () => pm.response.json();`

// postman writes a collection for Postman and Newman. Requests are sent as they were recorded: no redirect is followed,
// no cookie added, no URL encoded.
func postman(c *Collection) ([]outfile.File, error) {
	c.leave(func(r *Request) string { return r.filledIn("Postman", "$") })
	free := c.freed()
	out := postmanCollection{Info: postmanInfo{"flaketap", c.about(), "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		Items: []*postmanItem{}, Variables: []postmanVariable{},
		Behavior: map[string]any{"followRedirects": false, "disableBodyPruning": true, "disableUrlEncoding": true, "disableCookies": true}}
	for _, v := range free.Variables {
		kind := "string"
		if v.Secret {
			kind = "secret"
		}
		out.Variables = append(out.Variables, postmanVariable{v.Name, v.Value, kind})
	}
	into := &out.Items
	folders(free.Requests, func(name string, _ int) {
		into = &out.Items
		if name != "" {
			folder := &postmanItem{Name: name}
			out.Items = append(out.Items, folder)
			into = &folder.Items
		}
	}, func(_ int, r *Request) { *into = append(*into, postmanRequested(r)) })
	data, err := document(out)
	return []outfile.File{{Name: "collection.json", Data: data}}, err
}

func postmanRequested(r *Request) *postmanItem {
	q := &postmanRequest{Method: r.Method, URL: braced(r.URL), Headers: []postmanHeader{}}
	for _, h := range r.Headers {
		q.Headers = append(q.Headers, postmanHeader{h.Name, braced(h.Value)})
	}
	if r.Body != nil {
		q.Body = &postmanBody{"raw", braced(r.Body)}
	}
	item := &postmanItem{Name: r.Name, Request: q}
	if len(r.Keeps) > 0 {
		item.Events = []postmanEvent{{"test", postmanScript{"text/javascript", script(postmanOwn, r.Keeps)}}}
	}
	return item
}

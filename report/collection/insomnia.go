package collection

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/outfile"
)

// The JSON of an export of Insomnia, format 4, as far as it is written.
type (
	insomniaExport struct {
		Type      string `json:"_type"`
		Format    int    `json:"__export_format"`
		Source    string `json:"__export_source"`
		Resources []any  `json:"resources"`
	}
	insomniaThing struct {
		ID     string `json:"_id"`
		Type   string `json:"_type"`
		Parent string `json:"parentId"`
		Name   string `json:"name"`
	}
	insomniaWorkspace struct {
		insomniaThing
		Scope       string `json:"scope"`
		Description string `json:"description"`
	}
	insomniaEnvironment struct {
		insomniaThing
		Data map[string]string `json:"data"`
	}
	insomniaGroup struct {
		insomniaThing
		Sort int `json:"metaSortKey"`
	}
	insomniaRequest struct {
		insomniaThing
		Sort       int              `json:"metaSortKey"`
		Method     string           `json:"method"`
		URL        string           `json:"url"`
		Headers    []insomniaHeader `json:"headers"`
		Parameters []any            `json:"parameters"`
		Auth       struct{}         `json:"authentication"`
		Body       any              `json:"body"` // insomniaBody, or an empty object
		After      string           `json:"afterResponseScript,omitempty"`
		Encode     bool             `json:"settingEncodeUrl"`
		Cookies    bool             `json:"settingSendCookies"`
		Redirects  string           `json:"settingFollowRedirects"`
	}
	insomniaHeader struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	insomniaBody struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
	}
)

const insomniaOwn = `const set = (name, value) => insomnia.baseEnvironment.set(name, value);
const headers = (name) =>
  insomnia.response.headers.all().filter((h) => h.key.toLowerCase() === name).map((h) => h.value);
const body = () => insomnia.response.json();`

// insomnia writes an export of Insomnia that it imports as a collection. Its templates are Nunjucks.
func insomnia(c *Collection) ([]outfile.File, error) {
	workspace := "wrk_" + identity("workspace")
	variables := map[string]string{}
	for _, v := range c.Variables {
		variables[v.Name] = v.Value
	}
	out := insomniaExport{Type: "export", Format: 4, Source: "flaketap", Resources: []any{
		insomniaWorkspace{insomniaThing{workspace, "workspace", "", "flaketap"}, "collection", c.about()},
		insomniaEnvironment{insomniaThing{"env_" + identity("environment"), "environment", workspace, "Base Environment"}, variables},
	}}
	parent := workspace
	folders(c.Requests, func(name string, at int) {
		if parent = workspace; name != "" {
			parent = "fld_" + identity(name, fmt.Sprint(at))
			out.Resources = append(out.Resources, insomniaGroup{insomniaThing{parent, "request_group", workspace, name}, at})
		}
	}, func(i int, r *Request) {
		q := insomniaRequest{insomniaThing: insomniaThing{"req_" + identity(r.Name, fmt.Sprint(i)), "request", parent, r.Name},
			Sort: i, Method: r.Method, URL: insomniaText(r.URL), Headers: []insomniaHeader{}, Parameters: []any{},
			Body: struct{}{}, Redirects: "off"}
		kind := ""
		for _, h := range r.Headers {
			q.Headers = append(q.Headers, insomniaHeader{h.Name, insomniaText(h.Value)})
			if strings.EqualFold(h.Name, "content-type") {
				kind = insomniaText(h.Value)
			}
		}
		if r.Body != nil {
			kind, _, _ = strings.Cut(kind, ";")
			if kind = strings.TrimSpace(kind); kind == formType || strings.HasPrefix(kind, "multipart/") {
				kind = "text/plain" // those two Insomnia has as lists of values; the header says what it is
			}
			q.Body = insomniaBody{kind, insomniaText(r.Body)}
		}
		if len(r.Keeps) > 0 {
			q.After = strings.Join(script(insomniaOwn, r.Keeps), "\n")
		}
		out.Resources = append(out.Resources, q)
	})
	data, err := document(out)
	return []outfile.File{{Name: "collection.json", Data: data}}, err
}

// insomniaText writes a text as a template.
func insomniaText(t Text) string {
	return t.written(func(name string) string { return "{{ _." + name + " }}" }, insomniaLiteral)
}

// insomniaLiteral writes a text that is no template: a brace that would begin one, also with what comes behind the
// text, is a template itself.
func insomniaLiteral(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '{' && (i+1 == len(s) || strings.IndexByte("{%#", s[i+1]) >= 0) {
			b.WriteString(`{{ "{" }}`)
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

package collection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/outfile"
)

const brunoOwn = `const set = (name, value) => bru.setVar(name, value);
const headers = (name) => [].concat(res.getHeader(name) || []);
const body = () => res.getBody();`

// bruno writes a folder that Bruno opens as a collection: a file for each request, and an environment, "recorded", with
// the variables.
func bruno(c *Collection) ([]outfile.File, error) {
	c.leave(brunoRefuses)
	free := c.freed()
	about, err := document(struct {
		Version string `json:"version"`
		Name    string `json:"name"`
		Type    string `json:"type"`
	}{"1", "flaketap", "collection"})
	if err != nil {
		return nil, err
	}
	files := []outfile.File{
		{Name: "bruno.json", Data: about},
		{Name: "collection.bru", Data: []byte("docs {\n" + indented(c.about()) + "}\n")},
		{Name: "environments/recorded.bru", Data: []byte(brunoEnvironment(free.Variables))},
	}
	folder, n := "", 0
	folders(free.Requests, func(name string, _ int) {
		n++
		if folder = fmt.Sprintf("%04d/", n); name == "" {
			name = "requests" // Bruno would send all that is in no folder before, or after, what is
		}
		files = append(files, outfile.File{Name: folder + "folder.bru", Data: fmt.Appendf(nil, "meta {\n  name: %s\n  seq: %d\n}\n", name, n)})
	}, func(i int, r *Request) {
		files = append(files, outfile.File{Name: fmt.Sprintf("%s%06d.bru", folder, i+1), Data: []byte(brunoRequest(i+1, r))})
	})
	return files, nil
}

// brunoRefuses says why Bruno cannot send a request; "" where it can. Values of its format end with their line, and
// blanks around them are lost.
func brunoRefuses(r *Request) string {
	switch {
	case strings.ContainsRune(braced(r.Body), '\r'):
		return "Bruno keeps no line ends of a body"
	case strings.HasPrefix(braced(r.URL), "{{baseUrl}}//"):
		return "Bruno joins the slashes of its path"
	}
	for _, h := range r.Headers {
		v := braced(h.Value)
		if strings.TrimSpace(v) != v {
			return "Bruno keeps no blanks around the value of a header"
		}
		if strings.HasPrefix(v, brunoBlock) {
			return "Bruno takes the value of a header for the beginning of several lines"
		}
	}
	return r.filledIn("Bruno", "$", "process.env.")
}

// brunoBlock begins a value of several lines.
const brunoBlock = "'''"

// brunoEnvironment writes the variables. One of several lines has no value.
func brunoEnvironment(all []Variable) string {
	values, secrets := "", ""
	for _, v := range all {
		if v.Secret {
			secrets += ",\n  " + v.Name
			continue
		}
		if strings.ContainsAny(v.Value, "\r\n") || strings.TrimSpace(v.Value) != v.Value ||
			strings.HasPrefix(v.Value, brunoBlock) {
			v.Value = ""
		}
		values += "  " + v.Name + ": " + v.Value + "\n"
	}
	out := "vars {\n" + values + "}\n"
	if secrets != "" {
		out += "vars:secret [" + strings.TrimPrefix(secrets, ",") + "\n]\n"
	}
	return out
}

func brunoRequest(seq int, r *Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "meta {\n  name: %s\n  type: http\n  seq: %d\n}\n\n", r.Name, seq)
	mode := "none"
	if r.Body != nil {
		mode = "text"
	}
	fmt.Fprintf(&b, "%s  url: %s\n  body: %s\n  auth: none\n}\n", brunoMethod(r.Method), braced(r.URL), mode)
	if len(r.Headers) > 0 {
		b.WriteString("\nheaders {\n")
		for _, h := range r.Headers {
			fmt.Fprintf(&b, "  %s: %s\n", brunoKey(h.Name), braced(h.Value))
		}
		b.WriteString("}\n")
	}
	if r.Body != nil {
		b.WriteString("\nbody:text {\n" + indented(braced(r.Body)) + "}\n")
	}
	if r.form() && slices.ContainsFunc(r.Body, func(p Piece) bool { return p.Variable != "" }) {
		b.WriteString("\nscript:pre-request {\n" + indented("// Bruno puts no values into the text of a form.\nreq.setBody(bru.interpolate(req.getBody()));") + "}\n")
	}
	if len(r.Keeps) > 0 {
		b.WriteString("\nscript:post-response {\n" + indented(strings.Join(script(brunoOwn, r.Keeps), "\n")) + "}\n")
	}
	b.WriteString("\nsettings {\n  encodeUrl: false\n  followRedirects: false\n}\n")
	return b.String()
}

// brunoMethod begins the block of a method; those that Bruno has no block for are named in one.
func brunoMethod(method string) string {
	if slices.Contains([]string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"}, method) {
		return strings.ToLower(method) + " {\n"
	}
	return "http {\n  method: " + method + "\n"
}

// brunoKey writes the name of a header; in quotes where Bruno would read a mark in it.
func brunoKey(name string) string {
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		return name
	}
	return quote(name)
}

// indented writes the lines of a block: an end of it stands at the beginning of a line.
func indented(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

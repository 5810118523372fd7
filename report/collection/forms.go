package collection

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report"
)

// Form is a form that a collection can be written in.
type Form struct {
	Name  string
	Files bool // it is a folder of files, and no single one
	write func(*Collection) ([]outfile.File, error)
}

// Forms lists the forms.
func Forms() []Form {
	return []Form{
		{Name: "postman", write: postman},
		{Name: "insomnia", write: insomnia},
		{Name: "bruno", Files: true, write: bruno},
	}
}

// FormNamed returns the form of a name.
func FormNamed(name string) (Form, bool) {
	all := Forms()
	i := slices.IndexFunc(all, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return all[i], true
}

// Write writes a collection: one file, or several with their paths. The same collection gives the same bytes. What the
// client of the form cannot send goes from the collection's Requests to its Left.
func (f Form) Write(c *Collection) ([]outfile.File, error) {
	files, err := f.write(c)
	if err != nil {
		return nil, fmt.Errorf("write %s collection: %w", f.Name, err)
	}
	return files, nil
}

// leave leaves out the requests that a client cannot send, of which refused says why; "" for one that it can.
func (c *Collection) leave(refused func(*Request) string) {
	c.Requests = slices.DeleteFunc(c.Requests, func(r Request) bool {
		why := refused(&r)
		if why != "" {
			c.Left = append(c.Left, r.Name+": "+why)
		}
		return why != ""
	})
}

// freed returns the collection with other names for the variables that a literal text has in double braces: a client
// would take them for variables.
func (c *Collection) freed() *Collection {
	literal := map[string]bool{}
	for _, r := range c.Requests {
		for _, name := range r.inBraces() {
			literal[name] = true
		}
	}
	names, taken := map[string]string{}, map[string]bool{}
	for _, v := range c.Variables {
		taken[v.Name] = true
	}
	for _, v := range c.Variables {
		name := v.Name
		for literal[name] || name != v.Name && taken[name] {
			name += "_"
		}
		names[v.Name] = name
	}
	return c.renamed(names)
}

// inBraces are the names that the literal text of a request has in double braces.
func (r *Request) inBraces() (names []string) {
	r.each(func(t Text) {
		literal := t.written(func(string) string { return "\x00" }, asIs)
		for _, m := range inBraces().FindAllStringSubmatch(literal, -1) {
			names = append(names, strings.TrimSpace(m[1]))
		}
	})
	return names
}

// filledIn says that a client would put values of its own into a request: for what stands in double braces and begins
// with one of some prefixes. "" where it has none.
func (r *Request) filledIn(client string, own ...string) string {
	for _, name := range r.inBraces() {
		if slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return client + " puts a value of its own where it has a name in double braces"
		}
	}
	return ""
}

// inBraces is what a client takes for a variable.
var inBraces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{([^{}]+)\}\}`) })

// renamed returns the collection with other names of variables.
func (c *Collection) renamed(names map[string]string) *Collection {
	out := &Collection{}
	for _, v := range c.Variables {
		v.Name = names[v.Name]
		out.Variables = append(out.Variables, v)
	}
	text := func(t Text) (all Text) {
		for _, p := range t {
			if p.Variable != "" {
				p.Variable = names[p.Variable]
			}
			all = append(all, p)
		}
		return all
	}
	for _, r := range c.Requests {
		r.URL, r.Body = text(r.URL), text(r.Body)
		r.Headers = slices.Clone(r.Headers)
		for i := range r.Headers {
			r.Headers[i].Value = text(r.Headers[i].Value)
		}
		r.Keeps = slices.Clone(r.Keeps)
		for i := range r.Keeps {
			r.Keeps[i].Variable = names[r.Keeps[i].Variable]
		}
		out.Requests = append(out.Requests, r)
	}
	return out
}

// each calls do with the texts of a request.
func (r *Request) each(do func(Text)) {
	do(r.URL)
	for _, h := range r.Headers {
		do(h.Value)
	}
	do(r.Body)
}

// written writes a text: the names of its variables as variable does, and its literals as literal does.
func (t Text) written(variable, literal func(string) string) string {
	var b strings.Builder
	for _, p := range t {
		if p.Variable != "" {
			b.WriteString(variable(p.Variable))
		} else {
			b.WriteString(literal(p.Literal))
		}
	}
	return b.String()
}

// braced writes a text with variables in double braces, and literals as they are.
func braced(t Text) string {
	return t.written(func(name string) string { return "{{" + name + "}}" }, asIs)
}

func asIs(s string) string { return s }

// about is what a collection says of itself.
func (c *Collection) about() string {
	text := "Written by flaketap from a recording. Secrets are variables without a value: fill them before you send the requests."
	const most = 50
	for i, left := range c.Left {
		if i == most {
			return text + fmt.Sprintf("\n\n%d more are left out.", len(c.Left)-most)
		}
		text += "\n\nLeft out: " + left + "."
	}
	return text
}

// document encodes a JSON document, as reports are.
func document(v any) ([]byte, error) {
	var b bytes.Buffer
	err := report.JSON(&b, v)
	return b.Bytes(), err
}

// identity is an id that is the same in each writing: made of names.
func identity(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return fmt.Sprintf("%x", sum[:16])
}

// folders calls begin with each folder when it begins, and with the number of its first request, and then request with
// each request: those of one folder that follow each other stand in it. "" is no folder.
func folders(requests []Request, begin func(name string, at int), request func(i int, r *Request)) {
	for i := range requests {
		if i == 0 || requests[i].Folder != requests[i-1].Folder {
			begin(requests[i].Folder, i)
		}
		request(i, &requests[i])
	}
}

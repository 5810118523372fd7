package postman

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

//go:embed runtime
var runtime embed.FS

// Write writes a plan as a collection of Postman's format 2.1: a folder per group, in it one per test, in it a request
// per step, whose script asserts. Bound values are variables of the collection, so is baseUrl; secrets are in an
// environment of its own, which is for the owner's eyes. npm ci, then npm test runs it with Newman.
//
// The library that the scripts call stands in the collection's own scripts, which run before those of each request:
// what they assign to an undeclared name is there in all of them. Nothing is evaluated from a text.
func Write(p plan.Plan) ([]suite.File, error) {
	w := newPostmanWriter(p)
	items := w.folders()
	collection, err := w.collection(items)
	if err != nil {
		return nil, fmt.Errorf("write Postman collection: %w", err)
	}
	environment, err := w.environment(func(name string) string { return p.Secrets[name] })
	if err != nil {
		return nil, fmt.Errorf("write Postman collection: %w", err)
	}
	example, err := w.environment(func(string) string { return "" })
	if err != nil {
		return nil, fmt.Errorf("write Postman collection: %w", err)
	}
	files := append(w.files,
		suite.File{Name: ".gitignore", Data: []byte("node_modules/\nenvironment.json\nbodies/*.secret\n"), Perm: 0o644},
		suite.File{Name: "collection.json", Data: collection, Perm: 0o644},
		suite.File{Name: "environment.json", Data: environment, Perm: 0o600},
		suite.File{Name: "environment.example.json", Data: example, Perm: 0o644},
	)
	for _, name := range []string{"newman.js", "package.json", "package-lock.json"} {
		data, err := runtime.ReadFile("runtime/" + name)
		if err != nil {
			return nil, fmt.Errorf("write Postman collection: %w", err)
		}
		files = append(files, suite.File{Name: name, Data: data, Perm: 0o644})
	}
	slices.SortFunc(files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// writer writes one collection.
type writer struct {
	plan    plan.Plan
	common  plan.Common
	names   map[string]string // of variables: of bound values, and of secrets
	baseURL string            // the name of that variable
	escapes map[[2]string]bool
	literal map[string]bool // what stands in double braces in the recording, and is no variable
	files   []suite.File
	written map[string]bool
}

// newPostmanWriter chooses names for the variables: none that a recorded text has in double braces.
func newPostmanWriter(p plan.Plan) *writer {
	w := &writer{
		plan: p, common: plan.CommonOf(p),
		names: map[string]string{}, escapes: map[[2]string]bool{}, literal: map[string]bool{}, written: map[string]bool{},
	}
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			for _, text := range s.Texts() {
				w.braces(text)
			}
		}
	}
	for _, v := range p.Bound {
		w.braces(v.Recorded)
	}
	free := func(name string) string {
		for w.literal[name] {
			name += "_"
		}
		return name
	}
	for _, v := range p.Bound {
		w.names[v.Name] = free(v.Name)
	}
	for name := range p.Secrets {
		w.names[name] = free(name)
	}
	w.baseURL = free("baseUrl")
	return w
}

var inBraces = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// braces notes what Postman would take for variables in a recorded text.
func (w *writer) braces(t plan.Text) {
	var b strings.Builder
	for _, p := range t {
		if p.IsLiteral() {
			b.WriteString(p.Literal)
		} else {
			b.WriteByte(0)
		}
	}
	for _, m := range inBraces.FindAllStringSubmatch(b.String(), -1) {
		w.literal[m[1]] = true
	}
}

// The parts of a collection, as its schema names them.
type (
	collectionItem struct {
		ID          string           `json:"id"`
		Name        string           `json:"name"`
		Description string           `json:"description,omitempty"`
		Items       []collectionItem `json:"item,omitzero"`
		Request     *request         `json:"request,omitempty"`
		Events      []event          `json:"event,omitempty"`
		Behavior    map[string]any   `json:"protocolProfileBehavior,omitempty"`
		Variables   []variable       `json:"variable,omitempty"`
	}
	request struct {
		Method string       `json:"method"`
		Header []header     `json:"header"`
		Body   *requestBody `json:"body,omitempty"`
		URL    string       `json:"url"`
	}
	header struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	requestBody struct {
		Mode string    `json:"mode"`
		Raw  *string   `json:"raw,omitempty"`
		File *bodyFile `json:"file,omitempty"`
	}
	bodyFile struct {
		Src string `json:"src"`
	}
	event struct {
		Listen string      `json:"listen"`
		Script eventScript `json:"script"`
	}
	eventScript struct {
		Type string   `json:"type"`
		Exec []string `json:"exec"`
	}
	variable struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Type        string `json:"type,omitempty"`
		Enabled     bool   `json:"enabled,omitempty"`
		Description string `json:"description,omitempty"`
	}
)

func exec(listen string, lines []string) event {
	return event{listen, eventScript{"text/javascript", lines}}
}

// id is an identity that is the same in each writing: made of names.
func id(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// systemHeaders are those that Postman adds to requests and that were not in the recorded ones.
func systemHeaders() map[string]bool {
	return map[string]bool{
		"accept": true, "accept-encoding": true, "cache-control": true, "connection": true, "content-type": true,
		"postman-token": true, "user-agent": true,
	}
}

const aboutText = `Made by flaketap from a recording.

Run it with Newman: npm ci, then npm test, with FLAKETAP_URL=http://127.0.0.1:8080 for another address than ` +
	`the recorded one. Or by hand:

    newman run collection.json --environment environment.json --env-var baseUrl=http://127.0.0.1:8080

In Postman, import collection.json and environment.json, and choose the environment. It holds the credentials ` +
	`that the requests send.`

// aboutCommon says where the shared checks are.
const aboutCommon = "\n\nWhat most answers have in common is asserted by checkCommon, at the end of the script that " +
	"the collection runs after each request (Scripts, Post-response)."

// collection is the file of the collection.
func (w *writer) collection(items []collectionItem) ([]byte, error) {
	library, err := w.library()
	if err != nil {
		return nil, err
	}
	before, err := w.before()
	if err != nil {
		return nil, err
	}
	about := aboutText
	if len(w.common.Headers) > 0 {
		about += aboutCommon
	}
	variables := []variable{{Key: w.baseURL, Value: w.plan.Target}}
	for _, v := range w.plan.Bound {
		variables = append(variables, variable{Key: w.names[v.Name], Value: w.text(v.Recorded),
			Description: plan.Visible(v.From)})
	}
	return plan.PrettyJSON(struct {
		Info struct {
			ID          string `json:"_postman_id"`
			Name        string `json:"name"`
			Description string `json:"description"`
			Schema      string `json:"schema"`
		} `json:"info"`
		Items     []collectionItem `json:"item"`
		Events    []event          `json:"event"`
		Variables []variable       `json:"variable"`
		Behavior  map[string]any   `json:"protocolProfileBehavior"`
	}{
		struct {
			ID          string `json:"_postman_id"`
			Name        string `json:"name"`
			Description string `json:"description"`
			Schema      string `json:"schema"`
		}{id(w.plan.Target), "flaketap", about,
			"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		items, []event{exec("prerequest", before), exec("test", library)}, variables,
		map[string]any{
			"followRedirects": false, "disableBodyPruning": true, "disableUrlEncoding": true, "disableCookies": true,
			"disabledSystemHeaders": systemHeaders(),
		},
	})
}

// environment is the file of the secrets, with the values that are said of their names.
func (w *writer) environment(value func(string) string) ([]byte, error) {
	values := []variable{}
	for name := range w.plan.Secrets {
		values = append(values, variable{Key: w.names[name], Value: value(name), Type: "secret", Enabled: true})
	}
	slices.SortFunc(values, func(a, b variable) int { return strings.Compare(a.Key, b.Key) })
	return plan.PrettyJSON(struct {
		ID     string     `json:"id"`
		Name   string     `json:"name"`
		Values []variable `json:"values"`
		Scope  string     `json:"_postman_variable_scope"`
	}{id(w.plan.Target, "environment"), "flaketap", values, "environment"})
}

// modules bundles files of the library: each is a function that is called when it is first needed.
func modules(files []suite.File) []string {
	out := []string{"const modules = {"}
	for _, f := range files {
		out = append(out, `"./`+strings.TrimSuffix(f.Name, ".js")+`": (module, require) => {`)
		for line := range strings.Lines(string(f.Data)) {
			line = strings.TrimRight(line, "\n")
			if bare := strings.TrimSpace(line); bare == "" || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/**") ||
				strings.HasPrefix(bare, "* ") || bare == "*/" {
				continue
			}
			out = append(out, line)
		}
		out = append(out, "},")
	}
	return append(out, "};",
		"const loaded = {};",
		"const load = (name) => {",
		"  if (!modules[name]) return require(name);",
		"  if (!loaded[name]) {",
		"    loaded[name] = {};",
		"    modules[name](loaded[name], load);",
		"  }",
		"  return loaded[name].exports;",
		"};")
}

// texts is the module of the library that runs before requests; the others run before the scripts of answers.
const texts = "texts.js"

// library is the script that runs before that of each answer.
func (w *writer) library() ([]string, error) {
	library, err := javascript.Library()
	if err != nil {
		return nil, err
	}
	own, err := runtime.ReadFile("runtime/postman.js")
	if err != nil {
		return nil, err
	}
	library = slices.DeleteFunc(library, func(f suite.File) bool { return f.Name == texts })
	lines := modules(append(library, suite.File{Name: "postman.js", Data: own}))
	head := []string{"// The library of the tests: it is not declared, so that the scripts of all requests see it."}
	return slices.Concat(head, lines, []string{`flaketap = load("./postman");`}, w.commonChecks()), nil
}

// commonChecks is the function of what most answers have in common, which stands below the library.
func (w *writer) commonChecks() []string {
	if len(w.common.Headers) == 0 {
		return nil
	}
	b := &scripter{w: w}
	b.line("// What most answers have in common. The script of a request calls it, and asserts all else by itself.")
	if w.common.Excepts {
		b.line("// The last argument names the headers that this answer lacks, or has otherwise.")
		b.line("checkCommon = (t, status, but = []) => {")
	} else {
		b.line("checkCommon = (t, status) => {")
	}
	b.indent = 2
	b.line("t.status(status);")
	for _, h := range w.common.Headers {
		if w.common.Excepts {
			b.line("if (!but.includes(" + literal.PrettyJavaScript(h.Name) + ")) {")
			b.indent = 4
		}
		for i := range h.Checks {
			b.check(&h.Checks[i])
		}
		if b.indent = 2; w.common.Excepts {
			b.line("}")
		}
	}
	b.indent = 0
	b.line("};")
	return b.lines
}

// before is the script that runs before each request: it escapes values as requests need them. What the recording has
// in double braces is a variable that stands for itself, so that it goes out as it is.
func (w *writer) before() ([]string, error) {
	library, err := javascript.Library()
	if err != nil {
		return nil, err
	}
	lines := modules(slices.DeleteFunc(library, func(f suite.File) bool { return f.Name != texts }))
	var escapes, literal javascript.Node
	escapes.Kind, literal.Kind = javascript.Array, javascript.Array
	var keys [][2]string
	for k := range w.escapes {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		escapes.Parts = append(escapes.Parts, javascript.List(javascript.String(k[0]), javascript.String(k[1])))
	}
	var names []string
	for n := range w.literal {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		literal.Parts = append(literal.Parts, javascript.String(n))
	}
	add := func(text string) { lines = append(lines, strings.Split(text, "\n")...) }
	if len(names) > 0 {
		add("for (const name of " + literal.Write(0, len("for (const name of "), 3) +
			") {\n  pm.variables.set(name, `{{${name}}}`);\n}")
	}
	if len(keys) > 0 {
		add("for (const [name, escape] of " + escapes.Write(0, len("for (const [name, escape] of "), 3) +
			") {\n  const value = pm.variables.replaceIn(`{{${name}}}`);\n  pm.variables.set(`${name}.${escape}`, load(\"./texts\")[escape](value));\n}")
	}
	return lines, nil
}

// text is a text with variables in double braces.
func (w *writer) text(t plan.Text) string {
	var b strings.Builder
	for _, p := range t {
		name := w.names[cmp.Or(p.Bound, p.Secret)]
		how := map[plan.Escape]string{plan.InPath: "inPath", plan.InQuery: "inQuery", plan.InJSON: "inJSON",
			plan.AsJSON: "asJSON"}[p.Escape]
		switch {
		case p.IsLiteral():
			b.WriteString(p.Literal)
		case how != "":
			w.escapes[[2]string{name, how}] = true
			b.WriteString("{{" + name + "." + how + "}}")
		default:
			b.WriteString("{{" + name + "}}")
		}
	}
	return b.String()
}

// file keeps a body that is no text in a file of its own, and returns its name; ok is false where it cannot be had.
func (w *writer) file(s *plan.Step) (name string, ok bool) {
	f := suite.File{Name: fmt.Sprintf("bodies/%d.bin", s.Seq), Data: s.Body.Bytes, Perm: 0o644}
	if f.Data == nil {
		data, err := base64.StdEncoding.DecodeString(w.plan.Secrets[s.Body.Text[0].Secret])
		if err != nil {
			return "", false
		}
		f = suite.File{Name: fmt.Sprintf("bodies/%d.secret", s.Seq), Data: data, Perm: 0o600}
	}
	if !w.written[f.Name] {
		w.written[f.Name] = true
		w.files = append(w.files, f)
	}
	return f.Name, true
}

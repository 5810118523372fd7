package jest

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

//go:embed runtime
var runtime embed.FS

// mocksFile is that of the runtime which only tests need that say what external services answer.
const mocksFile = "mocks.js"

// Write writes a plan as a project for Jest: npm ci, then npm test. A file holds the tests of a group. Requests go by
// fetch; what that cannot send as it was recorded goes by node:http, and a comment says why.
//
// The files pass Prettier's check with its defaults. Secrets are in secrets.json alone, which is for the owner's eyes.
func Write(p plan.Plan) ([]suite.File, error) {
	w := &writer{plan: p, common: plan.CommonOf(p), headers: p.SharedHeaders()}
	files := w.tests()
	order := make([]string, len(files))
	for i, f := range files {
		order[i] = f.Name
	}
	recorded, err := w.recorded(order)
	if err != nil {
		return nil, fmt.Errorf("write Jest project: %w", err)
	}
	secrets, err := plan.SecretsFile(p)
	if err != nil {
		return nil, err
	}
	if len(w.common.Headers) > 0 {
		files = append(files, suite.File{Name: "common.js", Data: []byte(w.commonChecks()), Perm: 0o644})
	}
	library, err := javascript.Library()
	if err != nil {
		return nil, err
	}
	for _, f := range library {
		f.Name = "flaketap/" + f.Name
		files = append(files, f)
	}
	entries, err := runtime.ReadDir("runtime")
	if err != nil {
		return nil, fmt.Errorf("write Jest project: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == mocksFile && len(p.Mocks) == 0 {
			continue
		}
		data, err := runtime.ReadFile("runtime/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("write Jest project: %w", err)
		}
		name := entry.Name()
		if strings.HasSuffix(name, ".js") {
			name = "flaketap/" + name
		}
		files = append(files, suite.File{Name: name, Data: data, Perm: 0o644})
	}
	files = append(files,
		suite.File{Name: ".gitignore", Data: []byte("node_modules/\nsecrets.json\n"), Perm: 0o644},
		suite.File{Name: "recorded.json", Data: recorded, Perm: 0o644},
		secrets,
	)
	slices.SortFunc(files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// recorded is the file that says where the recording was made, what its answers gave, and how the files follow each
// other.
func (w *writer) recorded(files []string) ([]byte, error) {
	bound := make(map[string]any, len(w.plan.Bound))
	for _, v := range w.plan.Bound {
		if bound[v.Name] = recordedText(v.Recorded); v.Fresh {
			bound[v.Name] = nil
		}
	}
	values, err := plan.PrettyJSON(bound)
	if err != nil {
		return nil, err
	}
	target, err := json.Marshal(w.plan.Target)
	if err != nil {
		return nil, err
	}
	list := javascript.Node{Kind: javascript.Array}
	for _, name := range files { // of a-z, 0-9 and _: a literal of JavaScript is one of JSON
		list.Parts = append(list.Parts, javascript.String(name))
	}
	order := strings.ReplaceAll(list.Write(2, len(`  "files": `), 1), ",\n  ]", "\n  ]")
	type header struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	}
	usual := []header{}
	for _, h := range w.headers {
		usual = append(usual, header{h.Name, recordedText(h.Value)})
	}
	headers, err := plan.PrettyJSON(usual)
	if err != nil {
		return nil, err
	}
	indented := func(json []byte) string { return strings.ReplaceAll(strings.TrimSpace(string(json)), "\n", "\n  ") }
	return fmt.Appendf(nil, "{\n  \"target\": %s,\n  \"files\": %s,\n  \"headers\": %s,\n  \"bound\": %s\n}\n", target, order,
		indented(headers), indented(values)), nil
}

// recordedText is a text as JSON has it: a string, or pieces of which some are secrets.
func recordedText(t plan.Text) any {
	type piece struct {
		Text   *string `json:"text,omitempty"`
		Secret string  `json:"secret,omitempty"`
	}
	if text, ok := t.Constant(); ok {
		return text
	}
	var pieces []piece
	for _, p := range t {
		if p.Secret != "" {
			pieces = append(pieces, piece{Secret: p.Secret})
		} else {
			pieces = append(pieces, piece{Text: &p.Literal})
		}
	}
	return pieces
}

// writer writes the files of tests.
type writer struct {
	plan    plan.Plan
	common  plan.Common
	headers []plan.Header // those that go with each request
}

func (w *writer) tests() []suite.File {
	names, tests := plan.Groups(plan.Together(w.plan.Tests))
	var files []suite.File
	for _, g := range names {
		_, setUps := plan.SharedSetUps(tests[g])
		f := &testFile{common: w.common, headers: w.headers, setUps: setUps,
			used: map[string]bool{}, mocks: map[string]bool{}, once: map[uint64]string{}}
		for _, t := range tests[g] {
			f.test(t)
		}
		files = append(files, suite.File{Name: g + ".test.js", Data: []byte(f.text()), Perm: 0o644})
	}
	return files
}

// testFile writes one file of tests.
type testFile struct {
	common  plan.Common
	headers []plan.Header     // those that go with each request
	calls   bool              // it asserts what most answers have in common
	used    map[string]bool   // what is imported
	mocks   map[string]bool   // what of mocks.js is imported
	setUps  map[uint64]string // by exchange, words for the set-ups that tests share
	once    map[uint64]string // their functions, of those that were written
	shared  []string          // their code
	body    []string
}

// use notes that a name of the library is used, and returns it.
func (f *testFile) use(name string) string {
	f.used[name] = true
	return name
}

func (f *testFile) text() string {
	head := "// Made by flaketap from a recording. The tests run in the order in which they stand.\n\n" + f.imports()
	return head + strings.Join(f.shared, "") + strings.Join(f.body, "")
}

// imports writes what the file requires.
func (f *testFile) imports() string {
	var names []string
	for n := range f.used {
		names = append(names, n)
	}
	slices.Sort(names)
	head := ""
	if imports := "const { " + strings.Join(names, ", ") +
		" } = require(\"./flaketap/flaketap\");"; len(imports) <= javascript.Width {
		head += imports + "\n"
	} else {
		head += "const {\n  " + strings.Join(names, ",\n  ") + ",\n} = require(\"./flaketap/flaketap\");\n"
	}
	if len(f.mocks) > 0 {
		head += "const { " + strings.Join(slices.Sorted(maps.Keys(f.mocks)), ", ") + " } = require(\"./flaketap/mocks\");\n"
	}
	if f.calls {
		head += "const { expectCommon } = require(\"./common\");\n"
	}
	return head
}

// test writes one test. What takes away what it made is sent whether it passes or not.
func (f *testFile) test(t plan.Test) {
	f.use("send") // a file without imports would be none of Prettier's making
	b := &block{file: f, indent: 2}
	var main, cleanUp []plan.Step
	for _, s := range t.Steps {
		if s.Role == plan.CleanUp {
			cleanUp = append(cleanUp, s)
		} else {
			main = append(main, s)
		}
	}
	sent := 0
	for _, s := range main {
		if s.Left == "" && !s.Once && s.Ending == plan.Answered && javascript.Unsendable(&s) == "" {
			sent++
		}
	}
	b.let = sent > 1
	declare := "test"
	if t.Mock != "" {
		f.mocks["loadMocks"] = true
		b.line("await loadMocks(" + literal.PrettyJavaScript(t.Mock) + ");")
		b.blank()
	}
	if t.Hangs() {
		declare = "testHang"
		f.mocks[declare] = true
	}
	if len(cleanUp) > 0 {
		b.line("try {")
		b.indent += 2
	}
	for i, s := range main {
		if i > 0 {
			b.blank()
		}
		b.step(&s)
	}
	if len(cleanUp) > 0 {
		b.indent -= 2
		b.line("} finally {")
		b.indent += 2
		for i, s := range cleanUp {
			if i > 0 {
				b.blank()
			}
			b.step(&s)
		}
		b.indent -= 2
		b.line("}")
	}
	out := "\n"
	for _, line := range t.About {
		out += "// " + plan.Visible(line) + "\n"
	}
	f.body = append(f.body, out+declare+"("+literal.PrettyJavaScript(t.Name)+", async () => {\n"+strings.Join(b.lines,
		"")+"});\n")
}

// share returns the name of the function that sends a set-up which is needed but once.
func (f *testFile) share(s *plan.Step) string {
	if name, ok := f.once[s.Seq]; ok {
		return name
	}
	name := plan.LowerCamel(f.setUps[s.Seq])
	f.once[s.Seq] = name
	b := &block{file: f, indent: 2, sharing: true}
	b.step(s)
	f.shared = append(f.shared, "\nconst "+name+" = "+f.use("once")+"(async () => {\n"+strings.Join(b.lines, "")+"});\n")
	return name
}

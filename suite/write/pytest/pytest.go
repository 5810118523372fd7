package pytest

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

//go:embed runtime/*.py
var runtime embed.FS

// The versions that the generated project is pinned to.
const (
	version          = "9.2.0"
	brotliVersion    = "1.2.1"
	zstandardVersion = "0.25.0"
)

// pyproject says how the tests are run and how the files are formatted.
const pyproject = `[tool.pytest.ini_options]
minversion = "7.0"
testpaths = ["."]

[tool.ruff]
line-length = 120

[tool.black]
line-length = 120
`

// pluginLine is that of conftest.py which names the modules of fixtures that a project may have.
const pluginLine = `pytest_plugins = ["flaketap_setups", "flaketap_mocks"]` + "\n"

// Write writes a plan as a pytest project, which needs pytest and nothing else.
func Write(p plan.Plan) ([]suite.File, error) {
	var files []suite.File
	add := func(name, text string) {
		files = append(files, suite.File{Name: name, Data: []byte(text), Perm: 0o644})
	}
	w := &writer{plan: p, common: plan.CommonOf(p), headers: p.SharedHeaders()}
	var steps []plan.Step
	steps, w.shared = plan.SharedSetUps(p.Tests)
	names, by := plan.Groups(p.Tests)
	for _, group := range names {
		add("test_"+group+".py", w.file(by[group]))
	}
	add("flaketap_recorded.py", w.recorded())
	var plugins []string
	if len(steps) > 0 {
		plugins = append(plugins, "flaketap_setups")
		add("flaketap_setups.py", w.setUps(steps))
	}
	own := []string{"conftest.py", "flaketap_checks.py", "flaketap_client.py"}
	if len(p.Mocks) > 0 {
		plugins = append(plugins, "flaketap_mocks")
		own = append(own, "flaketap_mocks.py")
	}
	unused := []string{pluginLine, ""} // lines of conftest.py
	if len(plugins) > 0 {
		unused[1] = "pytest_plugins = " + list().with(quoted(plugins)).flat() + "\n"
	}
	if len(w.common.Headers) > 0 {
		add("flaketap_common.py", w.commonChecks())
	} else {
		unused = append(unused, `pytest.register_assert_rewrite("flaketap_common")`+"\n", "")
	}
	for _, name := range own {
		data, err := runtime.ReadFile("runtime/" + name)
		if err != nil {
			return nil, err
		}
		text := strings.NewReplacer(unused...).Replace(string(data))
		add(name, text)
	}
	add("pyproject.toml", pyproject)
	add("requirements.txt", requirements(p.Codings))
	add(".gitignore", "secrets.json\n__pycache__/\n.pytest_cache/\n")
	secrets, err := plan.SecretsFile(p)
	return append(files, secrets), err
}

// requirements names pytest, and what reads the answers whose content coding the standard library does not know.
func requirements(codings []string) string {
	out := "pytest==" + version + "\n"
	for _, c := range codings {
		switch c {
		case "br":
			out += "brotli==" + brotliVersion + "\n"
		case "zstd":
			out += "zstandard==" + zstandardVersion + "\n"
		}
	}
	return out
}

// writer writes one project.
type writer struct {
	plan   plan.Plan
	common plan.Common
	shared map[uint64]string // the names of the shared set-ups, by exchange
	// what the client sends with each request
	headers []plan.Header
	indent  int // how far in what is being written stands
}

// file writes a file of tests.
func (w *writer) file(tests []plan.Test) string {
	var body []string
	for _, t := range tests {
		body = append(append(body, "", ""), w.test(t)...)
	}
	return pyHead(`Made by flaketap from a recording. Each test runs by itself: it creates what it needs.`, body) +
		strings.Join(body, "\n") + "\n"
}

// pyHead is what a file begins with: what it is, and the imports that its body uses.
func pyHead(about string, body []string) string {
	text := strings.Join(body, "\n")
	used := func(module string, names ...string) string {
		var out []string
		for _, n := range names {
			if uses(text, n) {
				out = append(out, n)
			}
		}
		if len(out) == 0 {
			return ""
		}
		one := "from " + module + " import " + strings.Join(out, ", ") + "\n"
		if len(one) > lineWidth {
			one = "from " + module + " import (\n    " + strings.Join(out, ",\n    ") + ",\n)\n"
		}
		return one
	}
	head := `"""` + about + `"""` + "\n"
	if uses(text, "Decimal") {
		head += "\nfrom decimal import Decimal\n"
	}
	if strings.Contains(text, "@pytest.fixture") || strings.Contains(text, "pytest.skip(") {
		head += "\nimport pytest\n"
	}
	ours := used("flaketap_checks", "answers", "at", "has_digest", "has_items", "has_keys", "holds", "is_text", "like", "masked",
		"related", "same_items", "sha256", "text_at", "texts_at") +
		used("flaketap_client", "Pairs", "as_json", "from_base64", "in_json", "in_path", "in_query", "parse_json", "secret") +
		used("flaketap_common", "check_common")
	if ours != "" && !strings.Contains(head, "import pytest") {
		head += "\n"
	}
	return head + ours
}

// uses reports whether a text calls a function of that name.
func uses(text, name string) bool {
	return regexp.MustCompile(`(^|[^A-Za-z0-9_.])` + name + `\(`).MatchString(text)
}

// test writes one test function.
func (w *writer) test(t plan.Test) []string {
	args := []string{"api", "bound"}
	var body, clean []string
	w.indent = 4
	if slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Role == plan.CleanUp }) {
		w.indent = 8
	}
	if t.Mock != "" {
		args = append(args, "mocks")
		body = append(body, load(&t), "")
	}
	for _, s := range t.Steps {
		switch {
		case s.Once:
			args = append(args, w.shared[s.Seq])
		case s.Role == plan.CleanUp:
			clean = append(clean, "# Clean-up: "+plan.Visible(s.Title))
			clean = append(clean, w.cleanUp(s)...)
		default:
			body = append(body, w.step(s)...)
			body = append(body, "")
		}
	}
	for len(body) > 0 && body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	if len(clean) > 0 {
		body = append(append(append([]string{"try:"}, indented(body)...), "finally:"), indented(clean)...)
	}
	out := list().with(args).lines(0, "def test_"+t.Name, ":")
	out[0] = strings.Replace(out[0], "[", "(", 1)
	out[len(out)-1] = strings.Replace(out[len(out)-1], "]:", "):", 1)
	about := t.About
	if len(body) == 0 {
		about = append([]string{"What the test is about is sent and checked by its fixture."}, about...)
	}
	out = append(out, docstring(about)...)
	return append(out, indented(body)...)
}

// load writes what has external services answer as the test needs it.
func load(t *plan.Test) string {
	if t.Hangs() {
		return "mocks.load(" + literal.Python(t.Mock) + ", hangs=True)"
	}
	return "mocks.load(" + literal.Python(t.Mock) + ")"
}

// with fills a list with texts.
func (e expr) with(texts []string) expr {
	for _, t := range texts {
		e.items = append(e.items, atom(t))
	}
	return e
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = "    " + l
		}
	}
	return out
}

// docstring says what a test does.
func docstring(lines []string) []string {
	quotes := strings.NewReplacer(`\`, "/", `"`, "'")
	clean := func(line string) string { return quotes.Replace(plan.Visible(line)) }
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return []string{`    """` + clean(lines[0]) + `."""`}
	}
	out := []string{`    """` + clean(lines[0])}
	for _, l := range lines[1:] {
		out = append(out, "    "+clean(l))
	}
	return append(out, `    """`)
}

// step writes the sending of one request, what is kept of the answer, and what is asserted.
func (w *writer) step(s plan.Step) []string {
	if s.Left != "" {
		return []string{"# " + plan.Visible(s.Title+" is left out: "+s.Left) + "."}
	}
	head := "# " + plan.Visible(s.Title)
	if s.Role == plan.SetUp {
		head = "# Set-up: " + plan.Visible(s.Title)
	}
	out := []string{head}
	if s.Role == plan.SetUp && len(s.Given) > 0 {
		out = append(out, "bound.require("+strings.Join(quoted(s.Given), ", ")+")")
	}
	if s.Ending != plan.Answered {
		return append(out, w.ends(s)...)
	}
	out = append(out, w.send(s, "res = ")...)
	s = w.common.Fold(s)
	return append(out, w.statements(s.Statements())...)
}

// capture writes how a value is kept.
func (w *writer) capture(c *plan.Capture) []string {
	how := "take"
	if c.Find {
		how = "find"
	}
	return w.laid(call("bound."+how+"(", atom(literal.Python(c.Name)), atom("res"),
		atom(literal.Python(string(c.Place)))), "", "")
}

// cleanUp writes a request that takes away what the test made, if it was made.
func (w *writer) cleanUp(s plan.Step) []string {
	if len(s.Given) == 0 {
		return w.send(s, "")
	}
	send := w.within(func() []string { return w.send(s, "") })
	return append([]string{"if bound.given(" + strings.Join(quoted(s.Given), ", ") + "):"}, send...)
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = literal.Python(name)
	}
	return out
}

// recorded writes the module of what was recorded.
func (w *writer) recorded() string {
	out := []string{`"""Where the recording was made, and the values that its answers gave."""`}
	var values []string
	for _, v := range w.plan.Bound {
		value := w.text(v.Recorded).flat()
		if v.Fresh {
			value = "this_run()"
		} else if uses(value, "secret") {
			value = "lambda: " + value // it may be missing, and only tests that need it are to fail
		}
		line := "    " + literal.Python(v.Name) + ": " + value + ","
		if v.From != "" {
			line += "  # " + plan.Visible(v.From)
		}
		values = append(values, line)
	}
	headers := w.pairs(w.headers).flat()
	var used []string
	for _, name := range []string{"secret", "this_run"} {
		if strings.Contains(strings.Join(values, "\n")+headers, name+"(") {
			used = append(used, name)
		}
	}
	if len(used) > 0 {
		out = append(out, "", "from flaketap_client import "+strings.Join(used, ", "))
	}
	out = append(out, "", "TARGET = "+literal.Python(w.plan.Target), "")
	if len(values) == 0 {
		out = append(out, "BOUND = {}")
	} else {
		out = append(append(append(out, "BOUND = {"), values...), "}")
	}
	w.indent = 4
	out = append(out, "", "", "def headers():", `    """What goes with each request."""`)
	out = append(out, indented(w.laid(w.pairs(w.headers), "return ", ""))...)
	return strings.Join(out, "\n") + "\n"
}

// setUps writes the module of the set-ups that tests share, a fixture each.
func (w *writer) setUps(steps []plan.Step) string {
	var body []string
	w.indent = 4
	for _, s := range steps {
		args := []string{"api", "shared"}
		args = append(args, w.dependsOn(s, steps)...)
		body = append(body, "", "", `@pytest.fixture(scope="session")`, "def "+w.shared[s.Seq]+"("+strings.Join(args,
			", ")+"):")
		body = append(body, docstring([]string{s.Title + ": sent once, for all tests"})...)
		lines := indented(w.step(s)[1:])
		if slices.ContainsFunc(lines, func(l string) bool {
			return strings.Contains(l, "bound[") ||
				strings.Contains(l, "bound.")
		}) {
			body = append(body, "    bound = shared")
		}
		body = append(body, lines...)
	}
	text := pyHead("What tests share, sent once for all of them.", body) + strings.Join(body, "\n")
	return strings.TrimRight(text, "\n") + "\n"
}

// dependsOn names the shared set-ups that give what one of them uses.
func (w *writer) dependsOn(s plan.Step, all []plan.Step) []string {
	used := map[string]bool{}
	texts := []plan.Text{s.Target}
	for _, h := range s.Headers {
		texts = append(texts, h.Value)
	}
	if s.Body != nil {
		texts = append(texts, s.Body.Text)
	}
	for _, t := range texts {
		for _, p := range t {
			used[p.Bound] = true
		}
	}
	var out []string
	for _, other := range all {
		for _, c := range other.Captures {
			if other.Seq != s.Seq && used[c.Name] {
				out = append(out, w.shared[other.Seq])
				break
			}
		}
	}
	return out
}

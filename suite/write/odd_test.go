package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// oddTexts are what recordings may hold, and what means something in a file that a text is written into.
func oddTexts() []string {
	return []string{
		"\x00", "\x01\x1b[31m\x7f", "\r", "\n", "\u0085\u00a0", "\u2028\u2029", "\u202e\ufeff", "\ufffd\ufffe", "\U000e0001😀", "\\u0000 \\x \\N{DASH} \\",
		"'''\"\"\"", "\"", "${x} $x #{x} {{x}} {x}", "*/ /* <!-- </script>", "`", strings.Repeat("long ", 2000), strings.Repeat("x", 5000),
		strings.Repeat("\x00\\", 500), `C:\users \u12`, "# // -- ;",
	}
}

// odd puts a text into all texts of a plan that came from the recording.
func odd(p plan.Plan, text string) plan.Plan {
	for i := range p.Bound {
		p.Bound[i].From += text
	}
	oddValue(reflect.ValueOf(&p.Tests).Elem(), text)
	oddValue(reflect.ValueOf(&p.Bound).Elem(), text)
	return p
}

func oddValue(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			oddValue(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			oddValue(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			oddField(v.Type().Field(i).Name, v.Field(i), text)
		}
	}
}

// oddField puts a text into a member of a struct, by its name: names of a plan are fit for any language.
func oddField(name string, v reflect.Value, text string) {
	switch name {
	case "About", "Keys":
		for i := range v.Len() {
			v.Index(i).SetString(v.Index(i).String() + text)
		}
	case "Literal", "Title", "Left", "Why", "Off":
		if v.String() != "" {
			v.SetString(v.String() + text)
		}
	case "JSON":
		if v.Len() > 0 && bytes.Contains(v.Bytes(), []byte("é")) {
			token := literal.JSON("odd" + text)
			v.SetBytes(bytes.Replace(v.Bytes(), []byte(`"é"`), []byte(token+`,{`+token+`:"\ud800"}`), 1))
		}
	case "Place":
		if place := exchange.Place(v.String()); v.Kind() == reflect.String && strings.HasPrefix(string(place), "/body/") && !strings.Contains(string(place), "@") {
			v.SetString(string(place.Key("k" + text)))
		}
	case "Steps", "Captures", "Checks", "Headers", "Body", "Wait", "Text", "Target", "Value", "Recorded", "Lines", "Tests":
		oddValue(v, text)
	}
}

// TestOddTexts: whatever texts a recording holds, the files of a project are texts, and read by what reads their
// language, where that is there; strings of theirs hold the texts as they were.
func TestOddTexts(t *testing.T) {
	needs.OnCI(t, "python3", "node")
	all := map[string]map[string]string{"python3": {}, "node": {}}
	for n, text := range oddTexts() {
		for _, form := range Names() {
			files, err := Write(form, odd(samplePlan(), text))
			if err != nil {
				t.Errorf("%d: %q: %s: %v", n, text[:min(len(text), 20)], form, err)
			}
			for _, f := range files {
				if why := untextual(f); why != "" {
					t.Errorf("%d: %q: %s: %s: %s", n, text[:min(len(text), 20)], form, f.Name, why)
				}
				switch filepath.Ext(f.Name) {
				case ".py":
					all["python3"][fmt.Sprintf("%d %s", n, f.Name)] = string(f.Data)
				case ".js":
					all["node"][fmt.Sprintf("%d %s", n, f.Name)] = string(f.Data)
				}
				if f.Name == "collection.json" {
					all["node"][fmt.Sprintf("%d %s", n, f.Name)] = strings.Join(scriptsOf(t, f.Data), "\n}\n{\n")
				}
			}
			if form == "go" {
				holdsText(t, n, goStrings(t, files))
			}
		}
	}
	readBy(t, nodeReader, "node", all["node"])
	if found := readBy(t, pythonReader, "python3", all["python3"]); found != nil {
		for n := range oddTexts() {
			holdsText(t, n, found[strconv.Itoa(n)])
		}
	}
}

// scriptsOf are the scripts of a collection of Postman.
func scriptsOf(t *testing.T, collection []byte) (out []string) {
	t.Helper()
	var items any
	if err := json.Unmarshal(collection, &items); err != nil {
		t.Fatal(err)
	}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			lines, is := v["exec"].([]any)
			var script strings.Builder
			for _, line := range lines {
				fmt.Fprintln(&script, line)
			}
			if is {
				out = append(out, script.String())
			}
			for _, x := range v {
				visit(x)
			}
		}
	}
	visit(items)
	return out
}

// javaCharacter finds what Java would read as a character before all else (JLS, section 3.3), and is none.
var javaCharacter = regexp.MustCompile(`(^|[^\\])(\\\\)*\\u([^0-9a-f]|.[^0-9a-f]|..[^0-9a-f]|...[^0-9a-f])`)

// untextual says why a file is no text for people; "" where it is one. JSON escapes what it has to,
// and a file of Hurl's variables has values as they are.
func untextual(f suite.File) string {
	ext := filepath.Ext(f.Name)
	switch {
	case ext == ".bin":
		return ""
	case !utf8.Valid(f.Data):
		return "it is no UTF-8"
	case ext == ".json" && !json.Valid(f.Data):
		return "it is no JSON"
	case ext == ".json", ext == ".env":
		return ""
	}
	if at := javaCharacter.FindIndex(f.Data); at != nil && ext == ".java" {
		return fmt.Sprintf("it has %q", f.Data[at[0]:min(len(f.Data), at[1]+10)])
	}
	for at, r := range string(f.Data) {
		if r != '\n' && r != '\t' && r != '\u00a0' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("it has %U behind %q", r, f.Data[max(0, at-60):at])
		}
	}
	return ""
}

// holdsText checks that strings of a project hold an odd text, as it is.
func holdsText(t *testing.T, n int, found []string) {
	t.Helper()
	text := oddTexts()[n]
	if n := len(slices.DeleteFunc(found, func(s string) bool { return !strings.Contains(s, text) })); n < 10 {
		t.Errorf("%q: %d strings hold the text", text[:min(len(text), 20)], n)
	}
}

// goStrings are the strings of Go files.
func goStrings(t *testing.T, files []suite.File) (out []string) {
	t.Helper()
	for _, f := range files {
		if filepath.Ext(f.Name) != ".go" {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				s, _ := strconv.Unquote(l.Value)
				out = append(out, s)
			}
			return true
		})
	}
	return out
}

// The readers of files are given them by name, as a JSON object, and print the strings in them by the first word of
// that name, where they can tell.
const (
	pythonReader = `
import ast, json, sys
out = {}
for name, text in json.load(sys.stdin).items():
    found = out.setdefault(name.split()[0], [])
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
json.dump(out, sys.stdout)
`
	nodeReader = `
const files = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const [name, text] of Object.entries(files)) {
  new (require("node:vm").Script)("async (exports, require, module) => {{" + text + "\n}}", { filename: name });
}
console.log("{}");
`
)

// readBy has a program read files; nil where it is not there.
func readBy(t *testing.T, reader, program string, files map[string]string) (found map[string][]string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		return nil
	}
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-e", reader}
	if program == "python3" {
		args = []string{"-W", "error", "-c", reader}
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", program, err, stderr.Bytes()[max(0, stderr.Len()-1000):])
		return nil
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

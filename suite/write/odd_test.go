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

// TestOddTexts: whatever texts a recording holds, the files of a project are texts, and read by what reads their language.
func TestOddTexts(t *testing.T) {
	needs.OnCI(t, "python3")
	for n, text := range oddTexts() {
		for _, form := range Names() {
			files, err := Write(form, odd(samplePlan(), text))
			if err != nil {
				t.Errorf("%d: %s: %v", n, form, err)
				continue
			}
			for _, f := range files {
				if why := untextual(f); why != "" {
					t.Errorf("%d: %q: %s: %s: %s", n, text[:min(len(text), 20)], form, f.Name, why)
				}
			}
			if form == "go" || form == "pytest" {
				holdsText(t, fmt.Sprintf("%d: %q: %s", n, text[:min(len(text), 20)], form), form, files, text)
			}
		}
	}
}

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
	for at, r := range string(f.Data) {
		if r != '\n' && r != '\t' && r != '\u00a0' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("it has %U behind %q", r, f.Data[max(0, at-60):at])
		}
	}
	return ""
}

// holdsText checks that each file of a project is read, and that literals of it hold a text, as it is.
func holdsText(t *testing.T, what, form string, files []suite.File, text string) {
	t.Helper()
	read, err := goStrings, error(nil)
	if form == "pytest" {
		if _, err = exec.LookPath("python3"); err != nil {
			return
		}
		read = pythonStrings
	}
	all, err := read(files)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if n := len(slices.DeleteFunc(all, func(s string) bool { return !strings.Contains(s, text) })); n < 10 {
		t.Errorf("%s: %d literals hold the text", what, n)
	}
}

// goStrings are the string literals of Go files.
func goStrings(files []suite.File) (out []string, err error) {
	for _, f := range files {
		if filepath.Ext(f.Name) != ".go" {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				s, _ := strconv.Unquote(l.Value)
				out = append(out, s)
			}
			return true
		})
	}
	return out, nil
}

// pythonReader prints the strings of Python files, which come as a JSON object by name, as JSON.
const pythonReader = `
import ast, json, sys
out = []
for name, text in json.load(sys.stdin).items():
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            out.append(node.value)
json.dump(out, sys.stdout)
`

// pythonStrings are the string literals of Python files.
func pythonStrings(files []suite.File) (out []string, err error) {
	texts := map[string]string{}
	for _, f := range files {
		if filepath.Ext(f.Name) == ".py" {
			texts[f.Name] = string(f.Data)
		}
	}
	in, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("python3", "-W", "error", "-c", pythonReader)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	found, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%s", strings.Join(lines[max(0, len(lines)-4):], "; "))
	}
	return out, json.Unmarshal(found, &out)
}

package variant

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// Every variant of the labelled APIs fits their source; that each builds is for TestEvalVariants to say.
func TestVariantsFit(t *testing.T) {
	for _, api := range []string{"demoapi", "wardapi"} {
		all, err := Read(root, filepath.Join("..", api, "variants"))
		if err != nil {
			t.Error(err)
		}
		if len(all) == 0 {
			t.Errorf("%s has no variants", api)
		}
	}
}

// A variant that no longer fits its source, or is none, is refused with the name of its file.
func TestRead(t *testing.T) {
	module := t.TempDir()
	source := "package main\n\nfunc main() { println(1) }\n"
	if err := os.WriteFile(filepath.Join(module, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"It prints 2.\n-- main.go: before --\nfunc main() { println(1) }\n-- main.go: after --\nfunc main() { println(2) }\n": "",
		"-- main.go: before --\nx\n-- main.go: after --\ny\n":                                                                 "one line that says",
		"It prints.\n": "no edit",
		"It prints.\n-- main.go: before --\nfunc main() { println(1) }\n":                          "half of one",
		"It prints.\n-- main.go: before --\nno\n-- main.go: after --\ny\n":                         "main.go has the text 0 times",
		"It prints.\n-- main.go: before --\npackage main\n-- main.go: after --\npackage main\n":    "want once",
		"It prints.\n-- a.go: before --\npackage main\n-- main.go: after --\npackage main\n":       "no edit: want FILE",
		"It prints.\n-- none.go: before --\npackage main\n-- none.go: after --\npackage other\n":   "no such file",
		"It prints.\nTwice.\n-- main.go: before --\npackage main\n-- main.go: after --\npackage\n": "one line that says",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "prints.txtar"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := Read(module, dir)
		switch {
		case want == "" && (err != nil || len(all) != 1 || all[0].Name != "prints" || all[0].About != "It prints 2."):
			t.Errorf("%+v, %v", all, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "prints.txtar")):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A build has the edits, and the source has them not.
func TestBuild(t *testing.T) {
	module := t.TempDir()
	source := "package main\n\nfunc main() { print(1) }\n"
	for name, text := range map[string]string{"main.go": source, "go.mod": "module one\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v := Variant{Name: "two", Edits: []Edit{{"main.go", "print(1)", "print(2)"}}}
	file := filepath.Join(t.TempDir(), "two")
	if err := v.Build(t.Context(), module, ".", t.TempDir(), file); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(file).CombinedOutput()
	if err != nil || string(said) != "2" {
		t.Errorf("it says %q, %v", said, err)
	}
	if raw, err := os.ReadFile(filepath.Join(module, "main.go")); err != nil || string(raw) != source {
		t.Errorf("the source is %q, %v", raw, err)
	}
	v.Edits[0].After = "print(3"
	if err := v.Build(t.Context(), module, ".", t.TempDir(), file); err == nil || !strings.Contains(err.Error(), "build variant two") {
		t.Errorf("it builds: %v", err)
	}
}

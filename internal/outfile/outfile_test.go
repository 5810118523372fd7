package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	if err := Write(path, nil, text("first")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := Write(path, nil, func(w io.Writer) error { io.WriteString(w, "half"); return broken }); !errors.Is(err, broken) {
		t.Fatalf("a failure is returned as %v", err)
	}
	if got := read(t, path); got != "first" {
		t.Errorf("a failure left %q", got)
	}
	if err := os.Symlink("out", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, nil, text("second")); err != nil || read(t, path) != "second" {
		t.Errorf("a link was not followed: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("%d files in the folder, want the file and the link", len(entries))
	}
	var out strings.Builder
	if err := Write(Stdout, &out, text("shown")); err != nil || out.String() != "shown" {
		t.Errorf("stdout was given %q, %v", out.String(), err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	there, input := filepath.Join(dir, "there"), filepath.Join(dir, "input")
	for _, path := range []string{there, input} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		path    string
		check   func(string, []string) error
		refusal string
	}{
		{there, Check, ""},
		{there, CheckNew, "--force"},
		{filepath.Join(dir, "new"), CheckNew, ""},
		{filepath.Join(dir, "no", "folder"), Check, "does not exist"},
		{filepath.Join(input, "below"), Check, "input is a file; name a folder"},
		{dir, Check, "it is a folder"},
		{input, Check, "this command reads it"},
		{"", CheckNew, ""},
		{Stdout, CheckNew, ""},
	} {
		err := test.check(test.path, []string{input})
		if test.refusal == "" && err != nil || test.refusal != "" && (err == nil || !strings.Contains(err.Error(), test.refusal)) {
			t.Errorf("%s: got %v, want %q", test.path, err, test.refusal)
		}
	}
	if err := CheckFolder(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with files in it: %v", err)
	}
	if runtime.GOOS != "linux" { // elsewhere no folder is there into which nobody can write
		return
	}
	for path, refusal := range map[string]string{"/proc/new": "write into folder /proc: no such", "/proc/version": "write into folder /proc: no such", os.DevNull: ""} {
		if err := Check(path, nil); refusal == "" && err != nil || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)) {
			t.Errorf("%s: got %v, want %q", path, err, refusal)
		}
	}
}

func TestWriteAllChangesNothingWhereOneFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	files := []File{{Name: "a/one", Data: []byte("1")}, {Name: "two", Data: []byte("2"), Perm: 0o600}}
	if err := WriteAll(dir, files, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "two")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("two: %v, %v", info, err)
	}
	files[0].Data = []byte("changed")
	if err := WriteAll(dir, append(files, File{Name: "a", Data: nil}), nil); err == nil {
		t.Error("a file was written over a folder")
	}
	if got := read(t, filepath.Join(dir, "a", "one")); got != "1" {
		t.Errorf("one file failed, and another is now %q", got)
	}
}

// Whoever reads that a file could not be written knows nothing of the one that was to become it.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "absent", "map.json")
	_, err := Stage(path, 0o644, func(io.Writer) error { return nil })
	if want := "write " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("Stage: %v, want %s", err, want)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Stage(folder, 0o644, func(io.Writer) error { return nil })
	if err == nil {
		err = s.Put()
	}
	if want := "write " + folder + ": file exists"; err == nil || err.Error() != want {
		t.Errorf("Put: %v, want %s", err, want)
	}
}

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{"": "", dir: "", filepath.Join(dir, "new", "one"): "", file: "write into folder FILE: FILE is a file; name a folder",
		filepath.Join(file, "below", "it"): "write into folder FILE/below/it: FILE is a file; name a folder"}
	if runtime.GOOS == "linux" {
		cases["/proc"] = "write into folder /proc: no such file or directory"
		cases["/proc/new/one"] = "make folder /proc/new/one in folder /proc: no such file or directory"
	}
	for path, want := range cases {
		want := strings.ReplaceAll(filepath.FromSlash(want), "FILE", file)
		for what, check := range map[string]func(string) error{"CheckWritable": CheckWritable, "CheckFolder": CheckFolder} {
			if path == dir || path == "/proc" && what == "CheckFolder" {
				continue // it holds something
			}
			if err := check(path); (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("%s of %s: %v, want %q", what, path, err, want)
			}
		}
	}
	if err := CheckWritable(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("it leaves %v: %v", left, err)
	}
}

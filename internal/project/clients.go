package project

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture/client"
)

// Client is a command that tests an API, as one would type it, and the file by which it was found.
type Client struct{ Command, Because string }

const (
	maxEntries = 2000    // of a folder that are looked at
	maxFile    = 1 << 20 // bytes of a file
)

// kind is a kind of client: find returns the command, and the file that shows it; "" where there is none.
type kind struct {
	find func(folder) (command, because string)
}

func kinds() []kind {
	return []kind{
		{folder.pytest},
		{folder.npm},
		{folder.maven},
		{folder.gradle},
		{folder.golang},
		{folder.hurl},
		{folder.postman},
	}
}

// Clients finds by which clients a project tests, by the files in its folder and those right below it. A folder that
// cannot be read has none.
func Clients(dir string) (out []Client) {
	f := read(dir)
	for _, k := range kinds() {
		if command, because := k.find(f); command != "" {
			out = append(out, Client{command, because})
		}
	}
	return out
}

// folder is what a project has: paths relative to its folder, sorted.
type folder struct {
	dir   string
	files []string
}

func read(dir string) folder {
	f := folder{dir: dir}
	top, below := entries(dir, "")
	f.files = top
	for _, name := range below {
		more, _ := entries(dir, name)
		f.files = append(f.files, more...)
	}
	return f
}

// entries lists the files and folders of a folder; what is hidden, or is of others, is left out.
func entries(dir, below string) (files, folders []string) {
	d, err := os.Open(filepath.Join(dir, below))
	if err != nil {
		return nil, nil
	}
	defer d.Close()
	all, _ := d.ReadDir(maxEntries) // what was read until an error is there
	for _, e := range all {
		name := path.Join(below, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), e.Name() == "node_modules", e.Name() == "vendor", e.Name() == "venv":
		case e.IsDir():
			folders = append(folders, name)
		default:
			files = append(files, name)
		}
	}
	slices.Sort(files)
	slices.Sort(folders)
	return files, folders
}

// first returns the first file whose base name fits a pattern of path.Match.
func (f folder) first(patterns ...string) string {
	for _, p := range patterns {
		for _, file := range f.files {
			if ok, _ := path.Match(p, path.Base(file)); ok {
				return file
			}
		}
	}
	return ""
}

// has reports whether a file stands in the folder itself.
func (f folder) has(name string) bool { return slices.Contains(f.files, name) }

// text is the beginning of a file; "" where it cannot be read.
func (f folder) text(name string) []byte {
	path := filepath.Join(f.dir, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxFile))
	return text
}

func (f folder) pytest() (command, because string) {
	because = f.first("pytest.ini", "conftest.py", "test_*.py", "*_test.py")
	if because == "" && strings.Contains(string(f.text("pyproject.toml")), "[tool.pytest") {
		because = "pyproject.toml"
	}
	if because == "" {
		return "", ""
	}
	return "python3 -m pytest", because
}

func (f folder) npm() (command, because string) {
	var described struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(f.text("package.json"), &described) != nil || described.Scripts["test"] == "" {
		return "", ""
	}
	return "npm test", "package.json"
}

func (f folder) maven() (command, because string) {
	switch {
	case !f.has("pom.xml"):
		return "", ""
	case f.has("mvnw"):
		return "./mvnw test", "pom.xml"
	}
	return "mvn test", "pom.xml"
}

func (f folder) gradle() (command, because string) {
	for _, name := range []string{"build.gradle", "build.gradle.kts"} {
		switch {
		case !f.has(name):
		case f.has("gradlew"):
			return "./gradlew test --rerun", name
		default:
			return "gradle test --rerun", name
		}
	}
	return "", ""
}

func (f folder) golang() (command, because string) {
	if !f.has("go.mod") {
		return "", ""
	}
	return "go test -count=1 ./...", "go.mod"
}

func (f folder) hurl() (command, because string) {
	because = f.first("*.hurl")
	if because == "" {
		return "", ""
	}
	return "hurl --test --glob " + client.ShellQuoted("**/*.hurl"), because
}

func (f folder) postman() (command, because string) {
	because = f.first("*.postman_collection.json")
	if because == "" {
		return "", ""
	}
	return "newman run " + Words([]string{because}), because
}

// Words returns a command line as one types it into a shell, {} and {port} without quotes.
func Words(args []string) string { return client.ShellLine(args, "-_./=:{},@%+") }

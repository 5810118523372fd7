package ownfiles

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// folderOf writes files, by their paths, to a folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a program in a folder, with variables before it.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	env := append(os.Environ(), "CGO_ENABLED=0")
	for strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	needs.Program(t, args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// jarOf is an archive of files, by their names.
func jarOf(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// classOf is a class file that has one text as a constant.
func classOf(text string) string {
	return magicClass + "\x00\x00\x00\x34" + "\x00\x03" + "\x01\x00" + string(rune(len(text))) + text + "\x08\x00\x01" + strings.Repeat("\x00", 14)
}

func namesOf(t *testing.T, paths ...string) []string {
	t.Helper()
	w, err := Read(paths, All)
	if err != nil {
		t.Fatal(err)
	}
	return w.Names()
}

// What is no text, hidden, or a package's is not read, nor what one does not take; a folder that is not there is an error.
func TestRead(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"b/api.py": `"rate"`, "a.py": `"storm"`, ".git/x": `"hidden"`, "node_modules/x.js": `"package"`, "mine/pyvenv.cfg": "", "mine/lib/x.py": `"installed"`,
		"image": "\"image\"\x00", "large": strings.Repeat(" ", maxFile) + `"large"`, "c.json": `"data"`, "Broken.class": classOf("cut")[:20],
		"lib.jar": jarOf(t, map[string]string{"x/Y.class": classOf("library")}), "broken.jar": "PK\x03\x04", "broken": "\x7fELF",
		"app.jar": jarOf(t, map[string]string{"META-INF/MANIFEST.MF": "Main-Class: com.shop.api.Main\r\n", "com/shop/api/Main.class": classOf("own"), "org/lib/Other.class": classOf("shaded")}),
	})
	if diff := cmp.Diff([]string{"storm", "own", "rate", "data"}, namesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	w, err := Read([]string{dir}, IsCode)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"storm", "own", "rate"}, w.Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"library"}, namesOf(t, filepath.Join(dir, "lib.jar"))); diff != "" {
		t.Errorf("a jar that is named is read, whatever it is: %s", diff)
	}
	if _, err := Read([]string{filepath.Join(dir, "none")}, All); err == nil {
		t.Error("a folder that is not there is read")
	}
}

// Of a jar that has others in it, the classes of the API are read; what it unpacks to is bounded.
func TestJars(t *testing.T) {
	bomb := map[string]string{"BOOT-INF/classes/A.class": classOf("own"), "BOOT-INF/lib/x.jar": jarOf(t, map[string]string{"B.class": classOf("nested")}),
		"org/springframework/Loader.class": classOf("loader"), "BOOT-INF/classes/Large.class": classOf("large") + strings.Repeat("\x00", maxFile)}
	dir := folderOf(t, map[string]string{"api.jar": jarOf(t, bomb)})
	if diff := cmp.Diff([]string{"own"}, namesOf(t, filepath.Join(dir, "api.jar"))); diff != "" {
		t.Error(diff)
	}
	many := map[string]string{}
	for i := range 80 {
		many["c"+strings.Repeat("x", i)+".class"] = strings.Repeat("\x00", maxFile)
	}
	packed := jarOf(t, many)
	r := &reading{words: &search.Words{}, left: 3 * maxFile}
	r.jar(strings.NewReader(packed), int64(len(packed)), ofAny)
	if r.left != 0 || r.files > 4 {
		t.Errorf("%d bytes are left behind %d files of an archive of %d bytes", r.left, r.files, len(packed))
	}
}

const javaSource = `package shop;
import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) @interface JsonProperty { String value() default ""; }
@Retention(RetentionPolicy.RUNTIME) @interface GetMapping { String[] value(); }
enum Tier { GOLD, SILVER }
record Quote(@JsonProperty("unit_price") double unitPrice, String currency, java.util.List<String> lines, boolean open, Tier tier) {}
class Api {
	static final String UNUSED = "constant_text";
	private int attempts;
	@GetMapping("/v1/quotes") String quote(String state) {
		if (state.equals("delayed_by_customs")) return "rates.USD";
		return state + "/rates/" + (attempts > 123456 ? 2.5 : 1);
	}
	int small(int status, String currency, Tier tier, byte kind) {
		switch (status) { case 404: return 1000; case 429: return 7; case 503: return 8; }
		switch (kind) { case 20: return 0; case 22: return 0; case -3: return 9; }
		switch (currency) { case "EUR": return 11; case "USD": return 12; }
		switch (tier) { case GOLD: return 13; case SILVER: return 14; }
		switch (attempts) { case 31: return 0; case 32: return 0; case 34: return 0; }
		for (long l = 0; status != 3; status++) if (status > 422 || attempts < -1) return 15;
		return status == 60 ? 16 : status != 0 ? 17 : 0;
	}
}`

// The names and constants of classes that javac wrote are found, with types.
func TestClass(t *testing.T) {
	dir := folderOf(t, map[string]string{"Api.java": javaSource})
	run(t, dir, "javac", "-d", "classes", "Api.java")
	unit := func(name string) search.Unit {
		content, err := os.ReadFile(filepath.Join(dir, "classes", "shop", name+".class"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := DecodeClass(content)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	want := []search.Member{
		{Name: "unit_price", Own: "unitPrice", Given: true, Kind: kind.Number}, {Name: "currency", Kind: kind.String},
		{Name: "lines", Kind: kind.List}, {Name: "open", Kind: kind.Boolean}, {Name: "tier"},
	}
	if diff := cmp.Diff(want, unit("Quote").Members); diff != "" {
		t.Error(diff)
	}
	api := unit("Api")
	for _, text := range []string{"constant_text", "delayed_by_customs", "rates.USD", "/v1/quotes"} {
		if !slices.Contains(api.Texts, text) {
			t.Errorf("%q is not among %q", text, api.Texts)
		}
	}
	slices.Sort(api.Numbers) // which are compared with; the compiler's own, of a switch of texts, are not
	if diff := cmp.Diff([]float64{-3, -1, 2.5, 3, 20, 22, 31, 32, 34, 60, 404, 422, 429, 503, 123456}, api.Numbers); diff != "" {
		t.Error(diff)
	}
	if tier := unit("Tier"); !slices.Contains(tier.Texts, "SILVER") || len(tier.Members) > 0 {
		t.Errorf("an enum is %+v", tier)
	}
	names := namesOf(t, filepath.Join(dir, "classes"))
	if !slices.Contains(names, "unit_price") || slices.Contains(names, "unitPrice") {
		t.Errorf("names are %q", names)
	}
}

const goSource = `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type part struct {
	SKU string ` + "`json:\"sku\"`" + `
}

type quote struct {
	UnitPrice float64  ` + "`json:\"unit_price,omitempty\"`" + `
	Lines     []string ` + "`xml:\"x\" json:\"order_lines\"`" + `
	Left      *int     ` + "`json:\"left\"`" + `
	Parts     []*part  ` + "`json:\"parts\"`" + `
	hidden    bool
	Not       string   ` + "`json:\"-\"`" + `
}

func main() {
	var q quote
	var anonymous struct { Open bool ` + "`json:\"is_open\"`" + ` }
	fmt.Println(json.NewDecoder(os.Stdin).Decode(&q), json.Unmarshal([]byte("{}"), &anonymous), q, anonymous)
}
`

// The tags of a Go program are found, with types, in each of its forms, stripped or not; its libraries' are not.
func TestProgram(t *testing.T) {
	dir := folderOf(t, map[string]string{"main.go": goSource, "go.mod": "module example.com/quotes\n\ngo 1.21\n"})
	part := []search.Member{{Name: "sku", Own: "SKU", Given: true, Kind: kind.String}}
	want := []search.Unit{
		{Members: []search.Member{{Name: "is_open", Own: "Open", Given: true, Kind: kind.Boolean}}},
		{Members: part},
		{Members: []search.Member{
			{Name: "unit_price", Own: "UnitPrice", Given: true, Kind: kind.Number}, {Name: "order_lines", Own: "Lines", Given: true, Kind: kind.List},
			{Name: "left", Own: "Left", Given: true, Kind: kind.Integer},
			{Name: "parts", Own: "Parts", Given: true, Kind: kind.List, Of: part},
		}},
	}
	for _, flags := range [][]string{{"-ldflags=-s -w"}, {"-buildmode=pie"}} {
		run(t, dir, append(append([]string{"go", "build", "-o", "api"}, flags...), ".")...)
		got := ofProgram(t, filepath.Join(dir, "api"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", flags, diff)
		}
	}
	if diff := cmp.Diff([]string{"is_open", "sku", "unit_price", "order_lines", "left", "parts"}, namesOf(t, filepath.Join(dir, "api"))); diff != "" {
		t.Error(diff)
	}
	if _, err := OfProgram(strings.NewReader("\x7fELF")); err == nil {
		t.Error("what is no program has been read")
	}
}

// ofProgram reads the units of a program.
func ofProgram(t *testing.T, path string) []search.Unit {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	units, err := OfProgram(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return units
}

// So they are of programs for other systems, whose forms are others. The program imports nothing: its build takes a second
// or two.
func TestProgramOfOtherSystems(t *testing.T) {
	const source = "package main\n\ntype quote struct {\n\tUnitPrice float64 `json:\"unit_price\"`\n\tLines []string `json:\"order_lines\"`\n\tLeft *int32 `json:\"left\"`\n}\n\n" +
		"func main() {\n\tprintln(any(quote{}), any(struct {\n\t\tOpen bool `json:\"is_open\"`\n\t}{}))\n}\n"
	dir := folderOf(t, map[string]string{"main.go": source, "go.mod": "module example.com/quotes\n\ngo 1.21\n"})
	want := []search.Unit{
		{Members: []search.Member{{Name: "is_open", Own: "Open", Given: true, Kind: kind.Boolean}}},
		{Members: []search.Member{
			{Name: "unit_price", Own: "UnitPrice", Given: true, Kind: kind.Number}, {Name: "order_lines", Own: "Lines", Given: true, Kind: kind.List},
			{Name: "left", Own: "Left", Given: true, Kind: kind.Integer},
		}},
	}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		goos, arch, _ := strings.Cut(system, "/")
		run(t, dir, "GOOS="+goos, "GOARCH="+arch, "go", "build", "-o", "api", "-ldflags=-s -w", ".")
		got := ofProgram(t, filepath.Join(dir, "api"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", system, diff)
		}
	}
}

func FuzzDecodeClass(f *testing.F) {
	f.Add([]byte(classOf("rate")))
	f.Add([]byte(magicClass))
	f.Fuzz(func(t *testing.T, data []byte) {
		if u, err := DecodeClass(data); err == nil {
			new(search.Words).AddUnit(u)
		}
		(&class{}).readCode(data)
		r := &reading{words: &search.Words{}, left: maxFile}
		r.jar(bytes.NewReader(data), int64(len(data)), ofAny)
		if r.left < 0 {
			t.Errorf("%d bytes more than there may be were read", -r.left)
		}
	})
}

// FuzzStructs has hostile bytes be the sections of a program, and a program.
func FuzzStructs(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"), uint64(0x1000))
	f.Add(bytes.Repeat([]byte("\x19\x00\x10\x00\x01\x00\x00\x00"), 40), uint64(0))
	f.Fuzz(func(_ *testing.T, data []byte, at uint64) {
		for _, word := range []int{4, 8} {
			m := &image{parts: []part{{"", at, data}}, order: binary.LittleEndian, word: word}
			m.structs()
		}
		nameOf(data)
	})
}

// FuzzRead has hostile bytes be a file of each name, and a command.
func FuzzRead(f *testing.F) {
	f.Add([]byte("PK\x03\x04"), "java -cp x:y Main")
	f.Add([]byte(`"rate"`), "exec python3 -m api # {port}")
	f.Fuzz(func(t *testing.T, data []byte, command string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.py"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read([]string{dir}, All); err != nil {
			t.Error(err)
		}
		Started(dir, command)
	})
}

// What a command starts is found where it is the API's own, in each of the ways in which APIs are started.
func TestStarted(t *testing.T) {
	dir := folderOf(t, map[string]string{"src/api.py": "", "src/server.js": "", "api.jar": "", "classes/Main.class": "", "run": "#!/bin/sh", "shop/__init__.py": "",
		"lib.jar": jarOf(t, map[string]string{"x/Y.class": ""}), "main.jar": jarOf(t, map[string]string{"shop/Main.class": ""}), "node_modules/x/x.js": ""})
	for command, want := range map[string]string{
		"TIMEOUT=1 exec python3.12 src/api.py --port {port} # run.js": "src", "cd src && node server.js": "src", "java -Xmx1g -jar 'api.jar' x": "api.jar",
		"java -cp classes:lib.jar:main.jar shop.Main": "classes main.jar", "python -m shop": "shop", "uvicorn src.api:app": "src", "sh -c 'exec node src/server.js'": "src",
		"./run": ".", "npm start": ".", "docker run x": "", "node node_modules/x/x.js": "node_modules/x/x.js", "": "",
	} {
		var got []string
		for _, p := range Started(dir, command) {
			name, err := filepath.Rel(dir, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(name))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", command, got)
		}
	}
	t.Setenv("HOME", dir)
	if got := Started(dir, "./run"); len(got) != 1 || filepath.Base(got[0]) != "run" {
		t.Errorf("in the home folder: %q", got)
	}
}

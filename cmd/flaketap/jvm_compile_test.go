package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/suite"
)

// unlike is a session in which each answer was also seen as an error page, and with different values.
func unlike(t *testing.T, har string) suite.Source {
	t.Helper()
	f, err := os.Open(har)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src := suite.Source{Session: true}
	other := strings.NewReplacer(`":"`, `":"un`, `":1`, `":91`, `true`, `null`, "[]", "[7]", "[{", "[{},{")
	for e, err := range formats.ReadHAR(f, formats.HAROptions{File: har}) {
		if err != nil {
			t.Fatal(err)
		}
		step := exchange.Step{Exchange: e}
		if e.Response != nil {
			payload, _ := e.Response.Payload()
			page := wireReply{404, "text/html", "<html></html>", ""}
			moved := wireReply{e.Response.Status, e.Response.Header.Get("Content-Type"), other.Replace(string(payload)), ""}
			step.Observations = []*exchange.Observation{{Run: 1, Seq: e.Seq, Response: page.response()}, {Run: 2, Seq: e.Seq, Response: moved.response()}}
		}
		src.Steps = append(src.Steps, step)
	}
	return src
}

// TestRealJVMPatchedSuitesCompile patches the real suites until hardly an assertion is as it was, and has the compilers read them.
func TestRealJVMPatchedSuitesCompile(t *testing.T) {
	t.Parallel()
	tools := newJVMTools(t)
	dirs, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "fixtures", "*", "java"))
	more, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "fixtures", "*", "kotlin"))
	if dirs = append(dirs, more...); len(dirs) == 0 {
		for _, language := range []string{"java", "kotlin"} {
			dirs = append(dirs, filepath.Join("..", "..", "suite", "testdata", "evomaster", "news", language))
		}
	}
	work := t.TempDir()
	var kotlin []string
	weakened, disabled := 0, 0
	for _, dir := range dirs {
		src := unlike(t, filepath.Join(dir, "session.har.gz"))
		for _, mode := range []suite.Mode{suite.Relax, suite.Comment} {
			name := filepath.Base(filepath.Dir(dir)) + "_" + string(mode)
			var java []string
			files, _ := filepath.Glob(filepath.Join(dir, "EvoMaster_*"))
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				p, err := suite.Patch(file, data, src, suite.PatchOptions{Mode: mode})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range p.Changes {
					switch c.Kind {
					case suite.Weakened:
						weakened++
					case suite.Disabled:
						disabled++
					}
				}
				if strings.HasSuffix(file, ".java") {
					java = append(java, putFile(t, filepath.Join(work, name), filepath.Base(file), p.Data))
				} else { // all at once: the compiler takes long to come up
					text := append([]byte(fmt.Sprintf("package %s\n", name)), p.Data...)
					kotlin = append(kotlin, putFile(t, filepath.Join(work, name), filepath.Base(file), text))
				}
			}
			if len(java) > 0 {
				tools.javac(t.TempDir(), java...)
			}
		}
	}
	tools.kotlinc(t.TempDir(), kotlin...)
	t.Logf("%d assertions weakened, %d commented out", weakened, disabled)
	if weakened < 50 || disabled < 50 {
		t.Errorf("%d assertions weakened, %d commented out: too few to tell", weakened, disabled)
	}
}

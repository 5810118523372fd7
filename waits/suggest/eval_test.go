package suggest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/suggest"
)

// TestEvalSuggest makes the repositories of testdata/eval, and those of testdata/blind, asks for times of the flaky wait
// of each, and counts how often the one on top suffices: it is at least what the developers raised the wait to, and, so
// that the longest time of all is no answer, at most five times that for a sleep and ten times for a cap.
func TestEvalSuggest(t *testing.T) {
	for _, set := range []string{"eval", "blind"} {
		t.Run(set, func(t *testing.T) { evalSuggest(t, filepath.Join("testdata", set)) })
	}
}

func evalSuggest(t *testing.T, folder string) {
	cases, err := filepath.Glob(filepath.Join(folder, "[0-9]*"))
	if err != nil || len(cases) != 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	top, among := 0, 0
	for _, name := range cases {
		c := readCase(t, name)
		dir := t.TempDir()
		c.make(t, dir)
		place, err := suggest.PlaceOf(fmt.Sprintf("%s:%d", filepath.Join(dir, c.file), c.line(t, dir)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := suggest.Run(context.Background(), suggest.Options{Places: []suggest.Place{place}, Most: 5})
		if err != nil {
			t.Logf("%-26s %v", filepath.Base(name), err)
			continue
		}
		w := a.Waits[0]
		first := slices.IndexFunc(w.Suggestions, func(s waits.Suggestion) bool { return c.suffices(w, s.Time) })
		if first == 0 {
			top++
		}
		if first >= 0 {
			among++
		}
		var times []string
		for _, s := range w.Suggestions {
			times = append(times, fmt.Sprintf("%s (%.2f, %s)", s.Time, s.Similarity, s.Sources[0].Why))
		}
		t.Logf("%-26s %s of %s needs %s, first that suffices is %d: %s", filepath.Base(name), w.Kind, w.Time, c.needs, first+1,
			strings.Join(times, ", "))
	}
	t.Logf("suffices on top: %d of %d; among the first five: %d", top, len(cases), among)
	if top*5 < len(cases)*4 {
		t.Errorf("a time that suffices is on top in %d of %d", top, len(cases))
	}
}

// evalCase is a repository of testdata/eval.
type evalCase struct {
	file, text string
	needs      time.Duration
	commits    []evalCommit
}

type evalCommit struct {
	message string
	files   map[string]string      // whole
	edits   map[string][][2]string // pairs of old and new
}

func (c *evalCase) suffices(w suggest.Wait, d time.Duration) bool {
	most := 5 * c.needs
	if w.Kind == "cap" {
		most = 10 * c.needs
	}
	return d >= c.needs && d <= most
}

// readCase reads a file of testdata/eval; its README describes the form.
func readCase(t *testing.T, name string) *evalCase {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, file, changed := &evalCase{}, "", ""
	var whole, old, now []string
	end := func() {
		if len(c.commits) == 0 {
			return
		}
		last := &c.commits[len(c.commits)-1]
		if file != "" {
			last.files[file] = strings.Join(whole, "\n") + "\n"
		}
		if len(old)+len(now) > 0 {
			last.edits[changed] = append(last.edits[changed], [2]string{strings.Join(old, "\n"), strings.Join(now, "\n")})
		}
		file, whole, old, now = "", nil, nil, nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "at" && len(c.commits) == 0:
			c.file, c.text, _ = strings.Cut(rest, " ")
		case word == "needs" && len(c.commits) == 0:
			if c.needs, err = time.ParseDuration(rest); err != nil {
				t.Fatal(err)
			}
		case word == "==":
			end()
			changed = ""
			c.commits = append(c.commits, evalCommit{rest, map[string]string{}, map[string][][2]string{}})
		case word == "--" && strings.HasSuffix(rest, " --"):
			end()
			file = strings.TrimSuffix(rest, " --")
		case word == "@@":
			end()
			changed = rest
		case changed != "" && file == "" && word == "<":
			if len(now) > 0 {
				end()
			}
			old = append(old, rest)
		case changed != "" && file == "" && word == ">":
			now = append(now, rest)
		case file != "":
			whole = append(whole, line)
		default:
			t.Fatalf("%s: %q is neither of a file nor of a change", name, line)
		}
	}
	end()
	return c
}

// make makes the repository.
func (c *evalCase) make(t *testing.T, dir string) {
	git(t, dir, 0, "init", "-q")
	for i, commit := range c.commits {
		for name, text := range commit.files {
			write(t, filepath.Join(dir, name), text)
		}
		for name, edits := range commit.edits {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			for _, e := range edits {
				if strings.Count(text, e[0]) != 1 {
					t.Fatalf("%s has %q %d times", name, e[0], strings.Count(text, e[0]))
				}
				text = strings.Replace(text, e[0], e[1], 1)
			}
			write(t, filepath.Join(dir, name), text)
		}
		git(t, dir, i, "add", "-A")
		git(t, dir, i, "commit", "-q", "-m", commit.message)
	}
}

// line is that of the flaky wait: the one that holds the text, the first if there are several.
func (c *evalCase) line(t *testing.T, dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, c.file))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(strings.Split(string(data), "\n"), func(line string) bool { return strings.Contains(line, c.text) })
	if i < 0 {
		t.Fatalf("%s has no %q", c.file, c.text)
	}
	return i + 1
}

func write(t testing.TB, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// git runs git in a folder, on the day of a number.
func git(t testing.TB, dir string, day int, args ...string) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false",
		"-c", "init.defaultBranch=main"}, args...)...)
	date := time.Date(2024, 1, 1+day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

func completed(words ...string) (out []string, beside cmdline.PathKind) {
	c := cmdline.Complete((&tool{}).app(), flagValues, words)
	for _, w := range c.Words {
		out = append(out, w.Word)
	}
	return out, c.Beside
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		line   string // what follows the program's name; the last word is being typed
		want   string // some of what is offered, then not: "a b | c"
		beside cmdline.PathKind
	}{
		{"", "record replay completion | launch candidates", cmdline.NoPath},
		{"re", "record replay rerun report | map", cmdline.NoPath},
		{"demo ", "api truth | record", cmdline.NoPath},
		{"mock ", "serve search | launch become", cmdline.NoPath},
		{"record --", "--target --db --help --quiet | --version --runs", cmdline.NoPath},
		{"record --tar", "--target | --db", cmdline.NoPath},
		{"--", "--version --help", cmdline.NoPath},
		{"record --db ", "", cmdline.Files},
		{"record --db=", "", cmdline.Files},
		{"record --ca-dir ", "", cmdline.Folders},
		{"record --log-level ", "debug info warn error", cmdline.NoPath},
		{"record --log-level=", "--log-level=debug", cmdline.NoPath},
		{"diff --format ", "text json markdown | (for", cmdline.NoPath},
		{"ca export --format ", "pem der p12 jks env install", cmdline.NoPath},
		{"ca ", "print export", cmdline.NoPath},
		{"report --format ", "html text sarif", cmdline.NoPath},
		{"suite --format ", "pytest hurl", cmdline.NoPath},
		{"suite --mode ", "relax comment exact", cmdline.NoPath},
		{"patch --mode ", "relax comment | exact", cmdline.NoPath},
		{"suite --nonsense ", "", cmdline.Files},
		{"inspect why", "why | runs", cmdline.NoPath},
		{"diff ", "", cmdline.Files},
		{"diff OLD --fo", "--format", cmdline.NoPath},
		{"completion ", "bash zsh fish powershell | candidates", cmdline.NoPath},
		{"man st", "stabilize steady | record", cmdline.NoPath},
		{"stabilize --probe ", "auto always never", cmdline.NoPath},
		{"stabilize --mutate ", "all change drop", cmdline.NoPath},
		{"verify --mutate ", "all change drop", cmdline.NoPath},
		{"replay --pace ", "asap recorded x2", cmdline.NoPath},
		{"record --unknown ", "404 refuse", cmdline.NoPath},
		{"record -- py", "", cmdline.Files},
		{"help re", "record | map", cmdline.NoPath},
		{"nonsense ", "", cmdline.NoPath},
		{"record --target", "--target", cmdline.NoPath},
	} {
		words := strings.Split(c.line, " ")
		got, beside := completed(words...)
		in, out, _ := strings.Cut(c.want, "|")
		for _, w := range strings.Fields(in) {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q does not offer %s", c.line, got, w)
			}
		}
		for _, w := range strings.Fields(out) {
			if slices.Contains(got, w) {
				t.Errorf("%q: %q offers %s", c.line, got, w)
			}
		}
		if c.want == "" && len(got) > 0 || beside != c.beside {
			t.Errorf("%q: %q and %s, want %s", c.line, got, beside, c.beside)
		}
	}
}

// What is offered for a flag are those values that the command itself names when it refuses another.
func TestCompleteKnowsValues(t *testing.T) {
	refused := regexp.MustCompile(`unknown --(\S+) "zzz": want one of ([^;\n]+)`)
	tried := 0
	var look func(path []string, c *cli.Command)
	look = func(path []string, c *cli.Command) {
		for _, sub := range c.Subcommands {
			look(append(slices.Clone(path), sub.Name), sub)
		}
		for _, f := range c.Flags {
			switch f.(type) {
			case *cli.StringFlag, *cli.StringSliceFlag:
			default:
				continue
			}
			name := f.Names()[0]
			offered, _ := completed(append(slices.Clone(path), "--"+name, "")...)
			for _, rest := range [][]string{nil, {"x"}, {"x", "y"}, {"export"}, {"--", "true"}, {"x", "--", "true", "{}"}, {"--reset=true"},
				{"--reset=true", "x", "--", "true", "{}"}} {
				ctx, stop := context.WithCancel(t.Context())
				stop() // nothing is to run
				_, _, talk := said(ctx, slices.Concat(path, []string{"--" + name + "=zzz"}, rest)...)
				if m := refused.FindStringSubmatch(talk); m != nil && m[1] == name {
					tried++
					list, _, _ := strings.Cut(m[2], ", or ") // what is no fixed value
					if want := strings.Split(list, ", "); !slices.Equal(offered, want) {
						t.Errorf("%s --%s: offers %q, the command takes %q", strings.Join(path, " "), name, offered, want)
					}
					break
				}
			}
		}
	}
	t.Chdir(t.TempDir())
	for _, c := range (&tool{}).app().Commands {
		if c.Name != "completion" {
			look([]string{c.Name}, c)
		}
	}
	if tried < 40 {
		t.Errorf("only %d flags refused a value", tried)
	}
}

// The scripts work in the shells that are here.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range cmdline.Shells() {
		status, script, _ := said(t.Context(), "completion", shell)
		if status != exitDone || !strings.Contains(script, "completion candidates") {
			t.Errorf("%s: status %d, %q", shell, status, script)
		}
	}
	if status, _, talk := said(t.Context(), "completion", "tcsh"); status != exitUsage || !strings.Contains(talk, "want one of bash") {
		t.Errorf("%d, %q", status, talk)
	}
	if status, _, talk := said(t.Context(), "completion"); status != exitUsage || !strings.Contains(talk, "completion bash|zsh") {
		t.Errorf("%d, %q", status, talk)
	}
}

func TestCompletionBash(t *testing.T) {
	needs.OnCI(t, "bash")
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	b := newBench(t)
	b.write("my file.db", nil)
	b.must("mkdir folder")
	for line, want := range map[string]string{
		"flaketap reco":                          "record",
		"flaketap record --log-level ":           "debug info warn error",
		"flaketap record --log-level=w":          "warn",
		"flaketap record --db my":                "my file.db",
		"flaketap record --db=my":                "my file.db",
		"flaketap record --ca-dir fo":            "folder",
		"flaketap   inspect   oper":              "operations",
		"flaketap record --target http://x --pr": "--proxy-auth",
	} {
		b.write("try.sh", []byte(`source <(flaketap completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_flaketap flaketap
(IFS=' '; echo "${COMPREPLY[*]}")
`))
		cmd := exec.Command("bash", "try.sh", line)
		cmd.Dir, cmd.Env = b.dir, b.env
		got, err := cmd.CombinedOutput()
		if text := strings.TrimSpace(string(got)); err != nil || text != want {
			t.Errorf("%q: %q, %v, want %q", line, text, err, want)
		}
	}
}

// shellTools is where make test puts shells, with all that they need; where there is none, those of the system are tried.
func shellTools(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".tools", "shells"))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// offered are what shells make of lines that somebody types, the cursor at their ends.
var offered = map[string]string{
	"flaketap reco":                          "flaketap record ",
	"flaketap record --log-level=w":          "flaketap record --log-level=warn ",
	"flaketap record --db my":                `flaketap record --db my\ file.db `,
	"flaketap record --db=my":                `flaketap record --db=my\ file.db `,
	"flaketap record --ca-dir fo":            "flaketap record --ca-dir folder/",
	"flaketap   inspect   oper":              "flaketap   inspect   operations ",
	"flaketap record --target http://x --pr": "flaketap record --target http://x --proxy-auth ",
}

// typing is what zsh is told: it starts another one, with the completion, types a line and a tab there, and says what
// became of the line.
const typing = `
zmodload zsh/zpty
zpty z $ZSH -f -i
zpty -w z "module_path=($module_path); fpath=($fpath); PS1=; autoload -U compinit; compinit -u -d $TMPDIR/dump; source $1"
zpty -w z 'tell() { print -r -- "<<$BUFFER>>"; BUFFER=; }; zle -N tell; bindkey "^X" tell; bindkey "^I" complete-word; echo rea""dy'
zpty -r -m z out '*ready*'
zpty -w -n z "$2"$'\t'$'\C-x'
zpty -r -m z out '*>>*' && print -r -- $out
zpty -d z
`

// Somebody who types in zsh is offered what the program offers.
func TestCompletionZsh(t *testing.T) {
	root := shellTools(t)
	zsh, paths := filepath.Join(root, "bin", "zsh"), ""
	if !exists(zsh) {
		found, err := exec.LookPath("zsh")
		needs.Optional(t, "zsh", err == nil)
		zsh = found
	} else {
		modules, _ := filepath.Glob(filepath.Join(root, "usr", "lib", "*", "zsh", "5*"))
		paths = fmt.Sprintf("module_path=(%s); fpath=(%s/usr/share/zsh/functions/**/*(/))\n", strings.Join(modules, " "), root)
	}
	b := newBench(t)
	b.write("my file.db", nil)
	b.must("mkdir folder; flaketap completion zsh >script")
	b.write("type", []byte(paths+typing))
	told := regexp.MustCompile(`<<(.*)>>`)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a shell that does not answer is waited for without end
	defer stop()
	for line, want := range offered {
		cmd := exec.CommandContext(ctx, zsh, "-f", "type", "script", line)
		cmd.Dir, cmd.Env = b.dir, append(b.env, "TMPDIR="+b.dir, "ZSH="+zsh, "TERM=dumb")
		out, err := cmd.CombinedOutput()
		if m := told.FindSubmatch(out); m == nil || string(m[1]) != want {
			t.Errorf("%q: %v, %q, want %q", line, err, out, want)
		}
	}
}

// Fish says what it offers for a line.
func TestCompletionFish(t *testing.T) {
	root := shellTools(t)
	fish := filepath.Join(root, "usr", "bin", "fish")
	if !exists(fish) {
		found, err := exec.LookPath("fish")
		needs.Optional(t, "fish", err == nil)
		fish = found
	}
	b := newBench(t)
	b.write("my file.db", nil)
	b.must("mkdir folder; flaketap completion fish >script")
	libraries, _ := filepath.Glob(filepath.Join(root, "usr", "lib", "*-linux-*"))
	for line, want := range offered {
		cmd := exec.CommandContext(t.Context(), fish, "-c", "source script; and complete -C $argv[1]", line)
		cmd.Dir, cmd.Env = b.dir, append(b.env, "HOME="+b.dir, "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
		out, err := cmd.CombinedOutput()
		word, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
		if want = strings.TrimSpace(strings.ReplaceAll(want, `\ `, " ")); err != nil || word == "" || !strings.HasSuffix(want, word) {
			t.Errorf("%q: %v, %q, want the end of %q", line, err, out, want)
		}
	}
}

// Without PowerShell its script is read by a grammar of that language.
func TestCompletionPowerShellParses(t *testing.T) {
	const wrong = `import sys, tree_sitter, tree_sitter_powershell
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
print(parser.parse(sys.stdin.buffer.read()).root_node.has_error)`
	bin := python(t)
	parses := func(script string) string {
		cmd := exec.CommandContext(t.Context(), bin+"/python", "-c", wrong)
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		needs.That(t, "tree-sitter's PowerShell (make tools installs it)", !strings.Contains(string(out), "ModuleNotFoundError"))
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	_, script, _ := said(t.Context(), "completion", "powershell")
	if got := parses(script); got != "False" {
		t.Errorf("the script has mistakes: %s", got)
	}
	if got := parses(strings.Replace(script, "@more", "@(more", 1)); got != "True" {
		t.Errorf("a script with a mistake has none: %s", got)
	}
}

// PowerShell is told a line, and says what it offers for its end.
func TestCompletionPowerShell(t *testing.T) {
	pwsh, err := exec.LookPath("pwsh")
	needs.Optional(t, "pwsh", err == nil)
	b := newBench(t)
	b.must("flaketap completion powershell >script.ps1")
	for line, want := range map[string]string{"flaketap reco": "record", "flaketap record --log-level ": "debug"} {
		cmd := exec.CommandContext(t.Context(), pwsh, "-NoProfile", "-Command",
			". ./script.ps1; (TabExpansion2 $args[0] $args[0].Length).CompletionMatches[0].CompletionText", line)
		cmd.Dir, cmd.Env = b.dir, b.env
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q: %v, %q, want %q", line, err, out, want)
		}
	}
}

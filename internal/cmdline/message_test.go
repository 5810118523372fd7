package cmdline

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/internal/console"
)

func TestMessage(t *testing.T) {
	var into struct {
		A struct{ B []int }
		C map[string]bool
	}
	wrong := func(doc string) error { return fmt.Errorf("read map: %w", json.Unmarshal([]byte(doc), &into)) }
	_, missing := os.Open("no/such")
	for _, c := range []struct {
		err  error
		want string
	}{
		{wrong(`{"A":{"B":"x"}}`), "read map: A.B is a string, not an array"},
		{wrong(`{"A":[]}`), "read map: A is an array, not an object"},
		{wrong(`{"C":{"x":1.5}}`), "read map: C is a number, not true or false"},
		{errors.Join(errors.New("one\n\n  two"), errors.New("three\r\n")), "one; two; three"},
		{errors.New("a \x1b[2J b"), "a ?[2J b"},
		{fmt.Errorf("read suite: %w", missing), "read suite: no/such: no such file or directory; there is no folder no: make it, or correct the path"},
		{fmt.Errorf("open recording no/such: %w", missing), "open recording no/such: no such file or directory; there is no folder no: make it, or correct the path"},
		{console.Advise(errors.New("it is so"), "do that"), "it is so; do that"},
		{errors.New("replay to https://h: tls: x509: certificate signed by unknown authority"),
			"replay to https://h: tls: x509: certificate signed by unknown authority; --upstream-ca FILE trusts its authority; --insecure-upstream accepts any certificate, for test environments"},
		{errors.New("reset https://h: x509: certificate signed by unknown authority"),
			"reset https://h: x509: certificate signed by unknown authority; if the API's certificate cannot be verified, reset with a command: --reset 'curl -fk -X POST URL'"},
	} {
		if got := Message(c.err); got != c.want {
			t.Errorf("message is\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestOneLine: whatever an error says, it is one line that steers no terminal.
func TestOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := Message(errors.New(rapid.String().Draw(t, "text")))
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("message is %q", got)
		}
	})
}

func TestFlagMistake(t *testing.T) {
	flags := []cli.Flag{&cli.IntFlag{Name: "runs"}, &cli.DurationFlag{Name: "timeout"}, &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}}}
	for text, want := range map[string]string{
		"flag provided but not defined: -rusn":                           `unknown flag --rusn; did you mean --runs?`,
		"flag provided but not defined: -elsewhere":                      "unknown flag --elsewhere; x --help lists them",
		`invalid value "a \"for flag -b: c" for flag -runs: parse error`: `--runs must be a whole number such as 10, got "a \"for flag -b: c"`,
		`invalid boolean value "x" for -q: parse error`:                  `--q must be true or false, got "x"`,
		"something else": "something else",
	} {
		if got := FlagMistake("x", flags, errors.New(text)).Error(); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", text, got, want)
		}
	}
}

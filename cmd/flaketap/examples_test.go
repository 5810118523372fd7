package main

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
)

// The help of each command shows what to type, and the command takes that: its flags, and as many arguments. Nothing is run.
func TestExamples(t *testing.T) {
	known := cmdline.Examples()
	var look func(name string, c *cli.Command)
	look = func(name string, c *cli.Command) {
		if c.Hidden {
			return
		}
		for _, sub := range c.Subcommands {
			look(name+" "+sub.Name, sub)
		}
		all := known[name]
		delete(known, name)
		if all == nil && (len(c.Subcommands) == 0 || len(c.Flags) > 0) {
			t.Errorf("%s has no example", name)
		}
		_, help, _ := said(t.Context(), append(strings.Fields(name)[1:], "--help")...)
		for _, example := range all {
			if !strings.Contains(help, "   "+example+"\n") {
				t.Errorf("the help of %s does not show %q:\n%s", name, example, help)
			}
			split, err := exec.Command("sh", "-c", "printf '%s\\n' "+example).Output()
			if err != nil {
				t.Fatal(err)
			}
			args := strings.Split(strings.TrimSpace(string(split)), "\n")
			if err := taken(t, args, name); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
	for _, c := range (&tool{}).app().Commands {
		look("flaketap "+c.Name, c)
	}
	for name := range known {
		t.Errorf("examples has %s, which is no command", name)
	}
}

// taken says what a command finds wrong with the flags of a command line, which does nothing else.
func taken(t *testing.T, args []string, name string) error {
	own, client := cmdline.SplitClient(args)
	here := &tool{client: client}
	app := here.app()
	app.Writer, app.ErrWriter = io.Discard, io.Discard
	reached := ""
	var replace func(commands []*cli.Command, above string)
	replace = func(commands []*cli.Command, above string) {
		for _, c := range commands {
			c.Action = func(*cli.Context) error { reached = above + " " + c.Name; return nil }
			replace(c.Subcommands, above+" "+c.Name)
		}
	}
	replace(app.Commands, "flaketap")
	err := app.RunContext(t.Context(), cmdline.Reorder(app, own))
	if err == nil && reached != name {
		err = fmt.Errorf("it starts %q", reached)
	}
	return err
}

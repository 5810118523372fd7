package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
)

// thisSystem is what the commands that make a system trust an authority depend on.
func thisSystem() certs.System {
	home, _ := os.UserHomeDir() // macOS alone needs it, and always has one
	return certs.System{
		OS: runtime.GOOS, Home: home,
		HasCommand: func(name string) bool { _, err := exec.LookPath(name); return err == nil },
		HasDir:     func(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() },
	}
}

// InstallScript lists the commands that make this system trust an authority, and in comments those that undo it.
func InstallScript(ca *certs.Authority) ([]byte, error) {
	install, undo, err := ca.Install(thisSystem())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Make this system trust flaketap's certificate authority. --apply runs these commands.")
	for _, s := range install {
		fmt.Fprintln(&b, shellLine(s))
	}
	fmt.Fprintln(&b, "# To undo it:")
	for _, s := range undo {
		fmt.Fprintln(&b, "# "+shellLine(s))
	}
	fmt.Fprintln(&b, "# Java, Node, Firefox and Python's certifi use their own stores: flaketap ca export --format env")
	return b.Bytes(), nil
}

// stepArgs is a step as this user runs it.
func stepArgs(s certs.Step) []string {
	if s.Root && os.Geteuid() != 0 {
		return append([]string{"sudo"}, s.Args...)
	}
	return s.Args
}

func shellLine(s certs.Step) string { return ShellLine(stepArgs(s), "-_./=") }

// Install makes this system trust an authority: it runs the commands of [InstallScript] in their order, up to the first
// that fails. What they write goes to out, and which they are is said to talk.
func Install(ctx context.Context, ca *certs.Authority, out io.Writer, talk *console.Console) error {
	install, _, err := ca.Install(thisSystem())
	if err != nil {
		return err
	}
	for _, s := range install {
		talk.Say("flaketap: %s", shellLine(s))
		args := stepArgs(s)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, out
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("install CA: %s: %w", args[0], err)
		}
	}
	return nil
}

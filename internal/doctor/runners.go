package doctor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/console"
)

// runner is a program that runs suites, and how it tells its version.
type runner struct {
	name    string
	command []string
	runs    string // what is run by it
}

func knownRunners() []runner {
	return []runner{
		{"pytest", []string{"python3", "-m", "pytest", "--version"}, "suites in Python"},
		{"node", []string{"node", "--version"}, "suites in JavaScript"},
		{"java", []string{"java", "-version"}, "suites in Java and Kotlin"},
		{"go", []string{"go", "version"}, "suites in Go"},
		{"hurl", []string{"hurl", "--version"}, "suites in Hurl"},
		{"newman", []string{"newman", "--version"}, "Postman collections"},
	}
}

const (
	runnerPatience = 20 * time.Second // a JVM on a busy machine
	maxVersion     = 4 << 10
)

// runners looks for the programs that run suites.
func (v *visit) runners(ctx context.Context) ([]Finding, error) {
	known := knownRunners()
	out := make([]Finding, len(known))
	var all sync.WaitGroup
	for i, r := range known {
		all.Go(func() { out[i] = r.look(ctx) })
	}
	all.Wait()
	return out, nil
}

func (r runner) look(ctx context.Context) Finding {
	missing := Finding{About: r.name, Status: Note, Says: "not found", Do: "install it if you want to run " + r.runs}
	if _, err := exec.LookPath(r.command[0]); err != nil {
		return missing
	}
	limited, cancel := context.WithTimeout(ctx, runnerPatience)
	defer cancel()
	cmd := exec.CommandContext(limited, r.command[0], r.command[1:]...)
	var said bounded
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	if err := cmd.Run(); err != nil {
		missing.Says = fmt.Sprintf("%s: %v", strings.Join(r.command, " "), err)
		if last := said.line(); last != "" {
			missing.Says += ": " + last
		}
		return missing
	}
	return Finding{About: r.name, Status: OK, Says: said.line()}
}

// bounded keeps the beginning of what a program writes. As its stdout and stderr at once, it is written to by one
// goroutine, for which Run waits.
type bounded struct{ text bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), maxVersion-b.text.Len())])
	return len(p), nil
}

// line is the first line that says something: a JVM begins with the options that it picked up.
func (b *bounded) line() string {
	lines := bufio.NewScanner(bytes.NewReader(b.text.Bytes()))
	for lines.Scan() {
		if l := strings.TrimSpace(lines.Text()); l != "" && !strings.HasPrefix(l, "Picked up ") {
			return fmt.Sprintf("%.100s", console.OneLine(l))
		}
	}
	return ""
}

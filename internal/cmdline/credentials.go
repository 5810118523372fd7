package cmdline

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
)

// AddCredentials reads lines of NAME: VALUE; empty ones and those that begin with # are left out. Its errors tell no
// values.
func AddCredentials(out *flow.Credentials, from, lines string) error {
	n := 0
	for line := range strings.Lines(lines) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, value, found := strings.Cut(line, ": ")
		if !found {
			name, value, found = strings.Cut(line, ":")
		}
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !found || name == "" || value == "" {
			return console.Usage(fmt.Errorf("%s: line %d must be NAME: VALUE, such as 'Authorization: Bearer …'", from, n))
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return console.Usage(fmt.Errorf("%s: line %d: the value of %s contains a control character", from, n, name))
		}
		*out = append(*out, flow.Credential{Name: name, Value: value})
	}
	return nil
}

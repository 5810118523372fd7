// Package environ changes the environment of commands: lists of NAME=value, as in os/exec.
package environ

import (
	"slices"
	"strings"
)

// Prepend returns an environment in which a variable begins with a further part, before a separator and what it had, if
// it had something.
func Prepend(env []string, name, part, separator string) []string {
	out := slices.Clone(env)
	for i, kv := range out {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			if value != "" {
				part += separator + value
			}
			out[i] = name + "=" + part
			return out
		}
	}
	return append(out, name+"="+part)
}

// Require returns an environment in which Node loads a file before all that it is told to load already.
func Require(env []string, file string) []string {
	return Prepend(env, "NODE_OPTIONS", "--require "+NodeQuoted(file), " ")
}

// NodeQuoted returns a text as one word of NODE_OPTIONS.
func NodeQuoted(s string) string {
	if !strings.ContainsAny(s, ` "\\`) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// JavaQuoted returns an option as JAVA_TOOL_OPTIONS has it: within quotes, of which none are escaped, if there is a
// blank.
func JavaQuoted(option string) string {
	switch {
	case !strings.ContainsAny(option, " \t\"'"):
		return option
	case strings.Contains(option, `"`):
		return "'" + option + "'"
	}
	return `"` + option + `"`
}

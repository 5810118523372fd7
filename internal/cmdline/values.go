package cmdline

import "strings"

// FixedValues are the values of a flag of a command that are the same in all builds; nil where none are known. An
// argument has no flag.
func FixedValues(command, flag string) []string {
	for _, name := range []string{command + " --" + flag, "--" + flag} {
		if words := fixedValues[name]; words != "" {
			return strings.Fields(words)
		}
	}
	return nil
}

// fixedValues are by command and flag, or by flag alone.
var fixedValues = map[string]string{
	"ca --":                   "print export",
	"inspect --":              "passes runs sequences exchanges exchange operations externals traces bindings why claims",
	"import --as":             "recording run",
	"import --condition":      "fresh continued unknown",
	"record --on-overload":    "wait drop",
	"record --on-store-error": "stop pass",
	"replay --pace":           "asap recorded x2",
	"stabilize --probe":       "auto always never",
	"replay --unsafe":         "send skip ask",
	"verify --fail-on":        "flaky survived",
	"waits record --window":   "rest paper",
	"map --fail-on":           "new any",
	"diff --fail-on":          "new any",
	"--unknown":               "404 refuse",
	"--host-header":           "client target",
	"--reset-each":            "run sequence",
}

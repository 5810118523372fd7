package verify

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture/client"
)

// placed puts files in the place of what stands for them in a command line. In what a shell is given to run (sh -c '…')
// a file whose name has blanks, or what else a shell takes for more than a name, is quoted where it stands outside
// quotes.
func placed(words []string, files map[string]string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		_, alone := files[w] // it is what the shell runs
		quote := func(string) string { return "" }
		if !alone && isScript(words, i) {
			quote = shellQuoted
		}
		for _, name := range []string{"{}", "{results}"} {
			out[i] = replaced(out[i], name, files[name], quote(files[name]))
		}
	}
	return out
}

// isScript reports whether a word of a command line is what a shell is given to run.
func isScript(words []string, i int) bool {
	return i > 1 && strings.HasPrefix(words[i-1], "-") && strings.HasSuffix(words[i-1], "c") &&
		slices.Contains([]string{"sh", "bash", "dash", "ksh", "zsh"}, filepath.Base(words[i-2]))
}

// shellQuoted is a file in quotes; "" where a shell takes its name as it is.
func shellQuoted(file string) string {
	if !strings.ContainsAny(file, " \t\n'\"`$&|;<>()*?[]#~!{}\\") {
		return ""
	}
	return client.ShellQuoted(file)
}

// replaced puts a file in the place of a name, in quotes where these are given and the name stands in none.
func replaced(text, name, file, quoted string) string {
	if quoted == "" {
		return strings.ReplaceAll(text, name, file)
	}
	var b strings.Builder
	within := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], name):
			if within == 0 {
				b.WriteString(quoted)
			} else {
				b.WriteString(file)
			}
			i += len(name) - 1
			continue
		case c == '\\' && within != '\'' && i+1 < len(text):
			b.WriteByte(c)
			i++
		case c == within:
			within = 0
		case within == 0 && (c == '\'' || c == '"'):
			within = c
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

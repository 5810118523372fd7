package shape

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

var (
	telling = lazy.Regexp(`^\s*(?:[\w.$]+\.)?\w*(?:Error|Exception)\b|^panic:|panic serving|Exception in thread|[Uu]nhandled|[Uu]ncaught`)
	varying = lazy.Regexp(`"[^"]*"|'[^']*'|[0-9a-fA-F]*[0-9][0-9a-fA-F]*`)
)

// maxLogged bounds how many lines of a log tell behaviors apart.
const maxLogged = 6

// Broken are the lines of a log that say what broke, without values, each once: other lines tell too many behaviors
// apart.
func Broken(text string, given map[string]bool) string {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if !telling().MatchString(line) || len(seen) >= maxLogged {
			continue
		}
		line = varying().ReplaceAllString(strings.TrimSpace(line), "0")
		for _, v := range slices.Sorted(maps.Keys(given)) {
			if len(v) > 2 {
				line = strings.ReplaceAll(line, v, "0")
			}
		}
		seen[line[:min(len(line), 100)]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
}

// Lines are the lines of a log without values, each once.
func Lines(text string) string {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if len(seen) < maxLogLines {
			seen[varying().ReplaceAllString(strings.TrimSpace(line), "0")] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
}

// maxLogLines bounds the lines of a log that are compared.
const maxLogLines = 100

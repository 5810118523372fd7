package across

import (
	"slices"
	"strings"
)

// Authorities are those that requests named. In templates one word stands for all of them: the next run of a suite may
// be given another port.
type Authorities struct{ list []string }

const (
	maxHosts = 32
	// HostWord stands for an authority: it is of the same kinds of character.
	HostWord = "flaketap-host.0:0"
	// HostPattern matches an authority.
	HostPattern = `[0-9A-Za-z_.:-]+`
)

// Add adds one, and reports whether it is new; where there are too many, it is not added.
func (h *Authorities) Add(host string) bool {
	if host == "" || strings.HasPrefix(host, "[") || len(h.list) >= maxHosts || slices.Contains(h.list, host) {
		return false
	}
	h.list = append(h.list, host)
	return true
}

// Fold puts the word in the place of each authority.
func (h *Authorities) Fold(s string) string {
	if h == nil {
		return s
	}
	for _, host := range h.list {
		if strings.Contains(s, host) {
			s = strings.ReplaceAll(s, host, HostWord)
		}
	}
	return s
}

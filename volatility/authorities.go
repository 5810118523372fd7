package volatility

import (
	"slices"
	"strings"
)

// authorities are the authorities that requests named. In templates one word stands for all of them: the next run of a
// suite may be given another port.
type authorities struct{ list []string }

const (
	maxHosts    = 32
	hostWord    = "flaketap-host.0:0" // of the same kinds of character as an authority
	hostPattern = `[0-9A-Za-z_.:-]+`
)

func (h *authorities) add(host string) {
	if host != "" && !strings.HasPrefix(host, "[") && len(h.list) < maxHosts && !slices.Contains(h.list, host) {
		h.list = append(h.list, host)
	}
}

// fold puts the word in the place of each authority.
func (h *authorities) fold(s string) string {
	if h == nil {
		return s
	}
	for _, host := range h.list {
		if strings.Contains(s, host) {
			s = strings.ReplaceAll(s, host, hostWord)
		}
	}
	return s
}

package intercept

import (
	"log/slog"
	"slices"
	"sync"
)

// maxRefusals bounds how many different refusals are told apart.
const maxRefusals = 1000

// refusals counts what was refused, and logs each once: what is refused again and again fills no log.
type refusals struct {
	log *slog.Logger

	mu  sync.Mutex
	all []Refusal
}

func (r *refusals) add(k kind, to, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := Refusal{Network: k.String(), To: to, Why: why}
	at := slices.IndexFunc(r.all, func(x Refusal) bool { x.Times = 0; return x == one })
	switch {
	case at >= 0:
		r.all[at].Times++
	case len(r.all) < maxRefusals:
		one.Times = 1
		r.all = append(r.all, one)
		r.log.Info("a connection or datagram was refused", "network", one.Network, "to", one.To, "why", one.Why)
	}
}

func (r *refusals) list() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

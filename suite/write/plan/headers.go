package plan

import (
	"fmt"
	"slices"
	"strings"
)

// sharedPart is the part of the requests, in percent, that have to send a header before it stands once for all.
const sharedPart = 75

// SharedHeaders lists the headers that most requests of a plan send alike, in the order in which the first request that
// has them does: for forms whose client can send them by itself. What a request then sends otherwise, OwnHeaders tells.
// None is shared where there are fewer than two requests.
func (p *Plan) SharedHeaders() []Header {
	counts, sent := map[string]int{}, 0
	var seen []Header
	for i := range p.Tests {
		for _, s := range p.Tests[i].Steps {
			if s.Left != "" {
				continue
			}
			sent++
			for _, h := range s.Headers {
				if s.values(h.Name) != 1 || h.Value.bound() {
					continue
				}
				if key := h.key(); counts[key] == 0 {
					seen = append(seen, h)
				}
				counts[h.key()]++
			}
		}
	}
	return slices.DeleteFunc(seen, func(h Header) bool { return sent < 2 || counts[h.key()]*100 < sharedPart*sent })
}

// OwnHeaders lists what a request sends beside shared headers; a shared one that it does not send comes without a
// value.
func (s *Step) OwnHeaders(shared []Header) []Header {
	var out []Header
	for _, h := range shared {
		if s.values(h.Name) == 0 {
			out = append(out, Header{Name: h.Name})
		}
	}
	for _, h := range s.Headers {
		if s.values(h.Name) > 1 || !slices.ContainsFunc(shared, func(x Header) bool { return x.key() == h.key() }) {
			out = append(out, h)
		}
	}
	return out
}

// Without splits what OwnHeaders lists: the headers that a request sends, and the names of shared ones that it does
// not send.
func Without(own []Header) (sent []Header, without []string) {
	for _, h := range own {
		if h.Value == nil {
			without = append(without, h.Name)
		} else {
			sent = append(sent, h)
		}
	}
	return sent, without
}

// values counts the lines that a request has of a header.
func (s *Step) values(name string) (n int) {
	for _, h := range s.Headers {
		if strings.EqualFold(h.Name, name) {
			n++
		}
	}
	return n
}

func (h Header) key() string { return fmt.Sprintf("%s: %+v", h.Name, h.Value) }

// bound reports whether a text has a value that an answer gives.
func (t Text) bound() bool {
	return slices.ContainsFunc(t, func(p Piece) bool { return p.Bound != "" })
}

package exchange

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Machine is where an API ran: what an API may take from its surroundings into its answers. Equal ones are one machine.
type Machine struct {
	Host    string `json:"host"`
	Zone    string `json:"zone,omitempty"`
	Locale  string `json:"locale,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Version string `json:"version,omitempty"` // of the API, where its user told it
}

// String names a machine for people.
func (m Machine) String() string {
	var of []string
	for _, one := range []string{m.Zone, m.Locale, m.Kernel, m.Version} {
		if one != "" {
			of = append(of, one)
		}
	}
	if len(of) == 0 {
		return m.Host
	}
	return m.Host + " (" + strings.Join(of, ", ") + ")"
}

// Played says which steps of a run were played on a machine.
type Played struct {
	Machine
	Steps Steps `json:"steps"`
}

// Steps is a set of positions in a recording. The zero Steps is empty.
type Steps struct{ spans []span }

// span is positions without a gap, both ends included.
type span struct{ first, last uint64 }

// StepsOf returns a set of positions, which may come in any order and more than once.
func StepsOf(seqs []uint64) Steps {
	var s Steps
	for _, seq := range slices.Sorted(slices.Values(seqs)) {
		if n := len(s.spans); n > 0 && seq <= s.spans[n-1].last+1 {
			s.spans[n-1].last = seq
			continue
		}
		s.spans = append(s.spans, span{seq, seq})
	}
	return s
}

// Has reports whether a position is in the set.
func (s Steps) Has(seq uint64) bool {
	i, _ := slices.BinarySearchFunc(s.spans, seq, func(one span, seq uint64) int {
		if one.last < seq {
			return -1
		}
		return 1
	})
	return i < len(s.spans) && s.spans[i].first <= seq
}

// MarshalText writes a set as "1-40 57".
func (s Steps) MarshalText() ([]byte, error) {
	var b []byte
	for i, one := range s.spans {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, one.first, 10)
		if one.last > one.first {
			b = strconv.AppendUint(append(b, '-'), one.last, 10)
		}
	}
	return b, nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Steps) UnmarshalText(text []byte) error {
	s.spans = nil
	for one := range strings.FieldsSeq(string(text)) {
		from, to, several := strings.Cut(one, "-")
		if !several {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 64)
		last, lerr := strconv.ParseUint(to, 10, 64)
		n := len(s.spans)
		if err != nil || lerr != nil || last < first || n > 0 && first <= s.spans[n-1].last {
			return fmt.Errorf("read steps: %q is no rising list such as 1-40 57", one)
		}
		s.spans = append(s.spans, span{first, last})
	}
	return nil
}

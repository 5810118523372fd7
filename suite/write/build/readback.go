package build

import (
	"slices"

	"github.com/flaketap/flaketap/suite/setup"
)

// Whether a change is kept shows where the thing is read afterwards. So the test of the change reads it back.

// readBack puts the first read of a thing after a change of it into the test of that change. Runs have to bear out that
// it is read so.
func (b *builder) readBack(all []draft) []draft {
	var out []draft
	at := map[uint64]int{} // by change, the draft that is about nothing else
	for _, d := range all {
		alone := len(d.tested) == 1 && d.sequence == ""
		if n, ok := at[b.changeBefore(d)]; alone && ok && len(out[n].tested) == 1 {
			out[n].tested = append(slices.Clone(out[n].tested), d.tested...)
			continue
		}
		if alone {
			at[d.tested[0].Exchange.Seq] = len(out)
		}
		out = append(out, d)
	}
	return out
}

// changeBefore is the last write to a thing before a draft that reads it, if it is one of that very thing; 0 where
// there is none.
func (b *builder) changeBefore(d draft) uint64 {
	s := d.tested[0]
	paths := setup.Paths(&s.Exchange.Request)
	if !s.Exchange.Request.Safe() || len(paths) == 0 || !b.borneOut(s) {
		return 0
	}
	path := paths[len(paths)-1]
	writes := b.session.Writes(path)
	n, _ := slices.BinarySearch(writes, s.Exchange.Seq)
	if n == 0 || !slices.Contains(b.session.Changes(path), writes[n-1]) || !b.borneOut(b.steps[writes[n-1]]) {
		return 0
	}
	change := b.steps[writes[n-1]].Exchange
	status, deleted := s.Exchange.Response.Status, change.Request.Method == "DELETE"
	if deleted != (status == 404 || status == 410) || !deleted && status >= 300 {
		return 0
	}
	return change.Seq
}

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/store"
)

// scarce is so little room that a recording may fill it.
const scarce = 500 << 20

// recording looks at the recording, if it is there, and at where it is or will be.
func (v *visit) recording(ctx context.Context) ([]Finding, error) {
	out := []Finding{v.file(ctx)}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	dir := filepath.Dir(v.DB)
	if err := outfile.CheckWritable(dir); err != nil {
		out = append(out, Finding{About: "folder", Status: Problem, Says: err.Error(), Do: "name a place for the recording that you may write to: --db FILE"})
	}
	if free, ok := outfile.Free(dir); ok {
		f := Finding{About: "disk", Status: OK, Says: console.Size(free) + " free"}
		if free < scarce {
			f.Status, f.Do = Problem, "make room, or name another place for the recording: --db FILE"
		}
		out = append(out, f)
	}
	return out, nil
}

func (v *visit) file(ctx context.Context) Finding {
	f := Finding{About: v.DB, Status: OK}
	s, err := store.OpenReadOnly(v.DB)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Says = "not there yet: record makes it"
		return f
	case errors.Is(err, store.ErrLocked):
		f.Status, f.Says, f.Do = Problem, err.Error(), "wait until the other command ends, or name another with --db FILE"
		return f
	case errors.Is(err, store.ErrNewerVersion):
		f.Status, f.Says, f.Do = Problem, err.Error(), "update flaketap: this one reads formats up to "+fmt.Sprint(store.Version)
		return f
	case err != nil:
		f.Status, f.Says, f.Do = Problem, err.Error(), "name another with --db FILE, or record anew"
		return f
	}
	defer s.Close()
	r, err := s.Recording()
	for _, damaged := range s.Steps() { // all of it, with its runs, as the commands that judge it do
		if err = cmp.Or(err, damaged); err != nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		f.Status, f.Says, f.Do = Problem, err.Error(), "flaketap inspect tells what can still be read"
		return f
	}
	f.Says = "can be read: " + console.Count(r.Count, "exchange")
	if h := s.Holder(); h != nil {
		f.Status, f.Says, f.Do = Note, f.Says+"; "+h.String(), "wait until it ends before you add to the recording"
	}
	return f
}

package capture

import (
	"fmt"
	"io"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// Export is a recording that is written in a form that other tools read. Close ends it.
type Export struct {
	Exchanges uint64 // how many are written; what is damaged is left out
	db        *store.Store
	redactor  exchange.Redactor
	secrets   exchange.Secrets
	late      bool
}

// OpenExport opens a recording, and finds its secrets, those that the user named too. What is damaged is told to a
// console. The recording may be one that is still written.
func OpenExport(db string, named []string, to *console.Console) (_ *Export, err error) {
	x := &Export{}
	if x.db, err = store.OpenReadOnly(db); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.db.Close()
		}
	}()
	if holder := x.db.Holder(); holder != nil {
		to.Say("flaketap: %s; showing what is stored so far", holder)
	}
	rec, err := x.db.Recording()
	if err != nil {
		return nil, err
	}
	x.secrets = exchange.Secrets{Named: named, Stored: rec.Redacted()}
	var damage []*store.DamageError
	for e, err := range store.Readable(x.db.Exchanges(), func(d *store.DamageError) { damage = append(damage, d) }) {
		if err != nil {
			return nil, err
		}
		x.Exchanges++
		x.secrets.Exchange(e)
	}
	if x.Exchanges == 0 && len(damage) > 0 {
		return nil, fmt.Errorf("export %s: %w", db, damage[0])
	}
	for _, d := range damage {
		to.Warn("flaketap: left out: %v", d)
	}
	x.redactor = exchange.Redactor{Key: rec.Key, Known: x.secrets.Known()}
	return x, nil
}

// WriteHAR writes the exchanges as HAR, with tokens in the place of secrets. version is that of the program.
func (x *Export) WriteHAR(w io.Writer, version string) error {
	return formats.WriteHAR(w, store.Readable(x.db.Exchanges(), nil), formats.WriteOptions{Redactor: x.redactor,
		Version: version})
}

// Reveal has secrets written as they are.
func (x *Export) Reveal() { x.redactor.Reveal = true }

// KeepLatencies has stubs answer as late as services did.
func (x *Export) KeepLatencies() { x.late = true }

// Close closes the recording.
func (x *Export) Close() error { return x.db.Close() }

package waiting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/folder"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/tune"
)

// maxFile bounds a file that is read, in bytes.
const maxFile = 256 << 20

// AddFile adds what a file holds: a session of waits record, or what waits tune found, as JSON. The redactor is that of
// the recording beside which it is shown.
func (p *Panel) AddFile(path string, r exchange.Redactor) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read waits: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return fmt.Errorf("read waits: %w", err)
	}
	if err := p.Decode(filepath.Base(path), data, r, folder.Source); err != nil {
		return fmt.Errorf("read waits %s: %w", path, err)
	}
	return nil
}

// Decode does what AddFile does with the bytes of a file. source reads a file of the suite by its name in the session.
func (p *Panel) Decode(name string, data []byte, r exchange.Redactor, source func(name string) ([]byte, error)) error {
	var kind struct {
		Flaketap string `json:"flaketap"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return fmt.Errorf("%w; the file is damaged or cut off, so record the suite, or tune its sleep, again", err)
	}
	switch kind.Flaketap {
	case "waits-session":
		s, err := oracle.Read(bytes.NewReader(data))
		if err != nil {
			return err
		}
		newSession(name, s, shower{r}, source).addTo(p)
		return nil
	case "waits-tune":
		t, err := tune.ReadReport(data)
		if err != nil {
			return err
		}
		p.Tuned = append(p.Tuned, shown(t, shower{r}))
		return nil
	}
	return fmt.Errorf("it holds no waits: want what waits record --out, or waits tune --format json, writes")
}

// shown is what waits tune found, fit to be shown.
func shown(t *tune.Report, show shower) tune.Report {
	out := *t
	for _, text := range []*string{&out.File, &out.Form, &out.Kind, &out.Written, &out.Test, &out.Best} {
		*text = show.text(*text)
	}
	out.Patch = "" // it is of the suite, not of the report
	out.Strategies = append([]tune.Strategy{}, t.Strategies[:min(len(t.Strategies), maxPruned)]...)
	for i := range out.Strategies {
		s := &out.Strategies[i]
		for _, text := range []*string{&s.Strategy, &s.Unusable, &s.Written, &s.Words, &s.Evidence} {
			*text = show.text(*text)
		}
		s.Tried = s.Tried[:min(len(s.Tried), maxLooks)]
	}
	return out
}

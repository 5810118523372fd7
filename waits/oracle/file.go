package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// format is what a file of a session says that it is.
const (
	format  = "waits-session"
	version = 1
)

// file is a session as it is written.
type file struct {
	Flaketap string `json:"flaketap"`
	Version  int    `json:"version"`
	Session
}

// maxFile bounds a file that is read, in bytes.
const maxFile = 256 << 20

// Write writes a session as JSON.
func (s *Session) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(file{format, version, *s}); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

// Read reads a session, as Write wrote it.
func Read(r io.Reader) (*Session, error) {
	var f file
	dec := json.NewDecoder(io.LimitReader(r, maxFile))
	switch err := dec.Decode(&f); {
	case err != nil:
		return nil, fmt.Errorf("read session: %w; the file is damaged or cut off, so record the suite again", err)
	case f.Flaketap != format:
		return nil, errors.New("read session: this is no session of flaketap waits record")
	case f.Version != version:
		return nil, fmt.Errorf("read session: it is of version %d, and this flaketap reads version %d", f.Version, version)
	case dec.More():
		return nil, errors.New("read session: something stands behind its end")
	}
	for i := range f.Runs {
		for _, c := range f.Runs[i].Commands {
			if c.Kind != Reads && c.Kind != Acts && c.Kind != Neither {
				return nil, fmt.Errorf("read session: run %d has a command of the unknown kind %q", i+1, c.Kind)
			}
		}
	}
	return &f.Session, nil
}

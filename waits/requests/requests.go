// Package requests reads, of the file of a recording, what pages asked for around the sleeps of specs.
package requests

import (
	"fmt"

	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/waits/marked"
)

// Of reads a recording; nil where no file is named.
func Of(path string) (*marked.Recording, error) {
	if path == "" {
		return nil, nil
	}
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		return nil, err
	}
	all, err := marked.Read(rec.Passes, db.Exchanges())
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	return all, nil
}

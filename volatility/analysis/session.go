package analysis

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Session reads all exchanges of the recording in a database file that can be read, as of the fuzzing session that a
// suite was generated from. It keeps them whole. The error wraps [io/fs.ErrNotExist] where there is no such file.
func Session(path string) ([]*exchange.Exchange, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var all []*exchange.Exchange
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

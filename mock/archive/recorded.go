package archive

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/store"
)

// Recorded reads, of a recording, the requests that a search sends, one of each operation, and the good answers of
// services that it begins with. What is damaged is left out.
func Recorded(path string) ([]search.Request, []search.Sample, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	var all []*exchange.Exchange
	for e, err := range store.Readable(db.Exchanges(), func(*store.DamageError) {}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read recording: %w", err)
		}
		all = append(all, e)
	}
	var externals []*exchange.External
	for x, err := range store.Readable(db.Externals(), func(*store.DamageError) {}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read recording: %w", err)
		}
		externals = append(externals, x)
	}
	return requests(all), search.RecordedSamples(externals), nil
}

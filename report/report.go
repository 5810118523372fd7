// Package report writes what a [volatility.Map] says for people: [HTML] as one page that needs nothing beside itself,
// [Text] as a plain table for terminals and CI logs.
//
// Both answer the same questions in the same order: what moved, why, how sure that is, and what still holds. Both only
// write what they are given: they judge nothing, have no clock of their own, and give the same bytes for the same
// input. All text from the map was once said by an API and is taken as hostile: it is escaped, made visible where it
// would not be, and shortened.
package report

import (
	"errors"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Input is what a report shows.
type Input struct {
	Map   *mapfile.Map
	Title string      // "Volatile fields" where it is empty
	Score *ScoreTable // how the map compares with known labels; nil for none
	Notes []string    // sentences of the caller's, shown above the findings
}

// ScoreTable holds figures that somebody else computed, in the order in which they are shown.
type ScoreTable struct {
	Title string // "Score" where it is empty
	Rows  []ScoreRow
}

// ScoreRow is one figure.
type ScoreRow struct {
	Name  string
	Value string
}

var errNoMap = errors.New("write report: no map")

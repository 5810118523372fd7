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

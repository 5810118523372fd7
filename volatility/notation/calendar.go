package notation

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// calendarLists are the names of weekdays and months in English, in full and short, as alternatives of an expression.
func calendarLists() []string {
	return []string{
		"Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
		"Mon|Tue|Wed|Thu|Fri|Sat|Sun",
		"January|February|March|April|May|June|July|August|September|October|November|December",
		"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec",
	}
}

// datePieces are what a date in words is made of: a word, a number, blanks, one other character.
var datePieces = lazy.Regexp(`[A-Za-z]+|\d+|\s+|.`)

// CalendarPattern returns an expression that texts with the name of a weekday or a month in them match, and go on
// matching on any other day: each name may be another of its kind, each number another, a zone in capitals another, and
// all else is as it is. It is "" where the texts have no such name in English, or are not all written in one way.
func CalendarPattern(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	var b strings.Builder
	named, number := false, false // a name was found; the piece before is a number
	for _, piece := range datePieces().FindAllString(texts[0], -1) {
		class, isName := pieceClass(piece, number)
		named = named || isName
		number = IsDigit(piece[0])
		b.WriteString(class)
	}
	pattern := b.String()
	whole, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
	for _, t := range texts {
		if !named || err != nil || len(t) > maxSpelled || !whole.MatchString(t) {
			return ""
		}
	}
	return pattern
}

// pieceClass returns the expression of a piece of a date, and whether it is the name of a weekday or a month.
func pieceClass(piece string, behindNumber bool) (class string, isName bool) {
	var lists []string
	for _, list := range calendarLists() {
		if strings.Contains("|"+list+"|", "|"+piece+"|") {
			lists = append(lists, list)
		}
	}
	switch {
	case lists != nil:
		return "(?:" + strings.Join(lists, "|") + ")", true
	case IsDigit(piece[0]) && len(piece) <= 2:
		return `\d\d?`, false
	case IsDigit(piece[0]) && len(piece) == 4:
		return `\d{4}`, false
	case IsDigit(piece[0]):
		return `\d+`, false
	case strings.TrimSpace(piece) == "":
		return `\s+`, false
	case behindNumber && strings.Contains("|st|nd|rd|th|", "|"+piece+"|"):
		return "(?:st|nd|rd|th)", false
	case len(piece) > 1 && strings.Trim(piece, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" || piece == "am" || piece == "pm":
		return "[A-Za-z]{2,5}", false // a zone, a half of the day
	}
	return regexp.QuoteMeta(piece), false
}

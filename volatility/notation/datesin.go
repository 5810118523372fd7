package notation

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDates bounds the dates of one text that [DatesIn] returns, and maxDated the bytes of the text.
const (
	maxDates = 64
	maxDated = 1 << 14
)

// DatesIn returns where a text has what may be a date, a part of one, a time of day or a time from now, in their order,
// as begin and end; one may lie within another. It is for those who know that the text follows a clock: much that is
// none is among them.
func DatesIn(s string) (found [][2]int) {
	f := featuresOf(s)
	if len(s) > maxDated || !f.foreign && !f.names && !f.numbers && !f.digits {
		return nil
	}
	add := func(from, end int) {
		if from < end && len(found) < maxDates {
			found = append(found, [2]int{from, end})
		}
	}
	datesByName(s, add)
	datesByNumber(s, add)
	for i, r := range s {
		if r >= utf8.RuneSelf && unicode.IsDigit(r) {
			add(i, i+utf8.RuneLen(r))
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return withWeekdays(s, found)
}

// datesByName adds what has the name of a day or a month.
func datesByName(s string, add func(from, end int)) {
	for name := range namesIn(s) {
		end := name.wordFrom + name.wordN
		if name.wordN >= minAlone && (name.wideDays != 0 || name.wideMonths != 0) {
			add(name.wordFrom, end)
		}
		if name.months != 0 {
			add(besideMonth(s, name.wordFrom, end))
		}
	}
}

// datesByNumber adds what is written in numbers alone.
func datesByNumber(s string, add func(from, end int)) {
	var room [maxNumerals]numeral
	all := numeralsOf(room[:0], s)
	for i, n := range all {
		if i+2 < len(all) {
			for _, r := range threeNumbers(s, n, all[i+1], all[i+2]) {
				add(r.from, r.end)
			}
		}
		if i+1 < len(all) && joinedBy(s, n.end, all[i+1].from) {
			for _, r := range twoNumbers(s, n, all[i+1]) {
				add(r.from, r.end)
			}
		}
		if (n.len() == 8 || n.len() == 6) && len(compactDates(s[n.from:n.end])) > 0 ||
			n.len() == 4 && mayBeDate(s, n.from, 4) {
			add(n.from, n.end)
		}
		if _, _, end, ok := timeAt(s, n.from); ok {
			add(n.from, end)
		}
		if from, end, ok := relativeSpan(s, n); ok {
			add(from, end)
		}
	}
}

// besideMonth returns where the date ends and begins that has the name of a month, given where that stands; nothing of
// it where it has no number.
func besideMonth(s string, from, end int) (first, last int) {
	before, after := numberBefore(s, from), numberAfter(s, end)
	if before.len() == 0 && after.len() == 0 {
		return from, from
	}
	if before.len() > 0 {
		from = before.from
	}
	if after.len() > 0 {
		end = after.end
		if next := numberAfter(s, end); next.len() == 4 {
			end = next.end
		}
	}
	return from, end
}

// withWeekdays adds the short names of weekdays that stand right before a date.
func withWeekdays(s string, dates [][2]int) [][2]int {
	for name := range namesIn(s) {
		end := name.wordFrom + name.wordN
		for _, d := range dates {
			if name.days != 0 && d[0] > end && d[0]-end <= 2 && strings.Trim(s[end:d[0]], " ,.") == "" &&
				(name.wordN > 2 || s[end] != ' ') {
				dates = append(dates, [2]int{name.wordFrom, end})
				break
			}
		}
	}
	return dates
}

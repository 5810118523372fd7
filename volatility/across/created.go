package across

// CreatedDates knows the dates that the answers to writes gave to what they made, and that the clock explains. Later
// answers repeat them, beside the dates of things that were there before: those are constants, and do not speak against
// the clock.
type CreatedDates map[createdDate]struct{}

// createdDate is a date under a name.
type createdDate struct{ name, raw string }

// maxCreatedDates bounds the dates that are remembered.
const maxCreatedDates = 10_000

// Remember keeps a date, as a raw token, under the name of its place, and reports whether it is new; where there are
// too many, it is not kept.
func (m CreatedDates) Remember(name, raw string) bool {
	if len(m) >= maxCreatedDates || m.Has(name, raw) {
		return false
	}
	m[createdDate{name, raw}] = struct{}{}
	return true
}

// Has reports whether a value is such a date, under the same name.
func (m CreatedDates) Has(name, raw string) bool {
	_, ok := m[createdDate{name, raw}]
	return ok
}

package expr

import (
	"math/big"
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// Second reads a moment in time that is known to the second or better, written as text or counted since the epoch;
// false where a value is none.
func Second(v any) (time.Time, bool) {
	switch v := v.(type) {
	case string:
		m, ok := notation.TextMoment(v)
		return m.At, ok && !m.InText && !m.TimeOfDay && m.Unit <= time.Second
	case *big.Int:
		if !v.IsInt64() {
			return time.Time{}, false
		}
		switch notation.EpochUnit(notation.Float(v.String())) {
		case "epoch-s":
			return time.Unix(v.Int64(), 0), true
		case "epoch-ms":
			return time.UnixMilli(v.Int64()), true
		}
	}
	return time.Time{}, false
}

// Dated says of texts that hold the name of a weekday or a month how they are written on any day; nothing of other
// values.
func Dated(subject Expr, values []any) []Expr {
	var texts []string
	for _, v := range values {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		texts = append(texts, s)
	}
	pattern := notation.CalendarPattern(texts)
	if pattern == "" {
		return nil
	}
	return []Expr{Match{subject, pattern, true}}
}

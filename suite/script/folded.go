package script

import "strings"

// Folded is the name of a test as it compares with others: letters and digits in lower case, one underscore for what
// is between.
func Folded(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r == '_' || r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

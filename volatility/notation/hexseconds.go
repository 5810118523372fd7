package notation

import (
	"strconv"
	"time"
)

// hexSeconds reads eight hexadecimal digits as the seconds since 1970, as ids and names of files have them, where they
// are those of the answer: of drawn ones one in 300 million is so near.
func hexSeconds(s string, at Span) (m Moment, ok bool) {
	if len(s) != 8 || !at.Known() {
		return m, false
	}
	n, err := strconv.ParseUint(s, 16, 32)
	m = Moment{At: time.Unix(int64(n), 0).UTC(), Unit: time.Second, Zoned: true, Unusual: true, Weak: true}
	return m, err == nil && m.Near(at)
}

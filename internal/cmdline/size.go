package cmdline

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes such as 500, 64KiB, 10M or 1g; the units are powers of 1024.
func ParseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "kKmMgGiIbB")
	unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s[len(number):]), "b"), "i")
	shift, known := map[string]uint{"": 0, "k": 10, "m": 20, "g": 30}[unit]
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || !known || n > math.MaxInt64>>shift {
		return 0, errors.New("not a size such as 500, 64KiB, 10M or 1G")
	}
	return int64(n) << shift, nil
}

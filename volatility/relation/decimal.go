package relation

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/volatility/notation"
)

// decimal is a number as it is written in base ten: m / 10^scale. Sums and products are exact on it, as 0.1 + 0.2 is
// 0.3.
type decimal struct {
	m     int64
	scale int
}

// The bounds on what is taken for a decimal. What has more digits than a double can tell apart, and a fraction, is
// rounded to those of one: that is how a service that computes with doubles writes 0.3 as 0.30000000000000004.
const (
	maxDigits    = 18
	doubleDigits = 15
	maxScale     = 17
)

var powers = func() (p [maxDigits + 1]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// decimalOf reads a JSON number. ok is false for what has an exponent and is too large or too fine, or too many digits.
func decimalOf(raw string) (d decimal, ok bool) {
	if d, ok = plain(raw); ok {
		return d, true
	}
	return roundedOf(raw)
}

// roundedOf reads any number.
func roundedOf(raw string) (d decimal, ok bool) {
	if strings.ContainsAny(raw, "eE") {
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || f != 0 && (math.Abs(f) >= 1e15 || math.Abs(f) < 1e-9) {
			return d, false
		}
		raw = strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits := strings.TrimPrefix(raw, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	if len(strings.TrimLeft(whole+fraction, "0")) > doubleDigits && fraction != "" {
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || len(whole) > doubleDigits {
			return d, false
		}
		raw = strconv.FormatFloat(f, 'f', min(doubleDigits-len(whole), maxScale), 64)
		whole, fraction, _ = strings.Cut(strings.TrimPrefix(raw, "-"), ".")
		fraction = strings.TrimRight(fraction, "0")
	}
	if len(whole)+len(fraction) > maxDigits || len(fraction) > maxScale {
		return d, false
	}
	for _, part := range [2]string{whole, fraction} {
		for i := range len(part) {
			d.m = 10*d.m + int64(part[i]-'0')
		}
	}
	if d.scale = len(fraction); raw[0] == '-' {
		d.m = -d.m
	}
	return d, true
}

// plain reads a number that is short and has no exponent, as nearly all are.
func plain(raw string) (d decimal, ok bool) {
	if raw == "" || len(raw) > doubleDigits {
		return decimal{}, false
	}
	point, digits := -1, strings.TrimPrefix(raw, "-")
	for i := range len(digits) {
		switch c := digits[i]; {
		case notation.IsDigit(c):
			d.m = 10*d.m + int64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return decimal{}, false
		}
	}
	if point >= 0 {
		d.scale = len(digits) - 1 - point
	}
	if raw[0] == '-' {
		d.m = -d.m
	}
	return d, true
}

// to writes d with more decimals; ok is false where it does not fit any more.
func (d decimal) to(scale int) (m int64, ok bool) {
	if d.scale == scale || d.m == 0 {
		return d.m, true
	}
	if scale < d.scale || scale-d.scale > maxDigits {
		return 0, false
	}
	hi, lo := bits.Mul64(magnitude(d.m), uint64(powers[scale-d.scale]))
	if hi != 0 || lo > math.MaxInt64/4 {
		return 0, false
	}
	if d.m < 0 {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(m int64) uint64 {
	if m < 0 {
		return uint64(-m)
	}
	return uint64(m)
}

// aligned writes two numbers with the same number of decimals.
func aligned(a, b decimal) (x, y int64, scale int, ok bool) {
	scale = max(a.scale, b.scale)
	x, okA := a.to(scale)
	y, okB := b.to(scale)
	return x, y, scale, okA && okB
}

func (d decimal) equal(e decimal) bool {
	x, y, _, ok := aligned(d, e)
	return ok && x == y
}

// less reports whether d < e; ok is false where they cannot be written alike.
func (d decimal) less(e decimal) (less, ok bool) {
	x, y, _, ok := aligned(d, e)
	return x < y, ok
}

func (d decimal) plus(e decimal) (sum decimal, ok bool) {
	x, y, scale, ok := aligned(d, e)
	return decimal{x + y, scale}, ok && magnitude(x+y) < math.MaxInt64/4
}

func (d decimal) minus(e decimal) (decimal, bool) { return d.plus(decimal{-e.m, e.scale}) }

func (d decimal) times(e decimal) (product decimal, ok bool) {
	hi, lo := bits.Mul64(magnitude(d.m), magnitude(e.m))
	if hi != 0 || lo > math.MaxInt64/4 || d.scale+e.scale > maxScale {
		return product, false
	}
	product = decimal{int64(lo), d.scale + e.scale}
	if d.m < 0 != (e.m < 0) {
		product.m = -product.m
	}
	return product, true
}

// rounded reports whether d is the exact number, or that number rounded to so many decimals, either way where it lies
// in the middle. Money has two decimals; with less than that nothing is rounded.
func (d decimal) rounded(exact decimal, scale int) bool {
	if scale < 2 || exact.scale <= scale {
		return d.equal(exact)
	}
	off, ok := d.minus(exact)
	if !ok || off.scale-scale > maxDigits {
		return false
	}
	return off.scale <= scale && off.m == 0 || off.scale > scale && 2*magnitude(off.m) <= uint64(powers[off.scale-scale])
}

func (d decimal) String() string {
	if d.scale == 0 {
		return strconv.FormatInt(d.m, 10)
	}
	s := new(big.Rat).SetFrac64(d.m, powers[d.scale]).FloatString(d.scale)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// over returns d / e where that is a number of few decimals.
func (d decimal) over(e decimal) (quotient decimal, ok bool) {
	x, y, _, ok := aligned(d, e)
	if !ok || y == 0 {
		return quotient, false
	}
	const places = 6
	r := new(big.Rat).SetFrac64(x, y)
	quotient, ok = decimalOf(r.FloatString(places))
	if !ok {
		return quotient, false
	}
	back, ok := quotient.times(e)
	return quotient, ok && back.equal(d)
}

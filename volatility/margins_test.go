package volatility

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// generators are the ways in which the values of the margins' test are made. r is the same for one answer only; n counts answers.
var generators = map[string]func(r *rand.Rand, n int, at time.Time) string{
	"die":         func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(1 + r.IntN(6)) },
	"percent":     func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.IntN(101)) },
	"large":       func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.IntN(1e9)) },
	"unit":        func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.Float64()) },
	"signed":      func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.IntN(2001) - 1000) },
	"normal":      func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf("%.3f", r.NormFloat64()) },
	"far normal":  func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf("%.3f", 100+5*r.NormFloat64()) },
	"near zero":   func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf("%.3f", 3+r.NormFloat64()) },
	"exponential": func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf("%.3f", 10*r.ExpFloat64()) },
	"log-normal": func(r *rand.Rand, _ int, _ time.Time) string {
		return fmt.Sprintf("%.3f", math.Exp(2*r.NormFloat64()))
	},
	"laplace": func(r *rand.Rand, _ int, _ time.Time) string {
		return fmt.Sprintf("%.2f", (r.ExpFloat64()-r.ExpFloat64())*3)
	},
	"cauchy": func(r *rand.Rand, _ int, _ time.Time) string {
		return fmt.Sprintf("%.2f", r.NormFloat64()/r.NormFloat64())
	},
	"poisson":   func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(int(r.ExpFloat64() * 3)) },
	"counter":   func(_ *rand.Rand, n int, _ time.Time) string { return fmt.Sprint(1000 + n) },
	"rare flag": func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.IntN(20) == 0) },
	"flag":      func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprint(r.IntN(2) == 0) },
	"null or not": func(r *rand.Rand, _ int, _ time.Time) string {
		return pick(r.IntN(3) == 0, "null", fmt.Sprint(r.IntN(50)))
	},
	"word": func(r *rand.Rand, _ int, _ time.Time) string {
		return fmt.Sprintf("%q", []string{"red", "green", "blue"}[r.IntN(3)])
	},
	"hex":       func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"%x"`, r.Uint32()) },
	"padded":    func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"%08x"`, r.Uint32()) },
	"digits":    func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"%d"`, r.Uint32()) },
	"short hex": func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"%04x"`, r.Uint32()&0xffff) },
	"name": func(r *rand.Rand, _ int, _ time.Time) string {
		return fmt.Sprintf(`"user%d@example.org"`, r.IntN(1000))
	},
	"message": func(r *rand.Rand, n int, _ time.Time) string {
		return fmt.Sprintf(`"Order %d placed by %s in %dms"`, n, []string{"Ann", "Bo", "Cy"}[r.IntN(3)], r.IntN(1500))
	},
	"base64url": func(r *rand.Rand, _ int, _ time.Time) string {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		b := make([]byte, 22)
		for i := range b {
			b[i] = alphabet[r.IntN(64)]
		}
		return `"` + string(b) + `"`
	},
	"uuid7": func(r *rand.Rand, _ int, at time.Time) string {
		return fmt.Sprintf(`"%08x-%04x-7%03x-%04x-%012x"`, at.UnixMilli()>>16, at.UnixMilli()&0xffff, r.IntN(4096), 0x8000|r.IntN(0x4000), r.Uint64()>>16)
	},
	"duration": func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"PT%dS"`, r.IntN(100)) },
	"version":  func(r *rand.Rand, _ int, _ time.Time) string { return fmt.Sprintf(`"1.%d.%d"`, r.IntN(3), r.IntN(100)) },
	"clock":    func(_ *rand.Rand, _ int, at time.Time) string { return at.Format(`"2006-01-02T15:04:05.999999999Z"`) },
	"epoch":    func(_ *rand.Rand, _ int, at time.Time) string { return fmt.Sprint(at.UnixMilli()) },
	"created": func(r *rand.Rand, _ int, at time.Time) string {
		return at.Add(-time.Duration(r.IntN(1e10))).Format(`"` + time.RFC3339 + `"`)
	},
}

// violates says what of a statement a value contradicts, "" where nothing.
func violates(h mapfile.Holds, raw string, at time.Time) string {
	v := notation.ScalarOf(raw)
	if !strings.Contains("|"+h.Type+"|", "|"+v.Kind.String()+"|") && !(v.Kind == notation.Integer && strings.Contains(h.Type, "number")) {
		return "type " + h.Type
	}
	if len(h.OneOf) > 0 {
		for _, one := range h.OneOf {
			if string(one) == raw {
				return ""
			}
		}
		return "one_of"
	}
	if v.Kind == notation.Null {
		return ""
	}
	if len(h.Equal) > 0 && string(h.Equal) != raw {
		return "equal"
	}
	if v.Numeric() && (h.Min != "" && notation.Float(raw) < number(h.Min) || h.Max != "" && notation.Float(raw) > number(h.Max)) {
		return fmt.Sprintf("range %s…%s", h.Min, h.Max)
	}
	if v.Kind == notation.String {
		n := utf8.RuneCountInString(v.Text)
		if h.MinLength != nil && n < *h.MinLength || h.MaxLength != nil && n > *h.MaxLength {
			return "length"
		}
		if h.Pattern != "" && !regexp.MustCompile(h.Pattern).MatchString(v.Text) {
			return "pattern " + h.Pattern
		}
		if f, ok := strings.CutPrefix(h.Format, "hex:"); ok && f != fmt.Sprint(len(v.Text)) {
			return "format " + h.Format
		}
		for f := range notation.Formats() {
			if f.Name == h.Format && f.Shape&(notation.ShapeHex|notation.ShapeBase64|notation.ShapeBase64URL) == 0 && notation.ShapesOf(v.Text)&f.Shape == 0 {
				return "format " + h.Format
			}
		}
	}
	if m, ok := notation.MomentOf(v); h.Clock > 0 && (!ok || m.Distance(notation.Span{From: at, To: at.Add(20 * time.Millisecond)}).Abs() > time.Duration(h.Clock)*time.Second) {
		return fmt.Sprint("clock ", h.Clock)
	}
	return ""
}

func number(n json.Number) float64 { return notation.Float(n.String()) }

// TestMargins: what is stated after ten runs is true of the next thousand answers as well, but for one in a thousand.
func TestMargins(t *testing.T) {
	const seeds, more = 4, 1000
	for name, draw := range generators {
		statements, violations := 0, map[string]int{}
		for seed := range uint64(seeds) {
			a := &api{runs: 10, steps: 1 + int(seed%4), answer: func(c call) answer {
				r := rand.New(rand.NewPCG(seed, uint64(c.run*1000+c.step)))
				return body(`{"v":%s}`, draw(r, c.run*100+c.step, c.at))
			}}
			f := field(t, a.judge(t), "/body/v")
			if !f.Volatile() {
				continue
			}
			r := rand.New(rand.NewPCG(seed, 1<<40))
			for i := range more {
				at := moment0.Add(time.Duration(i+20) * time.Hour)
				statements++
				if what := violates(f.Holds, draw(r, 5000+i, at), at); what != "" {
					violations[what]++
				}
			}
		}
		for what, n := range violations {
			if float64(n) > 1e-3*float64(max(statements, 1)) {
				t.Errorf("%s: %s is not so %d times of %d", name, what, n, statements)
			}
		}
	}
}

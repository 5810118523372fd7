package js

import (
	"math"
	"math/big"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// ParseJSON reads a body as JSON.parse does.
func ParseJSON(r *exchange.Response) (any, error) {
	body, _ := r.Payload()
	v, err := expr.ParseJSON(body)
	return numbers(v), err
}

// numbers gives a JSON value the numbers that JavaScript reads: floats of 64 bits. Those that are whole are integers.
func numbers(v any) any {
	switch v := v.(type) {
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return numbers(f)
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			i, _ := big.NewFloat(v).Int(nil)
			return i
		}
		return v
	case expr.Items:
		for i := range v {
			v[i] = numbers(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
		return v
	}
	return v
}

package suite

import (
	"math"
	"math/big"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// jsJSON reads a body as JSON.parse does.
func jsJSON(r *exchange.Response) (any, error) {
	body, _ := r.Payload()
	v, err := expr.ParseJSON(body)
	return jsNumbers(v), err
}

// jsNumbers gives a JSON value the numbers that JavaScript reads: floats of 64 bits. Those that are whole are integers.
func jsNumbers(v any) any {
	switch v := v.(type) {
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return jsNumbers(f)
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			i, _ := big.NewFloat(v).Int(nil)
			return i
		}
		return v
	case expr.Items:
		for i := range v {
			v[i] = jsNumbers(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = jsNumbers(v[k])
		}
		return v
	}
	return v
}

package suite

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// errRaised is that Python would raise an exception: a missing key, an index beyond the end, a body that is no JSON.
// Within an assertion it is a failure like any other.
var errRaised = errors.New("an exception is raised")

// errForeign is that an expression uses something that the evaluator does not know.
var errForeign = errors.New("not understood")

// answer is what one call got in one run, as the suite's HTTP client shows it.
type answer struct {
	response *exchange.Response // nil where the call failed below HTTP
	client   client
	json     any
	jsonErr  error
	parsed   bool
}

// scope holds the names of an expression, the answers of one run among them: "res_0" and so on.
type scope map[string]any

// Things that an expression can name beside plain values.
type (
	pyHeaders struct{ r *exchange.Response }
	pyMethod  struct {
		self any
		name string
	}
	pyFunction string // a builtin, a helper of the generator, or a type
)

// holds evaluates an assertion's expression in the scope of one run. err is errForeign where it cannot be said.
func (s scope) holds(x expr) (bool, error) {
	v, err := s.eval(x)
	if errors.Is(err, errRaised) {
		return false, nil
	}
	return err == nil && pyTrue(v), err
}

func raised(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errRaised}, args...)...)
}

func foreign(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errForeign}, args...)...)
}

// eval gives an expression its value.
func (s scope) eval(x expr) (any, error) {
	switch x := x.(type) {
	case pyStr:
		return x.s, nil
	case pyNum:
		if v, ok := pyNumber(x.text); ok {
			return v, nil
		}
		return nil, foreign("the number %s", x.text)
	case pyName:
		return s.name(x.id)
	case pyAttr:
		return s.attr(x)
	case pyIndex:
		return s.index(x)
	case pyCall:
		return s.call(x)
	case pyUnary:
		return s.unary(x)
	case pyBinary:
		return s.binary(x)
	case pyCompare:
		return s.compare(x)
	case pyBool:
		return s.logic(x)
	case pyIf:
		if ok, err := s.holds(x.cond); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			return s.eval(x.y)
		}
		return s.eval(x.x)
	case pySeq:
		return s.all(x.elems)
	case pyComp:
		return s.comprehension(x)
	case pyDict:
		return s.dict(x)
	}
	return nil, foreign("an expression of an unknown form")
}

func (s scope) dict(x pyDict) (any, error) {
	out := make(map[string]any, len(x.keys))
	for i, k := range x.keys {
		key, ok := k.(pyStr)
		if !ok {
			return nil, foreign("a key that is no string")
		}
		v, err := s.eval(x.values[i])
		if err != nil {
			return nil, err
		}
		out[key.s] = v
	}
	return out, nil
}

func (s scope) all(xs []expr) (pyItems, error) {
	out := make(pyItems, 0, len(xs))
	for _, x := range xs {
		v, err := s.eval(x)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (s scope) name(id string) (any, error) {
	if v, ok := s[id]; ok {
		switch v := v.(type) {
		case pyRaised:
			return nil, v.err
		case *answer:
			if v.failed() {
				return nil, raised("the call of %s failed", id)
			}
		}
		return v, nil
	}
	switch id {
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "None":
		return nil, nil
	case "len", "isinstance", "str", "int", "float", "bool", "list", "dict", "any", "all", "sorted",
		"is_valid_uri_or_empty", "__import__", "length", "is_empty":
		return pyFunction(id), nil
	case "Infinity", "NaN":
		return nil, raised("%s is no name in Python", id)
	}
	return nil, foreign("the name %s", id)
}

func (s scope) attr(x pyAttr) (any, error) {
	v, err := s.eval(x.x)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *answer:
		switch x.name {
		case "status_code":
			return big.NewInt(int64(v.response.Status)), nil
		case "text":
			return v.shownText()
		case "headers":
			return pyHeaders{v.response}, nil
		case "json":
			return pyMethod{v, x.name}, nil
		}
	case string, pyHeaders, map[string]any:
		return pyMethod{v, x.name}, nil
	case pyFunction:
		if v == "re" {
			return pyFunction("re." + x.name), nil
		}
	default:
		return nil, raised("no attribute %s", x.name)
	}
	return nil, foreign("the attribute %s", x.name)
}

// shownText is the body as the suite's client shows it as text.
func (a *answer) shownText() (string, error) {
	body, _ := a.response.Payload()
	switch a.client {
	case superagent:
		return a.superagentText()
	case postmanClient, hurlClient:
		return decoded(body), nil
	}
	return a.text(), nil
}

// text is the body as the requests library decodes it: by the charset that the media type names; text without one is
// Latin-1 by that library's rule, all else is taken for UTF-8.
func (a *answer) text() string {
	body, _ := a.response.Payload()
	contentType := strings.ToLower(a.response.Header.Get("Content-Type"))
	latin := strings.HasPrefix(contentType, "text/") && !strings.Contains(contentType, "charset") ||
		strings.Contains(contentType, "iso-8859-1")
	if latin || !utf8.Valid(body) {
		return wire.Latin1(string(body))
	}
	return string(body)
}

func (a *answer) value() (any, error) {
	if !a.parsed {
		a.json, a.jsonErr = a.client.parse(a.response)
		a.parsed = true
	}
	if errors.Is(a.jsonErr, errForeign) {
		return nil, a.jsonErr
	}
	if a.jsonErr != nil {
		return nil, raised("the body is no JSON")
	}
	return a.json, nil
}

func (s scope) index(x pyIndex) (any, error) {
	v, err := s.eval(x.x)
	if err != nil {
		return nil, err
	}
	if slice, ok := x.i.(pySlice); ok {
		return s.slice(v, slice)
	}
	i, err := s.eval(x.i)
	if err != nil {
		return nil, err
	}
	key, isKey := i.(string)
	switch v := v.(type) {
	case map[string]any:
		if e, ok := v[key]; ok && isKey {
			return e, nil
		}
		return nil, raised("no key %q", key)
	case pyHeaders:
		if isKey && v.r.Header.Has(key) {
			return strings.Join(v.r.Header.Values(key), ", "), nil
		}
		return nil, raised("no header %q", key)
	case pyItems:
		n, ok := i.(*big.Int)
		if !ok || !n.IsInt64() {
			return nil, raised("no index")
		}
		at := n.Int64()
		if at < 0 {
			at += int64(len(v))
		}
		if at < 0 || at >= int64(len(v)) {
			return nil, raised("no element %d", at)
		}
		return v[at], nil
	case string:
		return nil, foreign("a character of a string")
	}
	return nil, raised("no elements")
}

func (s scope) slice(v any, x pySlice) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, foreign("a slice of what is no string")
	}
	runes := []rune(text)
	bound := func(e expr, otherwise int) (int, error) {
		if e == nil {
			return otherwise, nil
		}
		n, err := s.eval(e)
		i, ok := n.(*big.Int)
		if err != nil || !ok || !i.IsInt64() || i.Sign() < 0 {
			return 0, foreign("a slice")
		}
		return int(min(i.Int64(), int64(len(runes)))), nil
	}
	from, err := bound(x.from, 0)
	if err != nil {
		return nil, err
	}
	to, err := bound(x.to, len(runes))
	if err != nil || from > to {
		return "", err
	}
	return string(runes[from:to]), nil
}

func (s scope) unary(x pyUnary) (any, error) {
	v, err := s.eval(x.x)
	if err != nil {
		return nil, err
	}
	switch {
	case x.op == "not":
		return !pyTrue(v), nil
	case x.op == "-":
		switch n := v.(type) {
		case *big.Int:
			return new(big.Int).Neg(n), nil
		case float64:
			return -n, nil
		}
	}
	return nil, foreign("the operator %s", x.op)
}

func (s scope) binary(x pyBinary) (any, error) {
	a, err := s.eval(x.x)
	if err != nil {
		return nil, err
	}
	b, err := s.eval(x.y)
	if err != nil {
		return nil, err
	}
	if t, ok := a.(string); ok && x.op == "+" {
		if u, ok := b.(string); ok {
			return t + u, nil
		}
		return nil, raised("a string and something else added")
	}
	m, okM := a.(*big.Int)
	n, okN := b.(*big.Int)
	if okM && okN {
		switch x.op {
		case "+":
			return new(big.Int).Add(m, n), nil
		case "-":
			return new(big.Int).Sub(m, n), nil
		case "//":
			if n.Sign() > 0 {
				return new(big.Int).Div(m, n), nil
			}
		}
	}
	return nil, foreign("the operator %s", x.op)
}

func (s scope) compare(x pyCompare) (any, error) {
	left, err := s.eval(x.x)
	if err != nil {
		return nil, err
	}
	for i, op := range x.ops {
		right, err := s.eval(x.ys[i])
		if err != nil {
			return nil, err
		}
		ok, err := relate(op, left, right)
		if err != nil || !ok {
			return false, err
		}
		left = right
	}
	return true, nil
}

// relate applies one comparison operator.
func relate(op string, a, b any) (bool, error) {
	switch op {
	case "==":
		return pyEqual(a, b), nil
	case "!=":
		return !pyEqual(a, b), nil
	case "is", "is not":
		same := a == nil && b == nil
		if x, ok := a.(bool); ok {
			same = x == b
		} else if _, ok := b.(bool); ok {
			same = false
		} else if a != nil && b != nil {
			return false, foreign("identity of values")
		}
		return same == (op == "is"), nil
	case "in", "not in":
		in, err := contains(b, a)
		return in == (op == "in") && err == nil, err
	}
	c, ok := pyOrder(a, b)
	if t, isText := a.(string); isText && !ok {
		var u string
		if u, ok = b.(string); ok {
			c = strings.Compare(t, u)
		}
	}
	if !ok {
		return false, raised("values that have no order")
	}
	switch op {
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	}
	return c >= 0, nil
}

// contains is Python's "x in v".
func contains(v, x any) (bool, error) {
	key, isText := x.(string)
	switch v := v.(type) {
	case string:
		if !isText {
			return false, raised("something else looked for in a string")
		}
		return strings.Contains(v, key), nil
	case pyHeaders:
		return isText && v.r.Header.Has(key), nil
	case map[string]any:
		_, ok := v[key]
		return ok && isText, nil
	case pyItems:
		for _, e := range v {
			if pyEqual(e, x) {
				return true, nil
			}
		}
		return false, nil
	}
	return false, raised("nothing to look in")
}

func (s scope) logic(x pyBool) (any, error) {
	var v any
	for _, e := range x.xs {
		var err error
		if v, err = s.eval(e); err != nil {
			return nil, err
		}
		if pyTrue(v) == (x.op == "or") {
			break
		}
	}
	return v, nil
}

func (s scope) comprehension(x pyComp) (any, error) {
	v, err := s.eval(x.list)
	if err != nil {
		return nil, err
	}
	items, ok := v.(pyItems)
	if !ok {
		return nil, raised("nothing to go through")
	}
	inner := make(scope, len(s)+1)
	for k, v := range s {
		inner[k] = v
	}
	out := pyItems{}
	for _, e := range items {
		inner[x.name] = e
		if x.cond != nil {
			c, err := inner.eval(x.cond)
			if err != nil {
				return nil, err
			}
			if !pyTrue(c) {
				continue
			}
		}
		v, err := inner.eval(x.elem)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

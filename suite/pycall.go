package suite

import (
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strings"
)

func (s scope) call(x pyCall) (any, error) {
	fn, err := s.eval(x.fn)
	if err != nil {
		return nil, err
	}
	if f, ok := fn.(pyFunction); ok && f == "isinstance" {
		return s.isinstance(x)
	}
	args, err := s.all(x.args)
	if err != nil {
		return nil, err
	}
	if len(x.kw) > 0 {
		return nil, foreign("named arguments")
	}
	switch fn := fn.(type) {
	case pyMethod:
		return fn.call(args)
	case pyFunction:
		return fn.call(args)
	}
	return nil, raised("what is called is no function")
}

// isinstance takes its second argument as it is written: a type, or a tuple of types.
func (s scope) isinstance(x pyCall) (any, error) {
	if len(x.args) != 2 {
		return nil, raised("isinstance takes two arguments")
	}
	v, err := s.eval(x.args[0])
	if err != nil {
		return nil, err
	}
	types := []expr{x.args[1]}
	if seq, ok := x.args[1].(pySeq); ok {
		types = seq.elems
	}
	for _, t := range types {
		name, ok := t.(pyName)
		if !ok {
			return nil, foreign("a type of an unknown form")
		}
		if pyIs(v, name.id) {
			return true, nil
		}
	}
	return false, nil
}

func (m pyMethod) call(args pyItems) (any, error) {
	if a, ok := m.self.(*answer); ok {
		return a.value()
	}
	if m.name == "get" && (len(args) == 1 || len(args) == 2) {
		in, err := contains(m.self, args[0])
		switch self := m.self.(type) {
		case pyHeaders:
			if in {
				return strings.Join(self.r.Header.Values(args[0].(string)), ", "), err
			}
		case map[string]any:
			if in {
				return self[args[0].(string)], err
			}
		}
		if len(args) == 2 {
			return args[1], err
		}
		return nil, err
	}
	text, ok := m.self.(string)
	if !ok {
		return nil, foreign("the method %s", m.name)
	}
	switch {
	case m.name == "isdigit" && len(args) == 0:
		return text != "" && strings.Trim(text, "0123456789") == "", nil
	case m.name == "strip" && len(args) == 0:
		return strings.TrimSpace(text), nil
	case m.name == "startswith" && len(args) == 1:
		prefix, ok := args[0].(string)
		return ok && strings.HasPrefix(text, prefix), nil
	case m.name == "endswith" && len(args) == 1:
		suffix, ok := args[0].(string)
		return ok && strings.HasSuffix(text, suffix), nil
	}
	return nil, foreign("the method %s", m.name)
}

func (f pyFunction) call(args pyItems) (any, error) {
	switch {
	case f == "len" && len(args) == 1:
		if n, ok := pyLen(args[0]); ok {
			return big.NewInt(int64(n)), nil
		}
		return nil, raised("what has no length")
	case f == "length" && len(args) == 1:
		return jsLength(args[0])
	case f == "is_empty" && len(args) == 1:
		return jsEmpty(args[0]), nil
	case (f == "any" || f == "all") && len(args) == 1:
		items, ok := args[0].(pyItems)
		if !ok {
			return nil, raised("nothing to go through")
		}
		for _, v := range items {
			if pyTrue(v) == (f == "any") {
				return f == "any", nil
			}
		}
		return f == "all", nil
	case f == "float" && len(args) == 1:
		if args[0] == "inf" {
			return math.Inf(1), nil
		}
		if args[0] == "-inf" {
			return math.Inf(-1), nil
		}
	case f == "str" && len(args) == 1:
		switch v := args[0].(type) {
		case string:
			return v, nil
		case *big.Int:
			return v.String(), nil
		}
	case f == "is_valid_uri_or_empty" && len(args) == 1:
		return validURI(args[0]), nil
	case f == "__import__" && len(args) == 1 && args[0] == "re":
		return pyFunction("re"), nil
	case (f == "re.fullmatch" || f == "re.search") && len(args) == 2:
		return match(string(f), args)
	}
	return nil, foreign("the function %s", string(f))
}

// validURI is the generator's is_valid_uri_or_empty.
func validURI(v any) bool {
	text, ok := v.(string)
	if !ok {
		return v == nil
	}
	_, err := url.Parse(strings.TrimSpace(text))
	return err == nil
}

// match is re.fullmatch and re.search, for the patterns that both Python and Go understand.
func match(f string, args pyItems) (any, error) {
	pattern, ok := args[0].(string)
	text, isText := args[1].(string)
	if !ok || !isText {
		return nil, raised("what is matched is no string")
	}
	if f == "re.fullmatch" {
		pattern = `\A(?:` + pattern + `)\z`
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, foreign("the pattern %s", pattern)
	}
	return re.MatchString(text), nil
}

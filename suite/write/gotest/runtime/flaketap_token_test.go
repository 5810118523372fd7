package apitest

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
)

// tokenParts is what a JSON web token holds, its lifetime among it; nil where a text is none. The signature is not checked.
func tokenParts(text string) *object {
	parts := strings.Split(strings.TrimPrefix(text, "Bearer "), ".")
	if len(parts) != 3 {
		return nil
	}
	header, claims := tokenPart(parts[0]), tokenPart(parts[1])
	if header == nil || claims == nil {
		return nil
	}
	if _, ok := header.get("alg"); !ok {
		return nil
	}
	if _, err := base64.RawURLEncoding.DecodeString(parts[2]); err != nil {
		return nil
	}
	out := &object{keys: []string{"header", "claims", "signature"}, values: []any{header, claims, parts[2]}}
	if ends, begins := tokenTime(claims, "exp"), tokenTime(claims, "iat"); ends > 0 && begins > 0 {
		out.keys = append(out.keys, "lifetime")
		out.values = append(out.values, json.Number(strconv.FormatInt(ends-begins, 10)))
	}
	return out
}

// tokenPart is the object that a part of a token encodes; nil where it encodes none.
func tokenPart(part string) *object {
	plain, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return nil
	}
	value, err := parse(plain)
	if err != nil {
		return nil
	}
	of, _ := value.(*object)
	return of
}

// tokenTime is a claim that is a number of seconds; 0 where it is none.
func tokenTime(claims *object, name string) int64 {
	value, _ := claims.get(name)
	number, _ := value.(json.Number)
	seconds, _ := number.Int64()
	return seconds
}

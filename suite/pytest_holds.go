package suite

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/volatility"
)

// conditions writes what holds of the value v as one Python expression; "" where nothing does. With strong, a mere type
// counts for nothing.
func conditions(h volatility.Holds, v string, strong bool) string {
	if len(h.Equal) > 0 {
		return v + " == " + pyRawToken(h.Equal)
	}
	if n := len(h.OneOf); n > 0 {
		values := make([]string, n)
		for i, raw := range h.OneOf {
			values[i] = pyRawToken(raw)
		}
		if n == 1 {
			return v + " == " + values[0]
		}
		return v + " in [" + strings.Join(values, ", ") + "]"
	}
	var all []string
	only := "" // the one type beside null
	if rest := strings.TrimPrefix(h.Type, "null|"); !strings.Contains(rest, "|") {
		only = rest
	}
	text := textCondition(h, v)
	if h.Type != "" && (text == "" || only != "string" || strings.HasPrefix(text, "near_clock(")) {
		all = append(all, fmt.Sprintf("is_type(%s, %s)", v, pyString(h.Type)))
	}
	switch {
	case text == "":
	case only != "":
		all = append(all, nullable(h, v, text))
	default:
		all = append(all, fmt.Sprintf("(not isinstance(%s, str) or %s)", v, grouped(text)))
	}
	if bounds := numberCondition(h, v); bounds != "" && (only == "integer" || only == "number") {
		all = append(all, nullable(h, v, bounds))
	}
	if lengths := lengthCondition(h, v); lengths != "" && (only == "array" || only == "string" && text == "") {
		all = append(all, nullable(h, v, lengths))
	}
	if strong && len(all) == 1 && strings.HasPrefix(all[0], "is_type(") && h.Type == "" {
		return ""
	}
	return strings.Join(all, " and ")
}

// nullable lets null through where the type does.
func nullable(h volatility.Holds, v, condition string) string {
	if strings.HasPrefix(h.Type, "null|") {
		return "(" + v + " is None or " + grouped(condition) + ")"
	}
	return condition
}

// grouped puts a condition of several parts in brackets.
func grouped(condition string) string {
	if strings.Contains(condition, " and ") {
		return "(" + condition + ")"
	}
	return condition
}

// textCondition says what a string, or a time in any form, looks like.
func textCondition(h volatility.Holds, v string) string {
	var all []string
	switch {
	case h.Pattern != "":
		pattern := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
		all = append(all, "matches("+pyRaw(pattern)+", "+v+")")
	case volatility.FormatPattern(h.Format) != "":
		all = append(all, "is_format("+v+", "+pyString(h.Format)+")")
	}
	if h.Echo == string(hostPlace) {
		all = append(all, "res.host in "+v)
	}
	if h.Clock > 0 {
		all = append(all, fmt.Sprintf("near_clock(%s, %d, res.time)", v, h.Clock))
	}
	return strings.Join(all, " and ")
}

func numberCondition(h volatility.Holds, v string) string {
	if h.Min == "" && h.Max == "" {
		return ""
	}
	low, high := `"-Infinity"`, `"Infinity"`
	if h.Min != "" {
		low = pyString(h.Min.String())
	}
	if h.Max != "" {
		high = pyString(h.Max.String())
	}
	return "between(" + low + ", " + v + ", " + high + ")"
}

func lengthCondition(h volatility.Holds, v string) string {
	switch {
	case h.MinLength != nil && h.MaxLength != nil && *h.MinLength == *h.MaxLength:
		return fmt.Sprintf("len(%s) == %d", v, *h.MinLength)
	case h.MinLength != nil && h.MaxLength != nil:
		return fmt.Sprintf("%d <= len(%s) <= %d", *h.MinLength, v, *h.MaxLength)
	case h.MinLength != nil:
		return fmt.Sprintf("len(%s) >= %d", v, *h.MinLength)
	case h.MaxLength != nil:
		return fmt.Sprintf("len(%s) <= %d", v, *h.MaxLength)
	}
	return ""
}

// pyRawToken writes a raw JSON value as a Python literal.
func pyRawToken(raw []byte) string {
	if n := readNode(raw); n != nil {
		return n.line()
	}
	return "None"
}

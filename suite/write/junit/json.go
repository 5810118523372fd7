package junit

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// jsonWidth is how wide a line of JSON may be before its arrays and objects are broken; maxWord is what a line must
// not exceed to stand in a block; maxIndent bounds how far lines are indented, in steps.
const (
	maxIndent = 20
	jsonWidth = 72
	maxWord   = 2000
)

// json writes JSON as the arguments of a call that joins them: one literal where it is short, else blocks of lines.
func (j *language) json(raw string) []doc {
	compact := jsonLine(raw)
	if word(j.literal(compact)).width() <= maxLiteral {
		return []doc{word(j.literal(compact))}
	}
	lines := jsonLines(raw, 0, "", "")
	var blocks []doc
	current, size := block{`"""`}, 0
	for _, l := range lines {
		if len(l) > maxWord {
			return j.chunks(compact)
		}
		if size += len(l); size > maxChunk {
			blocks = append(blocks, append(current, `"""`))
			current, size = block{`"""`}, len(l)
		}
		current = append(current, j.blockLine(l))
	}
	return append(blocks, append(current, `"""`))
}

// blockLine writes a line of JSON within a block, where Java reads escapes and Kotlin templates.
func (j *language) blockLine(l string) string {
	if j.kotlin {
		return strings.ReplaceAll(l, "$", `\u0024`)
	}
	return strings.ReplaceAll(l, `\`, `\\`)
}

// jsonLine writes JSON on one line, its tokens as they are, but that what cannot be seen is escaped.
func jsonLine(raw string) string {
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() {
		return jsonToken(v.Raw)
	}
	var parts []string
	v.ForEach(func(key, value gjson.Result) bool {
		part := jsonLine(value.Raw)
		if v.IsObject() {
			part = jsonToken(key.Raw) + ": " + part
		}
		parts = append(parts, part)
		return true
	})
	if v.IsObject() {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// jsonLines writes JSON on as many lines as it needs.
func jsonLines(raw string, depth int, before, after string) []string {
	indent := strings.Repeat("  ", min(depth, maxIndent))
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() || len(raw) < 4*jsonWidth {
		if one := indent + before + jsonLine(raw) + after; !v.IsObject() && !v.IsArray() || len(one) <= jsonWidth {
			return []string{one}
		}
	}
	open, shut := "[", "]"
	if v.IsObject() {
		open, shut = "{", "}"
	}
	out := []string{indent + before + open}
	v.ForEach(func(key, value gjson.Result) bool {
		name := ""
		if v.IsObject() {
			name = jsonToken(key.Raw) + ": "
		}
		out = append(out, jsonLines(value.Raw, depth+1, name, ",")...)
		return true
	})
	out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], ",")
	return append(out, indent+shut+after)
}

// jsonToken escapes what cannot be seen in a token of JSON.
func jsonToken(raw string) string {
	if !strings.ContainsFunc(raw, unseen) {
		return raw
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(raw, "\ufffd") {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func unseen(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

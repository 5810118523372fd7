package write

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// jvmJSONWidth is how wide a line of JSON may be before its arrays and objects are broken; jvmMaxWord is what a line must not
// exceed to stand in a block; jvmMaxIndent bounds how far lines are indented, in steps.
const (
	jvmMaxIndent = 20
	jvmJSONWidth = 72
	jvmMaxWord   = 2000
)

// json writes JSON as the arguments of a call that joins them: one literal where it is short, else blocks of lines.
func (j *jvmLanguage) json(raw string) []jvmDoc {
	compact := jvmJSONLine(raw)
	if jvmWord(j.literal(compact)).width() <= jvmMaxLiteral {
		return []jvmDoc{jvmWord(j.literal(compact))}
	}
	lines := jvmJSONLines(raw, 0, "", "")
	var blocks []jvmDoc
	current, size := jvmBlock{`"""`}, 0
	for _, l := range lines {
		if len(l) > jvmMaxWord {
			return j.chunks(compact)
		}
		if size += len(l); size > jvmMaxChunk {
			blocks = append(blocks, append(current, `"""`))
			current, size = jvmBlock{`"""`}, len(l)
		}
		current = append(current, j.blockLine(l))
	}
	return append(blocks, append(current, `"""`))
}

// blockLine writes a line of JSON within a block, where Java reads escapes and Kotlin templates.
func (j *jvmLanguage) blockLine(l string) string {
	if j.kotlin {
		return strings.ReplaceAll(l, "$", `\u0024`)
	}
	return strings.ReplaceAll(l, `\`, `\\`)
}

// jsonLine writes JSON on one line, its tokens as they are, but that what cannot be seen is escaped.
func jvmJSONLine(raw string) string {
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() {
		return jvmJSONToken(v.Raw)
	}
	var parts []string
	v.ForEach(func(key, value gjson.Result) bool {
		part := jvmJSONLine(value.Raw)
		if v.IsObject() {
			part = jvmJSONToken(key.Raw) + ": " + part
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
func jvmJSONLines(raw string, depth int, before, after string) []string {
	indent := strings.Repeat("  ", min(depth, jvmMaxIndent))
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() || len(raw) < 4*jvmJSONWidth {
		if one := indent + before + jvmJSONLine(raw) + after; !v.IsObject() && !v.IsArray() || len(one) <= jvmJSONWidth {
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
			name = jvmJSONToken(key.Raw) + ": "
		}
		out = append(out, jvmJSONLines(value.Raw, depth+1, name, ",")...)
		return true
	})
	out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], ",")
	return append(out, indent+shut+after)
}

// jsonToken escapes what cannot be seen in a token of JSON.
func jvmJSONToken(raw string) string {
	if !strings.ContainsFunc(raw, jvmUnseen) {
		return raw
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(raw, "\ufffd") {
		switch {
		case !jvmUnseen(r):
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

func jvmUnseen(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

package handset

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// SplitURL splits the content of a text where the path of a URL begins, behind a host or an expression, which begins
// with open where the text is a template; false where none does.
func SplitURL(content, open string, template bool) (base, path string, ok bool) {
	if strings.Contains(content, "\\") {
		return "", "", false
	}
	if host := script.SchemeAndHost.FindString(content); host != "" && (!template || !strings.Contains(host, "{")) {
		return host, content[len(host):], true
	}
	if template && strings.HasPrefix(content, open) {
		depth := 0
		for i := len(open) - 1; i < len(content); i++ {
			switch content[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				base, path = content[:i+1], content[i+1:]
				return base, path, path == "" || path[0] == '/'
			}
		}
		return "", "", false
	}
	return "", content, strings.HasPrefix(content, "/")
}

// Mount is the path that a base leads to: what stands before a path, as far as it is written out, in the target that
// was sent; false where that is not clear.
func Mount(target, path, open string) (string, bool) {
	sent, _ := exchange.SplitTarget(target)
	for _, end := range []string{"?", open, script.Unknown} {
		path, _, _ = strings.Cut(path, end)
	}
	at := strings.Index(sent, path)
	return sent[:max(at, 0)], at >= 0 && (at == 0 || path != "" && strings.LastIndex(sent, path) == at)
}

// BelowMount is a target without the path that a base leads to, as it is written behind that base; false where it is
// none below it.
func BelowMount(target []script.TextPart, mount string) ([]script.TextPart, bool) {
	if len(target) == 0 || !strings.HasPrefix(target[0].Text, mount) {
		return nil, false
	}
	rest := strings.TrimPrefix(target[0].Text, mount)
	if mount != "" && rest != "" && !strings.ContainsAny(rest[:1], "/?") {
		return nil, false
	}
	target = slices.Clone(target)
	target[0].Text = rest
	return target, true
}

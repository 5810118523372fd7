package jest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// fetchRefuses says why fetch would not send a request, or not as it was recorded, for a comment; "" where it does. The
// reasons are those of the Fetch and URL standards, and of Node's client.
func fetchRefuses(s *plan.Step) string {
	if why := fetchTarget(s.Target); why != "" {
		return "node:http sends it, since fetch " + why
	}
	switch upper := strings.ToUpper(s.Method); {
	case upper == "TRACE" || upper == "TRACK" || upper == "CONNECT":
		return "node:http sends it, since fetch refuses the method " + s.Method
	case s.Method != upper && slices.Contains([]string{"DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"}, upper):
		return "node:http sends it, since fetch would write the method in capitals"
	case s.Body != nil && (upper == "GET" || upper == "HEAD"):
		return "node:http sends it, since fetch refuses a " + s.Method + " with a body"
	}
	seen := map[string]bool{}
	for _, h := range s.Headers {
		name := strings.ToLower(h.Name)
		value, _ := h.Value.Constant()
		switch {
		case slices.Contains([]string{"keep-alive", "upgrade", "expect", "transfer-encoding", "te", "trailer"}, name):
			return "node:http sends it, since fetch refuses the header " + h.Name
		case seen[name]:
			return fmt.Sprintf("node:http sends it, since fetch would join the lines of the header %s", h.Name)
		case value != strings.TrimSpace(value):
			return "node:http sends it, since fetch would trim the header " + h.Name
		}
		seen[name] = true
	}
	if why := fetchAnswer(s); why != "" {
		return "node:http sends it, since fetch " + why
	}
	return ""
}

// fetchTarget says what fetch would do to a target: it writes a URL as the standard has it.
func fetchTarget(t plan.Text) string {
	var literal strings.Builder
	for _, p := range t {
		if p.IsLiteral() {
			literal.WriteString(p.Literal)
		} else {
			literal.WriteByte('x')
		}
	}
	target := literal.String()
	path, query, asks := strings.Cut(target, "?")
	switch {
	case !strings.HasPrefix(target, "/"):
		return "sends no request-target but a path"
	case asks && query == "":
		return "would leave out the ? of an empty query"
	case strings.ContainsAny(path, "\\^{}|`\"<>#") || strings.ContainsAny(query, "'\"<>#") || !graphic(target):
		return "would escape characters of the target"
	}
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		switch strings.ReplaceAll(segment, "%2e", ".") {
		case ".", "..":
			return "would resolve the dots of the path"
		}
	}
	return ""
}

// graphic reports whether a text has printable ASCII characters alone, and no blank.
func graphic(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// fetchAnswer says what of an answer fetch would hide or change: the lines of a header, and what the API says of the
// request's own headers, to which fetch adds some.
func fetchAnswer(s *plan.Step) string {
	for _, c := range s.Checks {
		if c.Kind == plan.CheckHeader && len(c.Lines) > 1 || c.Place.Root() == "header" &&
			strings.Contains(c.Holds.Pattern, "\n") {
			return "would join the lines of a header of the answer"
		}
	}
	if s.EchoesHeaders() {
		return "adds headers that the answer shows"
	}
	return ""
}

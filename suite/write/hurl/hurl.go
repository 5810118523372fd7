package hurl

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Write writes a plan as files for Hurl 8, one per group, with Hurl's own captures and asserts: ./run.sh runs them, and
// says how to by hand. What Hurl cannot assert is a comment. Its JSONPath is that of RFC 9535, so much of what it has
// no predicate for is said as a filter that must find nothing.
//
// Bound values are variables, in variables.env as recorded, and captured; secrets are in secrets.env alone, which is
// for the owner's eyes.
func Write(p plan.Plan) ([]suite.File, error) {
	w := newHurlWriter(p)
	groupNames, tests := plan.Groups(plan.Together(p.Tests))
	var names []string
	for _, g := range groupNames {
		names = append(names, g+".hurl")
		w.files = append(w.files, suite.File{Name: g + ".hurl", Data: []byte(w.group(tests[g])), Perm: 0o644})
	}
	secrets, variables := w.variables()
	w.files = append(w.files,
		suite.File{Name: ".gitignore", Data: []byte("secrets.env\nbodies/\n"), Perm: 0o644},
		suite.File{Name: "run.sh", Data: []byte(w.script(names)), Perm: 0o755},
		suite.File{Name: "secrets.env", Data: []byte(secrets), Perm: 0o600},
		suite.File{Name: "secrets.example.env", Data: []byte(nameOnly.ReplaceAllString(secrets, "$1=")), Perm: 0o644},
		suite.File{Name: "variables.env", Data: []byte(variables), Perm: 0o644},
	)
	slices.SortFunc(w.files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
	return w.files, nil
}

// leavesOut reports whether a test ends where a set-up did not give what it is to give: in Hurl it would fail there.
func leavesOut(t plan.Test) bool {
	return slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Role == plan.SetUp && s.Ends && !s.Once })
}

// writer writes one project.
type writer struct {
	plan     plan.Plan
	names    map[string]string               // of variables: of bound values, and of secrets
	variants map[string]map[plan.Escape]bool // how each is escaped somewhere, by those names
	recorded map[string]string               // the recorded value of each, by those names
	files    []suite.File
	written  map[string]bool
}

func newHurlWriter(p plan.Plan) *writer {
	w := &writer{
		plan: p, names: map[string]string{}, variants: map[string]map[plan.Escape]bool{}, recorded: map[string]string{},
		written: map[string]bool{},
	}
	taken := map[string]bool{"url": true, "host": true, "newDate": true, "newUuid": true}
	name := func(s string) string {
		for s = nameless.ReplaceAllString(s, "_"); taken[s]; {
			s += "_"
		}
		taken[s] = true
		return s
	}
	for secret, value := range p.Secrets {
		w.names[secret] = secret
		w.recorded[secret] = value
	}
	for _, v := range p.Bound {
		w.names[v.Name] = name(v.Name)
		var value strings.Builder
		for _, piece := range v.Recorded {
			value.WriteString(cmp.Or(p.Secrets[piece.Secret], piece.Literal))
		}
		w.recorded[w.names[v.Name]] = value.String()
	}
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			for _, piece := range slices.Concat(s.Texts()...) {
				if n := w.names[cmp.Or(piece.Bound, piece.Secret)]; n != "" && piece.Escape != plan.Plain &&
					!(piece.Escape == plan.AsJSON && aJSONNumber.MatchString(w.recorded[n])) {
					if w.variants[n] == nil {
						w.variants[n] = map[plan.Escape]bool{}
					}
					w.variants[n][piece.Escape] = true
				}
			}
		}
	}
	return w
}

var (
	nameless    = regexp.MustCompile(`[^A-Za-z0-9_]`)
	nameOnly    = regexp.MustCompile(`(?m)^(\w+)=.*$`)
	aJSONNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?$`)
)

// escapeVariants are the further variables of a value: what each is called behind its name, how the recorded value is
// written in it, and by which filters a captured one is.
func escapeVariants() []struct {
	escape  plan.Escape
	suffix  string
	write   func(string) string
	filters string
} {
	inJSON := func(s string) string {
		raw := literal.JSON(s)
		return raw[1 : len(raw)-1]
	}
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	const quotes = `toString replaceRegex /(["\\])/ "\\$1"`
	return []struct {
		escape  plan.Escape
		suffix  string
		write   func(string) string
		filters string
	}{
		{plan.InPath, "_path", escape, "toString urlEncode"},
		{plan.InQuery, "_query", escape, "toString urlEncode"},
		{plan.InJSON, "_json", inJSON, quotes},
		{plan.AsJSON, "_value", inJSON, quotes},
	}
}

// variables are the files of variables: those that are secret, or hold a secret, and the others.
func (w *writer) variables() (secrets, variables string) {
	hosts := w.plan.Target
	if _, rest, ok := strings.Cut(hosts, "://"); ok {
		hosts = rest
	}
	variables = "url=" + w.plan.Target + "\nhost=\"" + hosts + "\"\n"
	write := func(out *string, name, quote string) {
		value := w.recorded[name]
		all := []string{name, value}
		for _, v := range escapeVariants() {
			if w.variants[name][v.escape] {
				all = append(all, name+v.suffix, v.write(value))
			}
		}
		for i := 0; i < len(all); i += 2 {
			if !strings.ContainsAny(all[i+1], "\r\n") { // a file of variables has a line for each
				*out += all[i] + "=" + quote + all[i+1] + quote + "\n"
			}
		}
	}
	for _, v := range w.plan.Bound {
		if _, ok := v.Recorded.Constant(); ok {
			write(&variables, w.names[v.Name], `"`)
		} else {
			write(&secrets, w.names[v.Name], "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.plan.Secrets)) {
		write(&secrets, name, "")
	}
	return secrets, variables
}

// script runs the files.
func (w *writer) script(names []string) string {
	about, secrets, run := "", `"${FLAKETAP_SECRETS:-secrets.env}"`, "exec "
	if len(w.plan.Secrets) > 0 {
		about, secrets, run = w.credentials(), `"$secrets"`, ""
	}
	return `#!/bin/sh
# Runs the files with Hurl 8, in order. FLAKETAP_URL is the API, or else the recorded one; FLAKETAP_RESET, a URL to
# POST to or a shell command, resets it first; FLAKETAP_SECRETS names another secrets.env. What is not one of these goes
# to hurl: ./run.sh --report-html report
set -e
cd "$(dirname "$0")"
url=${FLAKETAP_URL:-` + shellQuoted(w.plan.Target) + `}
url=${url%/}
` + about + `case "$FLAKETAP_RESET" in
"") ;;
http://* | https://*) printf 'POST %s\nContent-Length: 0\n' "$FLAKETAP_RESET" | hurl --no-output ;;
*) sh -c "$FLAKETAP_RESET" ;;
esac
` + run + `hurl --test --jobs 1 --continue-on-error --no-cookie-store --path-as-is \
	--max-time "${FLAKETAP_TIMEOUT:-30}" ${FLAKETAP_INSECURE:+--insecure} --variables-file variables.env --secrets-file ` + secrets + ` \
	` + w.run() + `--variable "url=$url" --variable "host=\"${url#*://}\"" "$@" \
	` + strings.Join(names, " ") + "\n"
}

// run is the argument for what is another in each run; "" where nothing is.
func (w *writer) run() string {
	for _, v := range w.plan.Bound {
		if v.Fresh {
			return `--variable "` + w.names[v.Name] + `=r$(date +%s)" `
		}
	}
	return ""
}

// credentials is the part of the script that puts credentials of the environment in the place of recorded ones, in a
// copy of the file of secrets.
func (w *writer) credentials() string {
	var b strings.Builder
	b.WriteString(`
# What the environment gives goes before secrets.env, see README.md. Within a query it is written as it is given.
umask 077
secrets=$(mktemp)
trap 'status=$?; rm -f "$secrets" "$secrets.new"; [ $status = 0 ] ||
	echo "if answers are 401 or 403, a credential may have expired: README.md says how to give another" >&2' EXIT
[ ! -f "${FLAKETAP_SECRETS:-secrets.env}" ] || cat "${FLAKETAP_SECRETS:-secrets.env}" >"$secrets"
give() { # the variable of Hurl, that of the environment, its value
	if [ -n "$3" ]; then
		grep -v "^$1=" "$secrets" >"$secrets.new" || :
		printf '%s=%s\n' "$1" "$3" >>"$secrets.new"
		mv "$secrets.new" "$secrets"
	elif ! grep -q "^$1=." "$secrets"; then
		echo "secrets.env has no value for $1: give it there, or set the environment variable $2, see README.md" >&2
		exit 1
	fi
}
`)
	for _, secret := range slices.Sorted(maps.Keys(w.plan.Secrets)) {
		name, variable := w.names[secret], plan.Variable(secret)
		if strings.ContainsAny(w.recorded[name], "\r\n") {
			continue // no file of variables has it
		}
		fmt.Fprintf(&b, "give %s %s \"$%s\"\n", name, variable, variable)
		for _, v := range escapeVariants() {
			if w.variants[name][v.escape] {
				fmt.Fprintf(&b, "give %s %s \"$%s\"\n", name+v.suffix, variable, variable)
			}
		}
	}
	return b.String() + "\n"
}

// shellQuoted is a text within double quotes, or what stands where such could.
func shellQuoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "}", `\}`).Replace(s)
}

// group is the file of a group: the set-ups that its tests share, then the tests.
func (w *writer) group(tests []plan.Test) string {
	var b strings.Builder
	b.WriteString("# Made by flaketap from a recording. ./run.sh runs the files; a test is all entries below its comment.\n")
	seen := map[uint64]bool{}
	for _, t := range tests {
		for _, s := range t.Steps {
			if s.Once && !seen[s.Seq] {
				seen[s.Seq] = true
				b.WriteString("\n" + w.entry(&s))
			}
		}
	}
	for _, t := range tests {
		b.WriteString("\n# test: " + t.Name + "\n")
		for _, line := range t.About {
			b.WriteString("# " + plan.Visible(line) + "\n")
		}
		if leavesOut(t) {
			b.WriteString("# is left out: Hurl cannot end a test early when what it depends on was there before.\n")
			continue
		}
		for _, s := range t.Steps {
			if !s.Once && !tookAway(&s, t.Steps) {
				s.Left = cmp.Or(s.Left, uncaptured(&s, t.Steps))
				b.WriteString("\n" + w.entry(&s))
			}
		}
	}
	return b.String()
}

// tookAway reports whether a step is a clean-up of what the test takes away itself: Hurl goes on after an assertion
// that fails, and so comes to that by itself.
func tookAway(s *plan.Step, steps []plan.Step) bool {
	return s.Role == plan.CleanUp && slices.ContainsFunc(steps, func(by plan.Step) bool {
		return slices.ContainsFunc(by.Gone, func(name string) bool { return slices.Contains(s.Given, name) })
	})
}

// uncaptured says of a step that changes what answers name why it is not sent; "" where Hurl takes these names out of
// the answers: a capture that finds nothing ends the file then.
func uncaptured(s *plan.Step, steps []plan.Step) string {
	for _, name := range s.Given {
		taken := slices.ContainsFunc(steps, func(from plan.Step) bool {
			return slices.ContainsFunc(from.Captures, func(c plan.Capture) bool { return c.Name == name && spot(c.Place) != "" })
		})
		if !taken {
			return "Hurl cannot take " + name + " out of an answer, and what was recorded may be another's"
		}
	}
	return ""
}

// entry is one request with what is kept and asserted of its answer.
func (w *writer) entry(s *plan.Step) string {
	left := s.Left
	if left == "" {
		left = leftOut(s)
	}
	title := plan.Visible(s.Title)
	if left != "" {
		return "# " + title + " is left out: " + plan.Visible(left) + ".\n"
	}
	if s.Role != plan.Tested {
		title += " (" + string(s.Role) + ")"
	}
	var b strings.Builder
	base := "{{url}}"
	if s.Base != "" {
		base = literal.Hurl(s.Base, 0)
	}
	fmt.Fprintf(&b, "# %s\n", title)
	if seen := s.Wait.Comment(); seen != "" {
		fmt.Fprintf(&b, "# %s\n", seen)
	}
	head := fmt.Sprintf("%s %s%s\n", s.Method, base, w.text(s.Target, 0))
	for _, h := range s.Headers {
		head += keyOf(h.Name) + ": " + w.text(h.Value, 0) + "\n"
	}
	b.WriteString(head)
	if s.Wait != nil {
		s = waiting(s)
		pause := s.Wait.Pause()
		fmt.Fprintf(&b, "[Options]\nretry: %d\nretry-interval: %dms\n", int(s.Wait.Patience/pause), pause.Milliseconds())
		if end := w.end(s.Wait); end != "" {
			b.WriteString(w.body(s) + "HTTP *\n[Asserts]\n" + end + "\n\n" + head)
		}
	}
	b.WriteString(w.body(s))
	if s.Role != plan.CleanUp {
		b.WriteString(w.response(s))
	}
	return b.String()
}

// end asserts that an answer is what is waited for, or at a bad end, by the one word that tells both; "" where none
// does. An entry that waits for any end goes ahead of the one that asserts the good one, which a bad end fails at once:
// Hurl itself knows no end of its tries but the last.
func (w *writer) end(of *plan.Wait) string {
	if len(of.Values) != 1 || len(of.InVain) == 0 {
		return ""
	}
	query, many := (&asserts{w: w}).query(of.Values[0].Place)
	var words []string
	for _, v := range append(slices.Clone(of.Values), of.InVain...) {
		var word string
		if json.Unmarshal(v.JSON, &word) != nil || v.Place != of.Values[0].Place {
			return ""
		}
		words = append(words, literal.QuoteRegexp(word))
	}
	if query == "" || many {
		return ""
	}
	return query + " matches " + regex("^(?:"+strings.Join(words, "|")+")$")
}

// waiting is a step that asserts what is waited for: Hurl sends a request again until all that it asserts holds.
func waiting(s *plan.Step) *plan.Step {
	out := *s
	out.Checks = slices.Clone(s.Checks)
	looks := slices.ContainsFunc(s.Checks, func(c plan.Check) bool { return c.Place.Root() == "body" })
	for _, v := range s.Wait.Values {
		if s.Role == plan.SetUp || !looks {
			out.Checks = append(out.Checks, plan.Check{
				Kind: plan.CheckHolds, Place: v.Place, Holds: mapfile.Holds{Equal: v.JSON},
			})
		}
	}
	return &out
}

// body is a request's body, behind the headers that frame it.
func (w *writer) body(s *plan.Step) string {
	if s.Body == nil {
		return ""
	}
	frame := ""
	switch {
	case s.Body.Chunked:
		frame = "Transfer-Encoding: chunked\n"
	case len(s.Body.Bytes) == 0 && len(s.Body.Text) <= 1 && (len(s.Body.Text) == 0 || s.Body.Text[0] == plan.Piece{}):
		return "Content-Length: 0\n" // which Hurl sends none of
	}
	if s.Body.Bytes != nil {
		return frame + "base64," + base64.StdEncoding.EncodeToString(s.Body.Bytes) + ";\n"
	}
	if t := s.Body.Text; len(t) == 1 && t[0].Escape == plan.FromBase64 {
		data, _ := base64.StdEncoding.DecodeString(w.plan.Secrets[t[0].Secret])
		f := suite.File{Name: fmt.Sprintf("bodies/%d.secret", s.Seq), Data: data, Perm: 0o600}
		if !w.written[f.Name] {
			w.written[f.Name] = true
			w.files = append(w.files, f)
		}
		return frame + "file," + f.Name + ";\n"
	}
	return frame + "`" + w.text(s.Body.Text, '`') + "`\n"
}

// leftOut says why Hurl cannot send a request as it was recorded; "" where it can.
func leftOut(s *plan.Step) string {
	if s.Method == "" || strings.Trim(s.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "Hurl does not know this method"
	}
	first := ""
	for i, p := range s.Target {
		if i == 0 {
			first = p.Literal
		}
		if strings.ContainsFunc(p.Literal, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }) {
			return "its target has characters that Hurl does not send"
		}
	}
	if !strings.HasPrefix(first, "/") {
		return "its target is not a path"
	}
	for _, h := range s.Headers {
		for _, p := range append(plan.Text{{Literal: h.Name}}, h.Value...) {
			if strings.ContainsFunc(p.Literal, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }) {
				return "Hurl would write the header " + h.Name + " otherwise"
			}
		}
	}
	if s.EchoesHeaders() {
		return "Hurl adds headers that the answer shows"
	}
	return ""
}

// text is a text of the recording as a template; within is as in [literal.Hurl].
func (w *writer) text(t plan.Text, within rune) string {
	var b strings.Builder
	for i, p := range t {
		name := w.names[cmp.Or(p.Bound, p.Secret)]
		switch {
		case p.Host:
			b.WriteString("{{host}}")
		case p.IsLiteral():
			text := literal.Hurl(p.Literal, within)
			if within == 0 && i == len(t)-1 && strings.HasSuffix(text, " ") {
				text = strings.TrimSuffix(text, " ") + `\u{20}`
			}
			if within == 0 && i == 0 && strings.HasPrefix(text, " ") {
				text = `\u{20}` + text[1:]
			}
			b.WriteString(text)
		case p.Escape == plan.AsJSON && aJSONNumber.MatchString(w.recorded[name]):
			b.WriteString("{{" + name + "}}")
		case p.Escape == plan.AsJSON:
			b.WriteString(literal.Hurl(`"`, within) + "{{" + name + "_value}}" + literal.Hurl(`"`, within))
		default:
			for _, v := range escapeVariants() {
				if v.escape == p.Escape {
					name += v.suffix
				}
			}
			b.WriteString("{{" + name + "}}")
		}
	}
	return b.String()
}

// keyOf is the name of a header.
func keyOf(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '_' || r == '-' || r == '.' || r == '$' || i > 0 && r == '[' ||
			r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// scalarNode reads a JSON token that is no container; nil where it is one.
func scalarNode(raw json.RawMessage) *plan.Node {
	if n := plan.ReadNode(raw); n != nil && n.Scalar() {
		return n
	}
	return nil
}

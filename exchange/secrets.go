package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/wire"
)

// The bounds on what is collected: a recording that holds more secrets than that keeps the first of them.
const (
	maxSecrets     = 1 << 20
	maxSecretBytes = 128 << 20
	maxNames       = 1 << 14 // names whose meaning is remembered
)

// Secrets collects the secrets of a recording in one pass, so that they are known wherever else they turn up: an answer
// that repeats a credential under a harmless name tells it just the same. Collected are the values that are named as
// secrets, in requests and responses, in every form of body; credentials without the word for their scheme; cookies;
// the password that Basic credentials encode; user information, tokens and signatures of URLs; and how else each of
// these may be written (percent-encoded, escaped). It grows with the number of different secrets, not of exchanges.
//
// Not every such value is looked for elsewhere: true, 1 or admin would be erased from all that is shown. A value counts
// that nobody writes by chance, see [Secrets.Note]. Where the name of its own place says that it is a secret, it is
// shown as a token whatever it is.
//
// The zero value is ready to use.
type Secrets struct {
	// Named lists what is secret beside what [Secret] says: names, in any case and with any separators, and places,
	// which begin with a slash, may have wildcards, and stand for what is within them too.
	Named []string

	// Stored says that the recording holds tokens in the place of secrets. They are known as such, whatever stands
	// before them.
	Stored bool

	names  naming
	seen   map[string]bool   // names, and whether they are those of secrets
	answer bool              // an answer is read: its sentences are no passphrases
	values map[string]string // by spelling
	fresh  map[string]string // those of them that no matcher has yet
	layers []*matcher        // of the others, see [Secrets.Known]
	last   *Known            // what was returned last; nil where it is no more true
	bytes  int
	full   bool
}

// Known is a list of secrets, and of what is named as one. It is never changed, and may be used by several goroutines.
// A nil Known has no secrets, and goes by the names of [Secret].
type Known struct {
	names  naming
	layers []*matcher // oldest first: what a text was a spelling of first, it stays
	stored bool
	full   bool
}

// Full reports whether there were too many secrets to know them all.
func (k *Known) Full() bool { return k != nil && k.full }

// Secret reports whether a place is that of a secret: by [Secret], or as the user said.
func (k *Known) Secret(place Place) bool {
	return Secret(place) || k != nil && k.names.place(place)
}

// spans returns the secrets within a text.
func (k *Known) spans(text string) []Span {
	sc := scanner{text: text, named: secretName}
	if k != nil {
		sc.stored = k.stored
		if len(k.names.words) > 0 {
			sc.named = k.names.secret
		}
	}
	if len(text) > 2 {
		sc.scan()
	}
	if sc.stored {
		sc.tokens()
	}
	return tidy(text, append(sc.spans, k.echoes(text)...))
}

// naming is what the user names as secret.
type naming struct {
	words  []string // without case and separators
	places []Place
}

func (n *naming) secret(name string) bool {
	return secretName(name) || n.word(name)
}

// word reports whether the user gave a name, or one of those that brackets put together.
func (n *naming) word(name string) bool {
	return slices.Contains(n.words, flatName(name)) || strings.ContainsRune(name, '[') &&
		slices.ContainsFunc(nameParts(name), n.word)
}

func (n *naming) place(place Place) bool {
	if len(n.places) > 0 {
		for p := place; p != ""; p = p.Parent() {
			if slices.ContainsFunc(n.places, func(pattern Place) bool { return pattern.Matches(p) }) {
				return true
			}
		}
	}
	if len(n.words) == 0 {
		return false
	}
	segments := place.Segments()
	return slices.ContainsFunc(segments[1:], n.word)
}

// rules reads the names that the user gave.
func (s *Secrets) rules() *naming {
	if len(s.names.words)+len(s.names.places) == len(s.Named) {
		return &s.names
	}
	s.names = naming{}
	for _, name := range s.Named {
		if strings.HasPrefix(name, "/") {
			s.names.places = append(s.names.places, Place(strings.TrimSuffix(name, "/")))
		} else {
			s.names.words = append(s.names.words, flatName(name))
		}
	}
	return &s.names
}

// named reports whether a name is that of a secret. There are few names and many members.
func (s *Secrets) named(name string) bool {
	secret, there := s.seen[name]
	if there {
		return secret
	}
	if secret = s.rules().secret(name); len(s.seen) < maxNames {
		if s.seen == nil {
			s.seen = make(map[string]bool)
		}
		s.seen[strings.Clone(name)] = secret
	}
	return secret
}

// Step collects the secrets of an exchange and of all its observations. What is as recorded is read once.
func (s *Secrets) Step(step Step) {
	e := step.Exchange
	if e == nil {
		return
	}
	s.Exchange(e)
	for _, o := range step.Observations {
		if o == nil {
			continue
		}
		s.request(&o.Sent, &e.Request)
		if o.Response != nil {
			s.response(o.Response, e.Response)
		}
		s.fault(o.Fault)
	}
}

// Exchange collects the secrets of a request and of what came back.
func (s *Secrets) Exchange(e *Exchange) {
	s.request(&e.Request, nil)
	if e.Response != nil {
		s.response(e.Response, nil)
	}
	s.fault(e.Fault)
}

func (s *Secrets) fault(f *Fault) {
	if f == nil {
		return
	}
	for _, m := range [...]*Message{&f.Seen, &f.Told} {
		if len(m.Head)+len(m.Body) > 0 {
			s.response(ParseResponse(*m), nil)
			s.text(string(m.Head)) // what is no HTTP has no fields
		}
	}
}

// request reads a request, but for what it has in common with one that was read.
func (s *Secrets) request(r, read *Request) {
	if read == nil {
		read = &Request{}
	}
	if r.Target != read.Target {
		s.target(r.Target)
	}
	s.header(r.Header, read.Header)
	if len(r.Body) > 0 && !bytes.Equal(r.Body, read.Body) {
		body, _ := r.Payload()
		s.body(r.MediaType(), body)
	}
}

// response reads an answer, but for what it has in common with one that was read.
func (s *Secrets) response(r, read *Response) {
	if read == nil {
		read = &Response{}
	}
	s.answer = true
	defer func() { s.answer = false }()
	s.header(r.Header, read.Header)
	if len(r.Body) > 0 && !bytes.Equal(r.Body, read.Body) {
		body, _ := r.Payload()
		s.body(r.MediaType(), body)
	}
}

// target collects what a request-target holds: pairs of the query, user information, and the segment of a path behind
// one that says that a token follows, as in /password-reset/….
func (s *Secrets) target(target string) {
	path, query := SplitTarget(target)
	s.pairs("/query", query)
	s.text(target)
	before := ""
	for i, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		plain := percentDecode(segment)
		if s.rules().place(Place("/path").Index(i)) || len(plain) >= minPathToken && drawn(plain) && announces(before) {
			s.Note(plain)
			s.spelled(segment, plain)
		}
		before = plain
	}
}

// minPathToken is the least length of a segment of a path that is taken for a token because of the one before it.
const minPathToken = 16

// announces reports whether a segment of a path says that a token follows.
func announces(segment string) bool {
	name := flatName(segment)
	switch name {
	case "reset", "verify", "verification", "confirm", "confirmation", "activate", "activation", "magic", "magiclink",
		"invite", "invitation":
		return true
	}
	return secretName(segment) || secretName(strings.TrimSuffix(name, "s"))
}

// drawn reports whether a word has letters and digits both, as no word of a language has.
func drawn(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && strings.ContainsFunc(s, unicode.IsLetter)
}

func (s *Secrets) header(fields, read wire.Fields) {
	for i, f := range fields {
		if i < len(read) && f.Value == read[i].Value && f.Name == read[i].Name {
			continue
		}
		name := strings.TrimSpace(f.Name)
		switch flat := flatName(name); {
		case flat == "cookie":
			for pair := range strings.SplitSeq(f.Value, ";") {
				s.cookie(pair)
			}
		case flat == "setcookie":
			pair, _, _ := strings.Cut(f.Value, ";")
			s.cookie(pair)
		case s.named(name) || len(s.names.places) > 0 && s.names.place(HeaderPlace(name)):
			s.credential(f.Value)
		}
		s.text(f.Value)
	}
}

func (s *Secrets) cookie(pair string) {
	_, value, _ := strings.Cut(pair, "=")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	plain := unescapePair(value)
	s.Note(plain)
	s.spelled(value, plain)
	s.text(plain)
}

// credential collects a header's value as a whole, what is behind the word for the scheme, and what Basic encodes.
func (s *Secrets) credential(value string) {
	value = strings.TrimSpace(value)
	s.Note(value)
	scheme, rest, ok := strings.Cut(value, " ")
	if rest = strings.TrimSpace(rest); !ok || len(scheme) > 20 {
		return
	}
	s.Note(rest)
	if strings.EqualFold(scheme, "basic") {
		s.basic(rest)
	}
}

// written collects a value that a text names as a secret, as it stands there, and what the credentials hold that it may
// be.
func (s *Secrets) written(raw, value string) {
	s.Note(value)
	s.spelled(raw, value)
	if scheme, rest, ok := Scheme(value); ok {
		if s.Note(rest); strings.EqualFold(scheme, "basic") {
			s.basic(rest)
		}
	}
}

// basic collects user and password of Basic credentials (RFC 7617), together and the password alone.
func (s *Secrets) basic(encoded string) {
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		plain, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	}
	if _, password, ok := strings.Cut(string(plain), ":"); ok && err == nil && utf8.Valid(plain) {
		s.Note(string(plain))
		s.Note(password)
	}
}

// pairs collects the values of a query or form that are named as secrets.
func (s *Secrets) pairs(root Place, query string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(pair, "=")
		if !found || value == "" {
			continue
		}
		plain := unescapePair(name)
		if root == "/query" && signatureName(plain) || s.named(plain) || s.rules().place(root.Key(plain)) {
			s.written(value, unescapePair(value))
		}
	}
}

func (s *Secrets) body(kind string, body []byte) {
	if IsForm(kind, body) {
		s.pairs(PlaceBody, string(body))
	}
	s.text(string(body))
	if len(s.rules().places) > 0 {
		s.places(body)
	}
}

// places collects what stands at the places of a JSON body that the user named.
func (s *Secrets) places(body []byte) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) == nil {
		s.placesIn(PlaceBody, value)
	}
}

func (s *Secrets) placesIn(place Place, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.placesIn(place.Key(key), v[key])
		}
	case []any:
		for i, element := range v {
			s.placesIn(place.Index(i), element)
		}
	case string:
		if s.names.place(place) {
			s.Note(v)
		}
	case json.Number:
		if s.names.place(place) {
			s.Note(v.String())
		}
	}
}

// minBlanks is the least number of blanks in what an API says of a password, such as that it must not be empty.
const minBlanks = 3

// text collects what a text itself names as secrets.
func (s *Secrets) text(text string) {
	if len(text) < minKnown {
		return
	}
	if strings.Contains(text, `\u00`) || strings.Contains(text, `\r\n`) || strings.Contains(text, `\/`) {
		s.scan(unescapeMarkup.Replace(text)) // within a JSON string, XML and forms have escapes
	}
	s.scan(text)
	if mayEncode(text) && slices.ContainsFunc(encodedNames,
		func(sign string) bool { return strings.Contains(text, sign) }) {
		s.scan(decodeAll(text)) // a URL within a URL
	}
}

// unescapeMarkup undoes the escapes that JSON puts into what makes up other forms of body.
var unescapeMarkup = strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u0026`, "&",
	`\u003d`, "=",
	`\u003D`, "=", `\u0022`, `\"`, `\u0027`, "'", `\r`, "\r", `\n`, "\n", `\/`, "/", `\\`, `\\`)

func (s *Secrets) scan(text string) {
	sc := scanner{text: text, named: s.named, stored: s.Stored}
	sc.scan()
	for _, span := range sc.spans {
		if s.answer && strings.Count(span.Value, " ") >= minBlanks {
			continue
		}
		s.written(text[span.From:span.To], span.Value)
		if from := span.From; from >= 6 && strings.EqualFold(text[from-6:from], "basic ") {
			s.basic(span.Value)
		}
	}
}

// Note adds a secret, unless it might as well be there by chance: it counts from 6 bytes on where it has a digit or a
// sign beside letters; where it has letters alone, of which a sentence may be made, from 12 on, or from 8 on with
// capitals after small letters; several words from 16 on; digits alone, of which ids and times are made, from 8 on.
func (s *Secrets) Note(value string) {
	if len(value) > maxSecretValue || !telling(value) || IsToken(value) {
		return
	}
	if _, there := s.values[value]; there && s.values[value] == value {
		return
	}
	if len(s.values) >= maxSecrets || s.bytes+len(value) > maxSecretBytes {
		s.full = true
		return
	}
	if s.values == nil {
		s.values = make(map[string]string)
	}
	value = strings.Clone(value)
	s.keep(value, value)
	for _, other := range spellings(value) {
		s.spelled(other, value)
	}
}

// spelled adds another way to write a secret that was noted.
func (s *Secrets) spelled(text, value string) {
	if _, noted := s.values[value]; !noted || len(text) < minKnown || len(text) > maxSecretValue {
		return
	}
	if _, there := s.values[text]; !there && s.bytes+len(text) <= maxSecretBytes {
		s.keep(strings.Clone(text), strings.Clone(value))
	}
}

// telling reports whether a value is one that nobody writes by chance.
func telling(value string) bool {
	if len(value) < minKnown {
		return false
	}
	var letters, capitals, digits, blanks, signs int
	small := false // the last one was a small letter
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) && small {
				capitals++
			}
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune(" -_.,:;!?'\"/()\t\r\n", r):
			blanks++
		default:
			signs++
		}
		small = unicode.IsLower(r)
	}
	switch {
	case letters == 0:
		return digits >= 8 || digits+signs >= 8
	case digits > 0 || signs > 0:
		return true
	case blanks > 0:
		return len(value) >= 16
	}
	return len(value) >= 12 || len(value) >= 8 && capitals > 0
}

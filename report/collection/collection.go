package collection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Collection is the requests of a recording, in their order.
type Collection struct {
	Variables []Variable // the address of the API first
	Requests  []Request
	Left      []string // what is left out, and why
}

// Variable is a value of a collection that has a name.
type Variable struct {
	Name   string
	Value  string // as recorded; "" for a secret
	Secret bool   // it is for the user to fill
}

// Request is a request of a collection.
type Request struct {
	Folder  string // the sequence that it belongs to; "" for none
	Name    string
	Method  string
	URL     Text
	Headers []Header
	Body    Text // nil for none
	Keeps   []Keep
}

// form reports whether the body is a form.
func (r *Request) form() bool {
	return slices.ContainsFunc(r.Headers, func(h Header) bool {
		return strings.EqualFold(h.Name, "Content-Type") && strings.HasPrefix(strings.ToLower(braced(h.Value)), formType)
	})
}

// formType is the media type of forms.
const formType = "application/x-www-form-urlencoded"

// Header is a field of a request.
type Header struct {
	Name  string
	Value Text
}

// Text is written one piece after the other.
type Text []Piece

// Piece is a literal text, or where that is "" a variable.
type Piece struct {
	Literal  string
	Variable string
}

// Keep says that a script keeps a value of the answer in a variable.
type Keep struct {
	Variable string
	From     source
	Encoded  bool // as it stands in URLs
}

// Options says how a recording is read. The zero value is ready to use.
type Options struct {
	Rules   flow.Rules // the user's, of bindings
	Secrets []string   // what the user names as secret
	Reveal  bool       // write secrets as they are
}

// Read makes a collection of a recording.
func Read(path string, o Options) (*Collection, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		return nil, err
	}
	secrets := exchange.Secrets{Named: o.Secrets, Stored: rec.Redacted()}
	base := ""
	bound, err := analysis.Bind(db, o.Rules, func(e *exchange.Exchange) {
		secrets.Exchange(e)
		if base == "" {
			base = address(e)
		}
	})
	if err != nil {
		return nil, err
	}
	r := &reader{redactor: exchange.Redactor{Key: rec.Key, Known: secrets.Known(), Reveal: o.Reveal}, base: base,
		uses: map[uint64][]use{}, gives: map[uint64][]*binding{}, tokens: map[string]string{},
		names: map[string]bool{"baseUrl": true}}
	r.bind(bound.Kept)
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		r.read(e)
	}
	return r.collection(), nil
}

// reader makes a collection of the exchanges of a recording.
type reader struct {
	redactor exchange.Redactor
	base     string
	uses     map[uint64][]use
	gives    map[uint64][]*binding
	tokens   map[string]string // the names of variables of secrets, by token
	names    map[string]bool   // those that are taken

	bindings []*binding
	secrets  []Variable
	requests []Request
	left     []string
}

// binding is a value that an answer gave.
type binding struct {
	exchange.Binding
	variable string
	encoded  string // the variable with the value as it stands in URLs; "" where no request has one
	secret   bool
}

// use is a binding at a place of a request.
type use struct {
	place exchange.Place
	of    *binding
}

// bind takes the bindings of the recording.
func (r *reader) bind(all []exchange.Binding) {
	for _, found := range all {
		b := &binding{Binding: found, variable: r.name(found.Name),
			secret: r.redactor.Secret(found.Producer.Place) || r.redactor.Show("", found.Value) != found.Value}
		r.bindings = append(r.bindings, b)
		r.gives[b.Producer.Seq] = append(r.gives[b.Producer.Seq], b)
		for _, u := range b.Uses {
			b.secret = b.secret || r.redactor.Secret(u.Place)
			r.uses[u.Seq] = append(r.uses[u.Seq], use{u.Place, b})
		}
	}
}

// name returns a name for a variable that no other has.
func (r *reader) name(wanted string) string {
	wanted = strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, wanted)
	if wanted = wanted[:min(len(wanted), maxName)]; strings.Trim(wanted, "_0123456789") == "" {
		wanted = "value" + wanted
	}
	name := wanted
	for i := 2; r.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", wanted, i)
	}
	r.names[name] = true
	return name
}

// maxName bounds the names of variables.
const maxName = 60

// secret returns the variable of a secret.
func (r *reader) secret(value, wanted string) string {
	token := r.redactor.Token(value)
	if r.tokens[token] == "" {
		r.tokens[token] = r.name(wanted)
		r.secrets = append(r.secrets, Variable{Name: r.tokens[token], Secret: true})
	}
	return r.tokens[token]
}

// collection puts together what was read: the variables are those that requests have.
func (r *reader) collection() *Collection {
	c := &Collection{Variables: []Variable{{Name: "baseUrl", Value: r.base}}, Requests: r.requests, Left: r.left}
	used := map[string]bool{}
	for i := range c.Requests {
		c.Requests[i].each(func(t Text) {
			for _, p := range t {
				if p.Variable != "" {
					used[p.Variable] = true
				}
			}
		})
	}
	add := func(v Variable) {
		if v.Secret {
			v.Value = ""
		}
		if used[v.Name] {
			c.Variables = append(c.Variables, v)
		}
	}
	for _, b := range r.bindings {
		add(Variable{Name: b.variable, Value: b.Value, Secret: b.secret})
		add(Variable{Name: b.encoded, Value: encode(b.Value), Secret: b.secret})
	}
	for _, v := range r.secrets {
		add(v)
	}
	for i := range c.Requests {
		c.Requests[i].Keeps = slices.DeleteFunc(c.Requests[i].Keeps, func(k Keep) bool { return !used[k.Variable] })
	}
	return c
}

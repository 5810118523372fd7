package secret

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// Name gives the secrets of a plan, which go by their tokens so far, names that say what they are: ADMIN_PASSWORD,
// API_KEY. A name is of one secret only; operation says what an exchange asks for, without any secret.
func Name(p *plan.Plan, src suite.Source, operation func(*exchange.Exchange) string) {
	n := &namer{r: src.Redactor, operation: operation, origins: map[string]*origin{}, wanted: map[string]bool{}}
	for token := range p.Secrets {
		n.wanted[token] = true
	}
	n.captures(p, src)
	for i := range src.Steps {
		n.request(src.Steps[i].Exchange)
	}
	n.texts(src)
	n.checks(p, src)
	for i := range src.Steps {
		n.path(src.Steps[i].Exchange)
	}
	rename(p, n.names(), n.origins)
}

// namer finds out what secrets are.
type namer struct {
	r         exchange.Redactor
	operation func(*exchange.Exchange) string
	origins   map[string]*origin // by token
	wanted    map[string]bool    // the tokens that have no origin yet
}

// origin is where a secret was seen first, and what holds of all requests that bear it.
type origin struct {
	seq   uint64
	place exchange.Place
	key   string // what it is, in words: "api_key"
	owner string // whose it is, in words; "" where that is not known, or where several bear it
	given bool   // an answer gave it
	sent  bool
	taken bool // some request that bears it was not refused
	about string
}

// note notes that a secret stands at a place of an exchange.
func (n *namer) note(value string, e *exchange.Exchange, place exchange.Place, key, owner, about string) *origin {
	var out *origin
	for _, v := range []string{value, wire.Latin1(value)} {
		token := n.r.Token(v)
		o := n.origins[token]
		switch {
		case n.wanted[token]:
			o = &origin{seq: e.Seq, place: place, key: key, owner: owner,
				about: plan.OneLine(fmt.Sprintf("%s, %s", about, n.operation(e)))}
			n.origins[token] = o
			delete(n.wanted, token)
		case o != nil && !o.given && o.owner != owner:
			o.owner = ""
		}
		out = cmp.Or(o, out)
	}
	return out
}

// request notes what a request bears.
func (n *namer) request(e *exchange.Exchange) {
	owner := n.owner(e)
	taken := e.Response == nil || e.Response.Status != 401 && e.Response.Status != 403
	sent := func(value string, place exchange.Place, key, owner string) {
		if o := n.note(value, e, place, key, owner, n.where(place)); o != nil && !o.given {
			o.sent, o.taken = true, o.taken || taken
		}
	}
	for _, s := range Of(e, n.r) {
		whose := owner(s.Place)
		sent(s.Value, s.Place, n.key(s.Place), whose)
		if _, rest, ok := exchange.Scheme(s.Value); ok {
			sent(rest, s.Place, "token", whose)
		}
		if user, password, ok := basic(s.Value); ok {
			sent(user+":"+password, s.Place, "user_and_password", whose)
			sent(password, s.Place, "password", whose)
		}
	}
}

// basic splits Basic credentials.
func basic(value string) (user, password string, ok bool) {
	scheme, rest, _ := exchange.Scheme(value)
	plain, err := base64.StdEncoding.DecodeString(rest)
	user, password, ok = strings.Cut(string(plain), ":")
	return user, password, ok && err == nil && strings.EqualFold(scheme, "basic")
}

// captures notes the secrets that answers gave and tests use.
func (n *namer) captures(p *plan.Plan, src suite.Source) {
	values := map[string]string{}
	for _, v := range p.Bound {
		if len(v.Recorded) == 1 && v.Recorded[0].Secret != "" {
			values[v.Name] = v.Recorded[0].Secret
		}
	}
	n.steps(p, src, func(e *exchange.Exchange, s *plan.Step) {
		for _, c := range s.Captures {
			n.answered(values[c.Name], e, c.Place)
		}
	})
}

// checks notes the secrets that tests find in answers, and bodies that are secret as a whole.
func (n *namer) checks(p *plan.Plan, src suite.Source) {
	n.steps(p, src, func(e *exchange.Exchange, s *plan.Step) {
		if s.Body != nil && len(s.Body.Text) == 1 && s.Body.Text[0].Escape == plan.FromBase64 {
			token := s.Body.Text[0].Secret
			if n.wanted[token] {
				n.found(token, e, &origin{place: exchange.PlaceBody, key: plan.Slug(n.operation(e)) + "_body",
					about: "the body in base64"})
			}
		}
		for _, c := range s.Checks {
			for _, t := range append(slices.Clone(c.Lines), c.Text) {
				for _, piece := range t {
					n.answered(piece.Secret, e, c.Place)
				}
			}
		}
	})
}

// answered notes that an answer gave the secret of a token at a place.
func (n *namer) answered(token string, e *exchange.Exchange, place exchange.Place) {
	if n.wanted[token] {
		n.found(token, e, &origin{place: place, key: n.key(place), owner: n.owner(e)(exchange.PlaceBody),
			about: n.where(place) + " of the answer", given: true})
	}
}

// steps calls visit with each step of a plan whose exchange is known.
func (n *namer) steps(p *plan.Plan, src suite.Source, visit func(*exchange.Exchange, *plan.Step)) {
	exchanges := map[uint64]*exchange.Exchange{}
	for i := range src.Steps {
		exchanges[src.Steps[i].Exchange.Seq] = src.Steps[i].Exchange
	}
	for _, t := range p.Tests {
		for i := range t.Steps {
			if e := exchanges[t.Steps[i].Seq]; e != nil {
				visit(e, &t.Steps[i])
			}
		}
	}
}

// namedBefore is the word that names a value which begins where the text ends.
var namedBefore = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_-]*)[^A-Za-z0-9]{1,12}$`)

// texts notes the secrets that bodies name in a way of their own, as XML and parts of forms do.
func (n *namer) texts(src suite.Source) {
	for i := range src.Steps {
		e := src.Steps[i].Exchange
		body, _ := e.Request.Payload()
		n.text(e, string(body), "the body")
		if e.Response != nil {
			body, _ = e.Response.Payload()
			n.text(e, string(body), "the answer")
		}
	}
}

func (n *namer) text(e *exchange.Exchange, text, where string) {
	if len(n.wanted) == 0 {
		return
	}
	for _, s := range n.r.Secrets(text) {
		for _, token := range []string{n.r.Token(s.Value), n.r.Token(text[s.From:s.To])} {
			m := namedBefore.FindStringSubmatch(text[max(0, s.From-60):s.From])
			if n.wanted[token] && m != nil && n.r.Secret(exchange.PlaceBody.Key(m[1])) {
				n.found(token, e, &origin{place: exchange.PlaceBody.Key(m[1]), key: n.words(m[1]),
					owner: n.owner(e)(exchange.PlaceBody), about: m[1] + " in " + where})
			}
		}
	}
}

// found notes where a secret is, of which nothing was known.
func (n *namer) found(token string, e *exchange.Exchange, o *origin) {
	o.seq, o.about = e.Seq, plan.OneLine(o.about+", "+n.operation(e))
	n.origins[token] = o
	delete(n.wanted, token)
}

// path notes the secrets that are segments of a path.
func (n *namer) path(e *exchange.Exchange) {
	path, _ := exchange.SplitTarget(e.Request.Target)
	before := ""
	for segment := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" {
			continue
		}
		for _, token := range []string{n.r.Token(plain), n.r.Token(wire.Latin1(segment))} {
			if n.wanted[token] {
				n.found(token, e, &origin{place: "/path", key: n.words(before + " path"), about: "the path"})
			}
		}
		before = plain
	}
}

// names chooses the names, by token: those of what was seen first are the shortest.
func (n *namer) names() map[string]string {
	for token := range n.wanted {
		n.origins[token] = &origin{key: "secret", about: "within a text"}
	}
	order := slices.SortedFunc(maps.Keys(n.origins), func(x, y string) int {
		a, b := n.origins[x], n.origins[y]
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.place, b.place), cmp.Compare(a.key, b.key), cmp.Compare(x, y))
	})
	out := map[string]string{}
	taken := map[string]bool{"URL": true, "RESET": true, "SECRETS": true, "INSECURE": true}
	for _, token := range order {
		o := n.origins[token]
		words := o.key
		if o.owner != "" && !strings.HasPrefix(words, o.owner+"_") {
			words = o.owner + "_" + words
		}
		if o.sent && !o.taken {
			words = "refused_" + words
		}
		base := strings.ToUpper(words)
		if base[0] >= '0' && base[0] <= '9' {
			base = "SECRET_" + base
		}
		name := base
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s_%d", base, i)
		}
		taken[name], out[token] = true, name
	}
	return out
}

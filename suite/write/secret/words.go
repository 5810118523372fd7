package secret

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// maxOwner bounds the name of an owner, in bytes, and maxOwnerDigits the digits in it: more are an id.
const (
	maxOwner       = 20
	maxOwnerDigits = 3
)

// owner returns what says whose a secret at a place of a request is: the user beside it, that of Basic credentials, or
// the only one that the request names.
func (n *namer) owner(e *exchange.Exchange) func(exchange.Place) string {
	users := map[exchange.Place]string{} // by what the member lies in
	login := ""
	values(e, func(place exchange.Place, value string) {
		if user, _, ok := basic(value); ok && place == "/header/authorization" {
			login = n.user(user)
		}
		if userKey(place) && !n.r.Secret(place) && users[place.Parent()] == "" {
			users[place.Parent()] = n.user(value)
		}
	})
	return func(place exchange.Place) string {
		switch {
		case place == "/header/authorization":
			return login
		case place.Root() != "body" && place.Root() != "query":
			return ""
		case users[place.Parent()] != "":
			return users[place.Parent()]
		case len(users) == 1 && place.Root() == "body":
			for _, user := range users {
				return user
			}
		}
		return ""
	}
}

// userKey reports whether a member or parameter names a user.
func userKey(place exchange.Place) bool {
	segments := place.Segments()
	if root := place.Root(); root != "body" && root != "query" {
		return false
	}
	name := strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(segments[len(segments)-1]))
	return slices.Contains([]string{"user", "username", "login", "loginname", "email", "emailaddress", "mail", "account",
		"accountname", "userid", "benutzer", "benutzername"}, name)
}

// user makes words of the name of a user; "" where it is a secret, or says nothing to people.
func (n *namer) user(name string) string {
	if name == "" || len(exchange.Tokens(name)) > 0 || len(n.r.Secrets(name)) > 0 {
		return ""
	}
	name, _, _ = strings.Cut(name, "@")
	digits := 0
	for _, c := range name {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	if len(name) > maxOwner || digits > maxOwnerDigits || !strings.ContainsFunc(name, isLetter) {
		return ""
	}
	return plan.Slug(name)
}

func isLetter(c rune) bool { return c < unicode.MaxASCII && unicode.IsLetter(c) }

// key says in words what stands at a place: what is called so, and what it is part of where that alone says little.
func (n *namer) key(place exchange.Place) string {
	var keys []string
	for _, s := range place.Segments() {
		if s != "*" && !number.MatchString(s) {
			keys = append(keys, s)
		}
	}
	last := keys[len(keys)-1]
	switch {
	case len(keys) > 2 && keys[0] == "header" && keys[1] == "set-cookie", keys[0] == "cookie":
		return n.words(last + " cookie")
	case len(keys) > 2 && keys[0] == "header":
		return n.words(strings.Join(keys[1:], " "))
	case keys[0] == "header":
		return n.words(strings.TrimPrefix(last, "x-"))
	case slices.Contains(keys, "@jwt"):
		at := slices.Index(keys, "@jwt")
		return n.words(keys[at-1] + " " + last)
	}
	return n.words(last)
}

var (
	number = regexp.MustCompile(`^\d+$`)
	// hump is where a word of camelCase begins.
	hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// words makes a name of a key; "secret" where it holds one.
func (n *namer) words(key string) string {
	if len(n.r.Secrets(key)) > 0 || len(exchange.Tokens(key)) > 0 || !strings.ContainsFunc(key, isLetter) {
		return "secret"
	}
	return plan.Slug(hump.ReplaceAllString(key, "${1}_$2"))
}

// where says in words where a secret stands: "the header x-api-key".
func (n *namer) where(place exchange.Place) string {
	segments := n.r.ShowPlace(place).Segments()
	name := strings.Join(segments[1:], "/")
	switch segments[0] {
	case "header":
		return "the header " + name
	case "cookie":
		return "the cookie " + name
	case "query":
		return "the parameter " + name
	case "path":
		return "the path"
	}
	if name == "" {
		return "the body"
	}
	return name + " in the body"
}

package wander

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Office is a small API in memory of which nearly every answer depends on what was done before: people with roles, and
// carts of their own; teams with boards with cards, whose ids count up and begin anew after a reset; projects that
// clients name, once each, and that stay taken when they are deleted; settings that a PUT makes. POST /admin/reset
// brings it back to its start.
type Office struct {
	mu sync.Mutex
	officeState
}

type officeState struct {
	users    map[string]*officeUser
	tokens   map[string]*officeUser
	projects map[string]*project
	things   map[string]map[string]any // teams, boards and cards, by path
	settings map[string]string
	ids      map[string]int
}

type officeUser struct {
	id                   int
	name, password, role string
	cart                 []string
}

type project struct {
	owner    string
	features []string
	gone     bool
}

// NewOffice returns an Office at its start.
func NewOffice() *Office {
	o := &Office{}
	o.reset()
	return o
}

func (o *Office) reset() {
	root := &officeUser{id: 1, name: "root", password: "rootpassword", role: "admin", cart: []string{}}
	o.officeState = officeState{users: map[string]*officeUser{"root": root}, tokens: map[string]*officeUser{},
		projects: map[string]*project{"website": {owner: "root", features: []string{"login"}}},
		things:   map[string]map[string]any{"/teams/1": {"id": 1, "name": "founders"}},
		settings: map[string]string{"theme": "light"}, ids: map[string]int{"users": 1, "teams": 1}}
}

func (o *Office) next(kind string) int {
	o.ids[kind]++
	return o.ids[kind]
}

// ServeHTTP answers a request.
func (o *Office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.URL.Path == "/admin/reset" {
		o.reset()
		return
	}
	var in map[string]any
	_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in)
	status, answer := o.answer(r, in)
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

type fields = map[string]any

func problem(text string) fields { return fields{"error": text} }

func (o *Office) answer(r *http.Request, in fields) (int, any) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	text := func(name string) string { s, _ := in[name].(string); return s }
	switch path[0] {
	case "users":
		return o.user(r, path, text)
	case "login":
		u := o.users[text("name")]
		if u == nil || u.password != text("password") {
			return 401, problem("wrong name or password")
		}
		token := "t-" + strings.ToLower(rand.Text())
		o.tokens[token] = u
		return 200, fields{"token": token, "name": u.name}
	}
	u := o.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if u == nil && r.Method != http.MethodGet {
		return 401, problem("log in first")
	}
	switch path[0] {
	case "projects":
		return o.project(r, path, u)
	case "teams", "boards", "cards":
		return o.thing(r, path, in)
	case "cart":
		return u.asked(r.Method, text("item"))
	case "settings":
		return o.setting(r, path, text("value"))
	}
	return 404, problem("no such page")
}

// asked is what somebody does with a cart of their own.
func (u *officeUser) asked(method, item string) (int, any) {
	switch {
	case u == nil:
		return 401, problem("log in first")
	case method == http.MethodPost && item == "":
		return 400, problem("item is missing")
	case method == http.MethodPost:
		u.cart = append(u.cart, item)
		return 200, fields{"items": len(u.cart)}
	case method == http.MethodDelete:
		u.cart = []string{}
		return 204, nil
	}
	return 200, fields{"owner": u.name, "items": u.cart}
}

func (o *Office) user(r *http.Request, path []string, text func(string) string) (int, any) {
	switch {
	case r.Method == http.MethodPost && len(path) == 1:
		name, password := text("name"), text("password")
		if name == "" || len(password) < 8 {
			return 400, problem("name or password is too short")
		}
		if o.users[name] != nil {
			return 409, problem("the name " + name + " is taken")
		}
		u := &officeUser{id: o.next("users"), name: name, password: password, role: "user", cart: []string{}}
		o.users[name] = u
		return 201, fields{"id": u.id, "name": u.name, "role": u.role}
	case len(path) < 2:
		return 200, slices.Sorted(maps.Keys(o.users))
	}
	var found *officeUser
	for _, u := range o.users {
		if strconv.Itoa(u.id) == path[1] {
			found = u
		}
	}
	if found == nil {
		return 404, problem("no such user")
	}
	if r.Method == http.MethodPut && len(path) == 3 {
		caller := o.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if caller == nil || caller.role != "admin" {
			return 403, problem("only an admin may")
		}
		found.role = text("role")
	}
	return 200, fields{"id": found.id, "name": found.name, "role": found.role}
}

func (o *Office) project(r *http.Request, path []string, u *officeUser) (int, any) {
	if len(path) == 1 {
		names := []string{}
		for name, p := range o.projects {
			if !p.gone {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return 200, names
	}
	p := o.projects[path[1]]
	switch {
	case r.Method == http.MethodPost && len(path) == 2 && p != nil:
		return 409, problem("there is, or was, a project " + path[1])
	case r.Method == http.MethodPost && len(path) == 2:
		o.projects[path[1]] = &project{owner: u.name, features: []string{}}
		return 201, nil
	case p == nil:
		return 404, problem("no such project")
	case p.gone:
		return 410, problem("the project was deleted")
	case r.Method == http.MethodGet:
		return 200, fields{"name": path[1], "owner": p.owner, "features": p.features, "count": len(p.features)}
	case p.owner != u.name && u.role != "admin":
		return 403, problem("only its owner may")
	case len(path) == 2:
		p.gone = true
		return 204, nil
	}
	at := slices.Index(p.features, path[len(path)-1])
	switch {
	case r.Method == http.MethodPost && at >= 0:
		return 409, problem("the feature is there")
	case r.Method == http.MethodPost:
		p.features = append(p.features, path[len(path)-1])
		return 201, nil
	case at < 0:
		return 404, problem("no such feature")
	}
	p.features = slices.Delete(p.features, at, at+1)
	return 204, nil
}

// thing answers for teams, the boards of one, and the cards of one of these.
func (o *Office) thing(r *http.Request, path []string, in fields) (int, any) {
	if len(path) == 1 || len(path) == 3 {
		kind, around := path[len(path)-1], ""
		if len(path) == 3 {
			if around = "/" + path[0] + "/" + path[1]; o.things[around] == nil {
				return 404, problem("no " + around)
			}
		}
		if r.Method == http.MethodPost {
			if in["name"] == nil {
				return 400, problem("name is missing")
			}
			id := o.next(kind)
			made := fields{"id": id, "name": in["name"], "state": "open"}
			if around != "" {
				made["in"] = around
			}
			o.things[fmt.Sprintf("/%s/%d", kind, id)] = made
			return 201, made
		}
		all := []any{}
		for id := range o.ids[kind] {
			if x := o.things[fmt.Sprintf("/%s/%d", kind, id+1)]; x != nil && (around == "" || x["in"] == around) {
				all = append(all, x)
			}
		}
		return 200, all
	}
	own := "/" + strings.Join(path[:2], "/")
	x := o.things[own]
	switch {
	case x == nil:
		return 404, problem("no " + own)
	case r.Method == http.MethodPatch:
		for _, name := range []string{"name", "state"} {
			if in[name] != nil {
				x[name] = in[name]
			}
		}
	case r.Method == http.MethodDelete:
		for _, other := range o.things {
			if other["in"] == own {
				return 409, problem("it is not empty")
			}
		}
		delete(o.things, own)
		return 204, nil
	}
	return 200, x
}

func (o *Office) setting(r *http.Request, path []string, value string) (int, any) {
	if len(path) < 2 {
		return 200, o.settings
	}
	old, there := o.settings[path[1]]
	switch {
	case r.Method == http.MethodPut && !there:
		o.settings[path[1]] = value
		return 201, fields{"key": path[1], "value": value}
	case !there:
		return 404, problem("no such setting")
	case r.Method == http.MethodPut:
		o.settings[path[1]] = value
		return 200, fields{"key": path[1], "value": value, "before": old}
	case r.Method == http.MethodDelete:
		delete(o.settings, path[1])
		return 204, nil
	}
	return 200, fields{"key": path[1], "value": old}
}

package setup_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/setup"
)

// shed is an API of tools, which have names of their own, for people who log in.
type shed struct {
	drawn  bool // ids are drawn, else they count up
	people map[string]bool
	tokens map[string]bool
	tools  map[string]string // by id
	jobs   []string          // by id, from 1: the tools that they are of
	uses   int

	reachable bool // a set-up can come before its hooks
	look      bool // set-ups are to look first
}

func (s *shed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/reset" || s.people == nil {
		*s = shed{drawn: s.drawn, reachable: s.reachable, look: s.look, people: map[string]bool{}, tokens: map[string]bool{}, tools: map[string]string{}}
	}
	var in struct{ Name string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	say := func(status int, x any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(x)
	}
	id, one := strings.CutPrefix(r.URL.Path, "/tools/")
	tool, ofTool := strings.CutSuffix(id, "/jobs")
	job, ofJobs := strings.CutPrefix(r.URL.Path, "/jobs/")
	switch route := r.Method + " " + r.URL.Path; {
	case r.URL.Path == "/reset":
	case route == "POST /people" && s.people[in.Name]:
		say(409, map[string]any{"error": "taken"})
	case route == "POST /people":
		s.people[in.Name] = true
		say(201, map[string]any{"who": in.Name})
	case route == "POST /login" && !s.people[in.Name]:
		say(401, map[string]any{"error": "who?"})
	case route == "POST /login":
		token := fmt.Sprintf("%016x", rand.Uint64())
		s.tokens[token] = true
		say(200, map[string]any{"token": token, "name": in.Name})
	case !s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
		say(401, map[string]any{"error": "log in"})
	case route == "POST /tools":
		for _, name := range s.tools {
			if name == in.Name {
				say(409, map[string]any{"error": "taken"})
				return
			}
		}
		id := fmt.Sprint(len(s.tools) + 1)
		if s.drawn {
			id = fmt.Sprintf("%016x", rand.Uint64())
		}
		s.tools[id] = in.Name
		say(201, map[string]any{"id": id, "name": in.Name})
	case route == "POST /uses":
		s.uses++
		say(201, map[string]any{"ok": true})
	case route == "GET /count":
		say(200, map[string]any{"uses": s.uses})
	case one && ofTool && s.tools[tool] != "" && r.Method == "POST":
		s.jobs = append(s.jobs, tool)
		say(201, map[string]any{"id": len(s.jobs), "tool": tool})
	case one && ofTool && s.tools[tool] != "":
		say(200, map[string]any{"uses": len(s.jobs)})
	case ofJobs && r.Method == "GET" && len(job) == 1 && len(s.jobs) >= int(job[0]-'0'):
		say(200, map[string]any{"id": int(job[0] - '0'), "tool": s.jobs[job[0]-'1']})
	case one && r.Method == "GET" && s.tools[id] != "":
		say(200, map[string]any{"id": id, "name": s.tools[id]})
	default:
		say(404, map[string]any{"error": "nothing there"})
	}
}

// found searches for the set-up of the last calls of a session of a shed, which send what they did with the same ids, the
// first of them ahead of any set-up if hooks says so.
func (s *shed) found(t *testing.T, lines string, calls, hooks int) setup.Found {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := worked(s, strings.ReplaceAll(lines, "; ", "\n"))
	if s.drawn { // the session's ids are those that it had
		last := session[len(session)-1]
		for id := range s.tools {
			last.Request.Target = strings.ReplaceAll(last.Request.Target, "/tools/1", "/tools/"+id)
			again := sent(s, "GET", "/tools/"+id, "", strings.TrimPrefix(last.Request.Header.Get("Authorization"), "Bearer "))
			last.Request, last.Response = again.Request, again.Response
		}
	}
	var test []setup.Wanted
	for i, e := range session[len(session)-calls:] {
		w := setup.Wanted{Request: e.Request, Seq: e.Seq, Ahead: i < hooks, Reachable: s.reachable, Literal: i >= hooks}
		if i >= hooks {
			w.Claims = []exchange.Claim{status(e.Response.Status)}
			body, _ := e.Response.Payload()
			var v map[string]any
			if json.Unmarshal(body, &v) == nil && v["uses"] != nil {
				w.Claims = append(w.Claims, exchange.Claim{Place: "/body/uses", Relation: exchange.Equal, Value: fmt.Sprint(v["uses"])})
			}
		}
		test = append(test, w)
	}
	search := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Draw: rand.IntN, LookFirst: s.look,
		Trier: &search.PlayerTrier{Player: replay.Player{Target: target, Reset: service.Reset(server.URL + "/reset")}}}
	found, err := search.Find(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSetUpsAmongOthers: a set-up holds where other tests have made what it makes: it bears that, where what is there
// serves as well, or draws a name. What a hook sends before any set-up is sent so in trials, too.
func TestSetUpsAmongOthers(t *testing.T) {
	const ada, login, saw, job = `- POST /people {"name":"Ada","password":"lovelace"}; `, `- POST /login {"name":"Ada","password":"lovelace"}; `, `Ada POST /tools {"name":"long saw"}; `,
		`Ada POST /tools/1/jobs {"cut":"oak"}; `
	for _, c := range []struct {
		name, lines  string
		api          shed
		calls, hooks int
		want         string // steps, with a ? where they may be refused, and what is drawn; or why there is none
	}{
		{"what is there serves", ada + login + saw + login + `Ada GET /tools/1`, shed{}, 2, 0,
			"POST /people? POST /login POST /tools?"},
		{"an id of its own", ada + login + saw + login + `Ada GET /tools/1`, shed{drawn: true}, 2, 0,
			"POST /people? POST /login POST /tools, name long saw[8]"},
		{"a hook that needs what comes too late", ada + login + saw + login + `Ada GET /tools/1`, shed{}, 2, 1,
			"a hook sends POST /login before a set-up could be sent, and is answered 401: POST /people"},
		{"a hook that needs what can come before", ada + login + saw + login + `Ada GET /tools/1`, shed{reachable: true}, 2, 1,
			"before the hooks: POST /people? POST /login POST /tools?"},
		{"hooks that need nothing", ada + login + saw + ada + login + `Ada GET /tools/1`, shed{reachable: true}, 3, 2,
			"POST /login POST /tools?"},
		{"all hooks", ada + login + saw + ada + login + `Ada GET /tools/1`, shed{}, 3, 2, "POST /login POST /tools?"},
		{"nothing but time says so", ada + login + `Ada POST /uses; Ada POST /uses; ` + login + `Ada GET /count`, shed{}, 2, 0,
			"POST /people? POST /login POST /uses POST /uses"},
		{"what it makes is made again", ada + login + saw + job + login + `Ada GET /jobs/1`, shed{}, 2, 0,
			"POST /people? POST /login POST /tools? POST /tools/1/jobs"},
		{"it looks first", ada + login + saw + job + login + `Ada GET /jobs/1`, shed{look: true}, 2, 0,
			"POST /people? POST /login POST /tools? POST /tools/1/jobs? unless GET /jobs/1"},
		{"it sends what it can look for nowhere", ada + login + saw + job + login + `Ada GET /tools/1/jobs`, shed{look: true}, 2, 0,
			"POST /people? POST /login POST /tools POST /tools/1/jobs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := c.api.found(t, c.lines, c.calls, c.hooks)
			var steps []string
			for _, s := range found.Steps {
				name := s.Request.Method + " " + s.Request.Target
				if s.Status == 0 {
					name += "?"
				}
				if s.Look != nil {
					name += " unless " + s.Look.Request.Method + " " + s.Look.Request.Target
				}
				steps = append(steps, name)
			}
			got := strings.Join(steps, " ")
			for _, b := range found.Fresh() {
				got += fmt.Sprintf(", %s %s[%d]%s", b.Name, b.Fresh.Before, b.Fresh.Length, b.Fresh.After)
			}
			if found.Early {
				got = "before the hooks: " + got
			}
			if found.Refused != "" {
				got = found.Refused + ": " + strings.Join(found.Takes, ", ")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if found.Refused == "" && (!found.Proven || len(found.Trials) < 2) {
				t.Errorf("not proven: %+v", found)
			}
		})
	}
}

package build

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// strangers is a recording in which an item was there before; the item 5 was made by the first request.
var strangers = []string{
	`POST /items {"name":"tea"} > 201 {"id":"5","name":"tea"}`,
	`PUT /items/5 {"name":"rum"} > 200 {"id":"5","name":"rum"}`,
	`GET /items/5 > 200 {"id":"5","name":"rum"}`,
	`DELETE /items/5 > 204`,
	`GET /items > 200 [{"id":"7c9e6679-7425-40de-944b-e3a1f6a2c0d1","name":"old"}]`,
	`GET /items/7c9e6679-7425-40de-944b-e3a1f6a2c0d1 > 200 {"id":"7c9e6679-7425-40de-944b-e3a1f6a2c0d1","name":"old"}`,
	`PUT /items/7c9e6679-7425-40de-944b-e3a1f6a2c0d1 {"name":"new"} > 200 {"id":"7c9e6679-7425-40de-944b-e3a1f6a2c0d1","name":"new"}`,
	`GET /items/7c9e6679-7425-40de-944b-e3a1f6a2c0d1?all=1 > 200 {"id":"7c9e6679-7425-40de-944b-e3a1f6a2c0d1","name":"new"}`,
	`DELETE /items/7c9e6679-7425-40de-944b-e3a1f6a2c0d1 > 204`,
	`GET /items/7c9e6679-7425-40de-944b-e3a1f6a2c0d1 > 404 {"error":"none"}`,
}

// TestBystanders: what set-ups and clean-ups change is what the test made, in the plan that all forms write; and each
// form says what a test goes without.
func TestBystanders(t *testing.T) {
	src := session(t, strangers...)
	p := build(t, src, Options{All: true})
	made := map[string]bool{}
	for _, v := range src.Bindings {
		made[v.Name] = src.Steps[v.Producer.Seq-1].Exchange.Request.Method == "POST"
	}
	if len(made) < 2 {
		t.Fatalf("no answer lists what was there: %v", src.Bindings)
	}
	without := 0
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			own := slices.ContainsFunc(s.Target, func(p plan.Piece) bool { return made[p.Bound] })
			if s.Role != plan.Tested && s.Method != "GET" && s.Title != "POST /items" && !own {
				t.Errorf("%s: %s %s %v", test.Name, s.Role, s.Title, s.Target)
			}
		}
		if text := strings.Join(test.About, "\n"); strings.Contains(text, "may touch what the test did not make") {
			without++
		}
	}
	if without == 0 {
		t.Errorf("no test goes without a set-up: %q", shown(p))
	}
	guarded := 0
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if s.Role == plan.SetUp && s.Method == "PUT" {
				guarded++
				if !slices.Equal(s.Given, s.Target.BoundNames()) || len(s.Given) == 0 {
					t.Errorf("%s: %s is sent without an answer that gave what it changes: %v", test.Name, s.Title, s.Given)
				}
			}
		}
	}
	if guarded == 0 {
		t.Error("no set-up changes what another made")
	}
	guards := map[string]string{"pytest": `bound.require("`, "junit5": `requireGiven("`, "kotlin": `requireGiven("`, "jest": `requireGiven("`, "postman": `given `, "go": `c.require("`}
	for _, format := range write.Names() {
		files, err := write.Write(format, p)
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(files, func(f suite.File) bool {
			return strings.Contains(string(f.Data), "DELETE /items/{id} is not sent before: it may touch what the test did not make")
		})
		if !said {
			t.Errorf("%s does not say what it goes without", format)
		}
		if !slices.ContainsFunc(files, func(f suite.File) bool { return strings.Contains(string(f.Data), guards[format]) }) {
			t.Errorf("%s does not guard set-ups: no %s", format, guards[format])
		}
	}
}

// stock is an API with items that others made. It refuses to make more where full is set, does not say what it made
// where silent is, and changes nothing where fixed is.
type stock struct {
	mu                  sync.Mutex
	next, vain          int // vain counts what was to be taken away and was not there
	full, silent, fixed bool
	items               map[string]string // names, by id
}

func (s *stock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var sent struct{ Name string }
	_ = json.NewDecoder(r.Body).Decode(&sent) // of a request without a body the name is none
	answer := func(status int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
	item := func(id string) string { return fmt.Sprintf(`{"id":%q,"name":%q}`, id, s.items[id]) }
	if len(segments) == 1 && r.Method == "POST" {
		if s.full {
			answer(500, `{"error":"full"}`)
			return
		}
		s.next++
		id := fmt.Sprint(s.next)
		s.items[id] = sent.Name
		if s.silent {
			delete(s.items, id) // nobody can take it away
			answer(201, `{}`)
			return
		}
		answer(201, item(id))
		return
	}
	if len(segments) == 1 {
		var all []string
		for _, id := range slices.Sorted(maps.Keys(s.items)) {
			all = append(all, item(id))
		}
		answer(200, "["+strings.Join(all, ",")+"]")
		return
	}
	id := segments[1]
	if _, ok := s.items[id]; !ok {
		if r.Method == "DELETE" {
			s.vain++
		}
		answer(404, `{"error":"none"}`)
		return
	}
	switch r.Method {
	case "PUT":
		if s.fixed {
			answer(500, `{"error":"fixed"}`)
			return
		}
		s.items[id] = sent.Name
	case "DELETE":
		delete(s.items, id)
		w.WriteHeader(204)
		return
	}
	answer(200, item(id))
}

// TestBystandersLive runs the tests of a suite that only read, and those that make something, on an API where others
// have things under the ids of the recording: with all that the tests send they stay as they are, also where nothing
// can be made, and where what was made has no id.
func TestBystandersLive(t *testing.T) {
	needPytest(t)
	files, err := write.Write("pytest", build(t, session(t, strangers...), Options{All: true}))
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, files)
	for _, how := range []struct{ full, silent bool }{{}, {full: true}, {silent: true}} {
		api := &stock{next: 100, full: how.full, silent: how.silent, items: map[string]string{"1": "one", "7c9e6679-7425-40de-944b-e3a1f6a2c0d1": "old", "5": "five", "7": "seven"}}
		before := maps.Clone(api.items)
		server := httptest.NewServer(api)
		cmd := exec.Command("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "get_item or post_items_is")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "FLAKETAP_URL="+server.URL, "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		server.Close()
		if (how.full || how.silent) == (err == nil) {
			t.Errorf("%+v: %v\n%s", how, err, out)
		}
		if !maps.Equal(api.items, before) {
			t.Errorf("%+v: %v, and before %v\n%s", how, api.items, before, out)
		}
	}
}

// TestCleanUpMidway: what a test takes away itself is taken away once, and also where the test fails before it comes to
// that.
func TestCleanUpMidway(t *testing.T) {
	needPytest(t)
	files, err := write.Write("pytest", build(t, session(t, strangers[:4]...), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, files)
	for _, fixed := range []bool{false, true} {
		api := &stock{next: 100, fixed: fixed, items: map[string]string{"1": "one"}}
		server := httptest.NewServer(api)
		cmd := exec.Command("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "delete")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "FLAKETAP_URL="+server.URL, "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		server.Close()
		if fixed == (err == nil) || api.next == 100 {
			t.Errorf("fixed %t: %v, %d things made\n%s", fixed, err, api.next-100, out)
		}
		if len(api.items) != 1 || api.vain != 0 {
			t.Errorf("fixed %t: %v is left, %d things taken away twice\n%s", fixed, api.items, api.vain, out)
		}
	}
}

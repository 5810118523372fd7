package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/google/go-cmp/cmp"
)

func TestSuitesForget(t *testing.T)        { suitesForget(t, "pytest", "jest", "postman") }
func TestRealJVMSuitesForget(t *testing.T) { suitesForget(t, realForms["jvm"]...) }

// suitesForget runs two tests that make an item each, on an API where the second one may be told no id. What the first
// was told is not the second's then: nothing may be sent to the item that others have by now under that id.
func suitesForget(t *testing.T, forms ...string) {
	t.Helper()
	t.Parallel()
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			b := newFuzzBench(t)
			run := realRunners()[form](b)
			files, err := write.Write(form, twoItems())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				path := filepath.Join(b.dir, form, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			line := run(form)
			for silent, want := range map[bool][]string{
				false: {"POST /items", "DELETE /items/1", "POST /items", "PUT /items/2", "GET /items", "DELETE /items/2"},
				true:  {"POST /items", "DELETE /items/1", "POST /items"},
			} {
				asked, api := itemsAPI(t, silent)
				out, status := b.sh(line, "FLAKETAP_URL="+api)
				if (status != 0) != silent {
					t.Errorf("silent: %v; exit status %d\n%s", silent, status, tail(out))
				}
				got := slices.DeleteFunc(asked(), func(s string) bool { return silent && s == "GET /items" }) // it changes nothing
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("silent: %v; asked (-want +got):\n%s\n%s", silent, diff, tail(out))
				}
			}
		})
	}
}

// twoItems is a plan of two tests. The second one changes what its set-up made, and both take away what they made.
func twoItems() plan.Plan {
	text := func(s string) plan.Text { return plan.Text{{Literal: s}} }
	item := plan.Text{{Literal: "/items/"}, {Bound: "itemId", Escape: plan.InPath}}
	post := plan.Step{Seq: 1, Title: "POST /items", Method: "POST", Target: text("/items"),
		Captures: []plan.Capture{{Name: "itemId", Place: "/body/id"}}, Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{201}}}}
	made, setUp := post, post
	made.Role, setUp.Role = plan.Tested, plan.SetUp
	given := []string{"itemId"}
	clean := plan.Step{Role: plan.CleanUp, Seq: 4, Given: given, Title: "DELETE /items/{id}", Method: "DELETE", Target: item}
	return plan.Plan{
		Target: "http://127.0.0.1:1",
		Bound:  []plan.Value{{Name: "itemId", Recorded: text("1"), From: "POST /items /body/id"}},
		Tests: []plan.Test{
			{Name: "a_post_items_gives_201", About: []string{"POST /items gives 201"}, Group: "items", Steps: []plan.Step{made, clean}},
			{Name: "b_get_items_gives_200", About: []string{"GET /items gives 200"}, Group: "items", Steps: []plan.Step{setUp,
				{Role: plan.SetUp, Seq: 2, Given: given, Title: "PUT /items/{id}", Method: "PUT", Target: item},
				{Role: plan.Tested, Seq: 3, Title: "GET /items", Method: "GET", Target: text("/items"),
					Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}}},
				clean,
			}},
		},
	}
}

// itemsAPI makes items with the ids 1, 2 and so on. Where it is silent it says the first id alone. It returns its URL, and
// what it was asked so far.
func itemsAPI(t *testing.T, silent bool) (asked func() []string, url string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	made := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodPost {
			fmt.Fprint(w, "[]")
			return
		}
		w.WriteHeader(http.StatusCreated)
		if made++; silent && made > 1 {
			fmt.Fprint(w, `{"name":"tea"}`)
			return
		}
		fmt.Fprintf(w, `{"id":"%d","name":"tea"}`, made)
	}))
	t.Cleanup(s.Close)
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}, s.URL
}

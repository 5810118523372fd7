package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"suite/checks"
)

type order struct {
	ID    string   `json:"id"`
	Count int      `json:"count"`
	Items []string `json:"items"`
}

func say(words string) { fmt.Println("<" + words + ">") }

func fetch(t *testing.T, path string) order {
	t.Helper()
	req, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	say("sent " + req.URL.Path)
	var o order
	if err := json.Unmarshal([]byte(`{"id": "7", "count": 1}`), &o); err != nil {
		t.Fatalf("no order: %v", err)
	}
	return o
}

func nothing(t *testing.T) (o order) {
	req, err := http.NewRequest("GET", "/", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(req.Body).Decode(&o); err != nil {
		t.Fatal(err)
	}
	return o
}

func check(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%q, not %q", got, want)
	}
}

func TestGoesOn(t *testing.T) {
	o := fetch(t, "/a")
	if o.ID != "8" {
		t.Fatalf("first")
	}
	say("behind Fatalf")
	check(t, o.ID, "9")
	say("behind helper")
	switch o.Count {
	case 1:
		t.FailNow()
	}
	again := fetch(t, "/orders/"+o.ID)
	if again.ID == "7" {
		t.Error("second")
		return
	}
	say("behind return")
	checks.Equal(t, again.Count, 2)
	say("behind package")
	for _, n := range []int{1, 2} {
		if n > 0 {
			t.Fatal("third")
		}
		say("row")
	}
}

func TestEnds(t *testing.T) {
	o := nothing(t)
	if o.Count == 0 {
		t.Fatal("none")
	}
	say("behind none")
	if ok := regexp.MustCompile("7").MatchString(o.ID); !ok {
		t.Fatal("still none")
	}
	say("behind still none")
	url := "/orders/" + o.ID
	fetch(t, url)
	say("wrong")
}

func TestPanics(t *testing.T) {
	o := nothing(t)
	if len(o.Items) == 0 {
		t.Fatal("no items")
	}
	say("behind no items")
	fetch(t, "/"+o.Items[0])
	say("wrong")
}

func TestError(t *testing.T) {
	if _, err := http.NewRequest("", "a", nil); err != nil {
		t.Fatal("no error", err)
	}
	err := errors.New("refused")
	if err != nil {
		t.Fatal(err)
	}
	say("wrong")
}

func TestLoop(t *testing.T) {
	for n := 0; ; n++ {
		if n > 2 {
			t.Fatal("waited")
		}
	}
}

// quiet is a test that only remembers that it failed.
type quiet struct {
	testing.TB
	failed bool
}

func (q *quiet) Fatalf(string, ...any) { q.failed = true }
func (q *quiet) Helper()               {}

func TestOwn(t *testing.T) {
	q := &quiet{TB: t}
	check(q, "1", "2")
	if !q.failed {
		t.Fatal("wrong")
	}
}

func TestRows(t *testing.T) {
	for _, row := range []struct{ name, path string }{{"a=b", "/row"}, {"c", ""}} {
		t.Run(row.name, func(t *testing.T) {
			o := fetch(t, row.path)
			if o.ID != "8" {
				t.Fatal("row")
			}
			say("in row")
			if o.Count != 2 {
				t.Errorf("%d", o.Count)
				return
			}
			say("in row still")
		})
	}
	t.Run("named", named)
	o := fetch(t, "/passes")
	if o.ID == "" || len(o.Items) > 0 && fetch(t, o.Items[0]).ID == "" {
		t.Fatal("wrong")
	}
}

func named(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		check(t, "1", "2")
		say("wrong")
	}()
	<-done
	t.Cleanup(func() {
		check(t, "1", "2")
		say("wrong")
	})
}

func TestSkipped(t *testing.T) {
	if testing.Verbose() {
		t.Skip("not now")
	}
}

func TestEmpty(t *testing.T) {
	o := nothing(t)
	fetch(t, "/empty"+o.ID)
}

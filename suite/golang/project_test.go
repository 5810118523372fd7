package golang

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// asProject reads a file of tests that has one other beside it.
func asProject(t *testing.T, text, other string) *script.Script {
	t.Helper()
	s, err := script.ReadAmong(Dialect(), "api/a_test.go", []byte(text), func(path string) (string, bool) {
		switch path {
		case "api/":
			return "a_test.go\nb_test.go\nREADME.md\nc.go\n", true
		case "api/b_test.go":
			return other, true
		case "api/c.go":
			return "package api\nfunc {", true
		}
		return "", false
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const helpers = `package api

import ("encoding/json"; "net/http"; "testing")

type thing struct { Name string ` + "`json:\"name\"`" + ` }

func get(t *testing.T, path string, out any) *http.Response {
	res, err := http.Get("http://localhost:1" + path)
	if err != nil { t.Fatal(err) }
	if err := json.NewDecoder(res.Body).Decode(out); err != nil { t.Fatal(err) }
	return res
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want { t.Errorf("%v", got) }
}
`

// Functions and types of the other files of the package are followed, and one that only asserts is an assertion where
// it is called. What these files hold is left to themselves.
func TestOtherFilesOfThePackage(t *testing.T) {
	s := asProject(t, `package api

import "testing"

func TestIt(t *testing.T) {
	var v thing
	res := get(t, "/things/1", &v)
	equal(t, res.StatusCode, 200)
	equal(t, v.Name, "tea")
}
`, helpers)
	test := s.Tests[0]
	if len(test.Calls) != 1 || test.Calls[0].Target != "/things/1" || len(test.Assertions) != 2 {
		t.Fatalf("%+v, %+v", test.Calls, test.Assertions)
	}
	for i, want := range []string{"if res.StatusCode != 200 {\n\t\tt.Error(", `if v.Name != "tea" {` + "\n\t\tt.Error("} {
		a := test.Assertions[i]
		got, ok := s.Writer.Assert(s, test, a, a.Meaning)
		if !ok || !strings.HasPrefix(got, want) || a.Reason != "" {
			t.Errorf("%s is written as %s (%s)", a.Text, got, a.Reason)
		}
	}
}

// A method of a suite of testify's is a test, behind what sets it up, and is called as go test calls it.
func TestTestifySuites(t *testing.T) {
	s := asProject(t, `package api

import ("testing"; "net/http"; "github.com/stretchr/testify/suite")

type things struct {
	suite.Suite
	made thing
}

func (s *things) SetupTest() { get(s.T(), "/made", &s.made) }

func (s *things) TestMade() {
	s.Equal("tea", s.made.Name)
	res, err := http.Get("http://localhost:1/other")
	s.Require().NoError(err)
	s.Require().Equal(200, res.StatusCode)
	s.Eventually(nil, 0, 0)
}

func TestThings(t *testing.T) { suite.Run(t, new(things)) }
`, helpers)
	test := s.Tests[0]
	if len(s.Tests) != 1 || test.Name != "TestThings/TestMade" || len(test.Calls) != 2 || len(test.Assertions) != 3 {
		t.Fatalf("%+v", test)
	}
	if a := test.Assertions[2]; a.Reason != "the assertion Eventually is not known" {
		t.Errorf("%+v", a)
	}
	if a := test.Assertions[0]; a.Place != "/body/name" || a.Value != `"tea"` || a.Call != 0 {
		t.Errorf("%+v", a)
	}
	if a := test.Assertions[1]; a.Place != "/status" || a.Call != 1 {
		t.Errorf("%+v", a)
	}
}

// A struct that has an answer within it is one, and a function that does more than assert is no assertion.
func TestAnswersWithin(t *testing.T) {
	s := asProject(t, `package api

import ("testing"; "net/http")

type reply struct { *http.Response; n int }

func ask(path string) reply {
	res, _ := http.Get("http://localhost:1" + path)
	return reply{res, 1}
}

func check(t *testing.T, r reply) {
	if r.StatusCode != 200 { t.Error() }
	http.Get("http://localhost:1/again")
}

func TestIt(t *testing.T) {
	r := ask("/a")
	if r.StatusCode != 200 { t.Error() }
	check(t, r)
}
`, helpers)
	test := s.Tests[0]
	if len(test.Calls) != 2 || len(test.Assertions) != 2 {
		t.Fatalf("%+v", test)
	}
	if a := test.Assertions[0]; a.Reason != "" || a.Place != "/status" {
		t.Errorf("%+v", a)
	}
	if a := test.Assertions[1]; a.Reason != "" || len(a.Uses) != 1 {
		t.Errorf("%+v", a)
	}
}

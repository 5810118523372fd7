package build

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

var accounts = []string{
	`POST /users {"email":"bob@x.org","password":"pw-of-bob-1"} > 201 {"id":"u-8c1fd09a7b","email":"bob@x.org"}`,
	`POST /users {"email":"eve@x.org","password":"pw-of-bob-1"} > 201 {"id":"u-11d20c94ee","email":"eve@x.org"}`,
	`POST /login {"email":"bob@x.org","password":"pw-of-bob-1"} > 200 {"token":"tok-0123456789abcdef"}`,
	`GET /notes <tok-0123456789abcdef> > 200 []`,
	`GET /users/u-8c1fd09a7b <tok-0123456789abcdef> > 200 {"id":"u-8c1fd09a7b","email":"bob@x.org"}`,
	`PATCH /users/u-8c1fd09a7b <tok-0123456789abcdef> {"password":"pw-of-bob-2"} > 200 {"id":"u-8c1fd09a7b"}`,
	`POST /login {"email":"bob@x.org","password":"pw-of-bob-2"} > 200 {"token":"tok-fedcba9876543210"}`,
	`DELETE /users/u-8c1fd09a7b <tok-fedcba9876543210> > 204`,
}

// TestAccounts: nobody signs up twice under one name. The account that a login needs is made once for all tests, and
// checked there; a test that takes it away, or changes its password, makes its own.
func TestAccounts(t *testing.T) {
	src := session(t, accounts...)
	p := build(t, src, Options{})
	want := []string{
		"post_users_is_201: once POST /users",
		"post_login_is_200: once POST /users, tested POST /login",
		"get_notes_is_200: once POST /users, once POST /login, tested GET /notes",
		"get_user_is_200: once POST /users, once POST /login, tested GET /users/{id}",
		"patch_user_is_200: set-up POST /users, set-up POST /login, tested PATCH /users/{id}, clean-up DELETE /users/{id}",
		"delete_user_is_204: set-up POST /users, set-up POST /login, set-up PATCH /users/{id}, set-up POST /login, tested DELETE /users/{id}, clean-up DELETE /users/{id}",
	}
	if diff := cmp.Diff(want, shown(p)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	made := p.Tests[0].Steps[0]
	if !made.Single || len(made.Checks) < 2 || p.Tests[1].Steps[0].Seq != 1 {
		t.Errorf("the account is made by %+v", made)
	}
	if diff := cmp.Diff(made, p.Tests[2].Steps[0]); diff != "" {
		t.Errorf("it is made otherwise for another test: -want +got\n%s", diff)
	}
}

// TestAccountRefused: a trial on what an earlier one left says nothing of what an account is needed for, which is
// refused there.
func TestAccountRefused(t *testing.T) {
	src := session(t, accounts[:5]...)
	answers, asked := play.Answers{}, 0
	for n := range 2 {
		err := answers.Try(build(t, src, Options{}), play.Order(n), func(r play.Request) (*exchange.Response, error) {
			asked++
			status := "200 OK\r\n"
			switch {
			case r.Target == "/users" && n > 0:
				status = "400 Bad Request\r\n"
			case r.Target == "/users":
				status = "201 Created\r\n"
			}
			return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 " + status + "\r\n")}), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if asked != 6 { // the account, the login of a test and that of all, two GETs; then the account in vain
		t.Errorf("%d requests were sent", asked)
	}
	for _, test := range build(t, src, Options{Answers: answers}).Tests {
		for _, s := range test.Steps {
			if len(s.Checks[0].Statuses) != 1 {
				t.Errorf("%s: %s may be answered with %v", test.Name, s.Title, s.Checks[0].Statuses)
			}
		}
	}
}

// TestAccountInFiles: a form whose files share nothing, and one whose folders share all, make an account once.
func TestAccountInFiles(t *testing.T) {
	p := build(t, session(t, accounts...), Options{})
	hurl, err := write.Write("hurl", p)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range hurl {
		if !strings.HasSuffix(f.Name, ".hurl") {
			continue
		}
		names = append(names, f.Name)
		if n := strings.Count(string(f.Data), "\nPOST {{url}}/users\n"); n != 1+2 { // two tests make their own
			t.Errorf("%s makes %d accounts:\n%s", f.Name, n, f.Data)
		}
	}
	jest, err := write.Write("jest", p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range jest {
		if strings.HasSuffix(f.Name, ".test.js") {
			names = append(names, f.Name)
		}
	}
	if !slices.Equal(names, []string{"tests.hurl", "tests.test.js"}) {
		t.Errorf("the files of Hurl and Jest are %v", names)
	}
	postman, err := write.Write("postman", p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range postman {
		if n := strings.Count(string(f.Data), "1: POST /users (set-up)"); strings.Contains(f.Name, "collection") && n != 1+2 {
			t.Errorf("%s makes %d accounts:\n%s", f.Name, n, f.Data)
		}
	}
	for i := range p.Tests {
		for j := range p.Tests[i].Steps {
			s := &p.Tests[i].Steps[j]
			s.Ends = s.Role == plan.SetUp && !s.Once
		}
	}
	if hurl, err = write.Write("hurl", p); err != nil {
		t.Fatal(err)
	}
	for _, f := range hurl {
		if n := strings.Count(string(f.Data), "# is left out: Hurl cannot end a test early"); f.Name == "tests.hurl" && n != 2 {
			t.Errorf("%d tests are left out:\n%s", n, f.Data)
		}
	}
}

// TestWhoAsks: a request without a token is another one than that with it. That it is refused says nothing of the
// state.
func TestWhoAsks(t *testing.T) {
	p := build(t, session(t,
		`POST /login {"password":"pw-of-bob-1"} > 200 {"token":"tok-0123456789abcdef"}`,
		`GET /me <tok-0123456789abcdef> > 200 {"name":"bob"}`,
		`GET /me > 401 {"error":"no token"}`,
		`GET /me <tok-nobody-ever-gave> > 401 {"error":"bad token"}`,
	), Options{})
	tested := 0
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			for _, c := range s.Checks {
				if c.Kind != plan.CheckStatus || s.Target[0].Literal != "/me" {
					continue
				}
				if tested++; len(c.Statuses) != 1 {
					t.Errorf("%s: GET /me may be answered %v: %s", test.Name, c.Statuses, c.Why)
				}
			}
		}
	}
	if tested < 2 {
		t.Errorf("%d statuses of GET /me are asserted: %v", tested, shown(p))
	}
}

// TestLinkToWhatWasMade: a link of a new resource names the host that is asked, and its id.
func TestLinkToWhatWasMade(t *testing.T) {
	p := build(t, session(t,
		`POST /users {"name":"bob"} > 201 {"id":4711}`,
		`POST /orders {"user":4711} > 201 {"id":100,"user":4711,"self":"http://shop:1/orders/100"}`,
		`GET /orders/100 > 200 {"id":100,"user":4711,"self":"http://shop:1/orders/100"}`,
	), Options{})
	links, users := 0, 0
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if s.Body != nil && s.Seq == 2 {
				users++
				if !slices.ContainsFunc(s.Body.Text, func(p plan.Piece) bool { return p.Bound != "" }) {
					t.Errorf("%s: the user of an order is written out: %+v", test.Name, s.Body.Text)
				}
			}
			for _, c := range s.Checks {
				if strings.Contains(string(c.JSON), "4711") && s.Seq != 1 {
					t.Errorf("%s: the user of an order is asserted as recorded: %s", test.Name, c.JSON)
				}
				for _, piece := range c.Text {
					if strings.Contains(piece.Literal, "shop:1") {
						t.Errorf("%s: %s names the host: %+v", test.Name, c.Place, c.Text)
					}
					if piece.Host {
						links++
					}
				}
			}
		}
	}
	if links == 0 || users == 0 {
		t.Errorf("%d links and %d orders: %+v", links, users, shown(p))
	}
}

// What can be made but once, since the API refuses it the second time, is made once for all tests that leave it as it
// is.
func TestMadeOnce(t *testing.T) {
	lines := []string{
		`POST /accounts {"email":"ada@cafe.de"} > 201 {"id":"k3v9qa17"}`,
		`GET /accounts/k3v9qa17 > 200 {"id":"k3v9qa17","email":"ada@cafe.de"}`,
		`GET /accounts/k3v9qa17/orders > 200 {"account":"k3v9qa17","orders":[]}`,
	}
	again := `POST /accounts {"email":"ada@cafe.de"} > 409 {"error":"taken"}`
	deleted := `DELETE /accounts/k3v9qa17 > 204 `
	for _, tt := range []struct {
		name  string
		lines []string
		want  int // how many tests share it, that of the refusal among them
	}{
		{"made again and again", lines, 0},
		{"refused the second time", append(slices.Clone(lines), again), 4},
		{"taken away", append(slices.Clone(lines), again, deleted), 4},
	} {
		shared := 0
		for _, test := range build(t, session(t, tt.lines...), Options{}).Tests {
			for _, s := range test.Steps {
				if s.Once && s.Single && s.Title == "POST /accounts" {
					shared++
				}
			}
		}
		if shared != tt.want {
			t.Errorf("%s: %d tests share the account, want %d", tt.name, shared, tt.want)
		}
	}
}

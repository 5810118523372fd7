package setup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/setup"
)

// sessionOf reads a session as [talk] does.
func sessionOf(lines string) *setup.Session {
	session := talk(lines)
	bindings := flow.Bindings(session)
	return setup.NewSession(session, bindings, flow.Operations(session, bindings), exchange.Redactor{})
}

// TestSignUp: whom a request logs in was signed up by the last write to another path that sent the same passwords and
// tells of the same name.
func TestSignUp(t *testing.T) {
	for _, tt := range []struct {
		name, session string
		want          uint64 // of the last exchange; 0 for none
	}{
		{"another of the same password", `POST /users {"email":"bob@x.org","password":"pw-of-bob-1"} -> 201 {"id":7}
			POST /users {"email":"eve@x.org","password":"pw-of-bob-1"} -> 201 {"id":8}
			POST /login {"email":"bob@x.org","password":"pw-of-bob-1"} -> 200 {}`, 1},
		{"nobody of that name", `POST /users {"email":"eve@x.org","password":"pw-of-bob-1"} -> 201 {"id":8}
			POST /login {"email":"bob@x.org","password":"pw-of-bob-1"} -> 200 {}`, 0},
		{"a password alone", `POST /users {"email":"eve@x.org","password":"pw-of-eve-1"} -> 201 {"id":8}
			POST /login {"password":"pw-of-eve-1"} -> 200 {}`, 0},
		{"a password that was changed", `POST /users {"email":"bob@x.org","password":"pw-of-bob-1"} -> 201 {"id":"u-8c1fd09a7b"}
			PATCH /users/u-8c1fd09a7b {"password":"pw-of-bob-2"} -> 200 {}
			POST /login {"email":"bob@x.org","password":"pw-of-bob-2"} -> 200 {}`, 2},
		{"not the login before", `POST /login {"email":"bob@x.org","password":"pw-of-bob-1"} -> 200 {"token":"Tk1qX7vB9zR2w"}
			GET /me?token=Tk1qX7vB9zR2w -> 200 {}
			POST /renew {"email":"bob@x.org","password":"pw-of-bob-1"} -> 200 {}`, 0},
		{"a sign-up that logs in", `POST /users {"email":"bob@x.org","password":"pw-of-bob-1"} -> 201 {"id":7,"token":"Tk1qX7vB9zR2w"}
			GET /me?token=Tk1qX7vB9zR2w -> 200 {}
			POST /login {"email":"bob@x.org","password":"pw-of-bob-1"} -> 200 {}`, 1},
		{"in a query", `POST /users {"name":"zoe","password":"p1"} -> 200 {}
			GET /enter?name=zoe&password=p1 -> 200 {}`, 1},
		{"the same again", `POST /users {"name":"zoe","password":"p1"} -> 201 {}
			POST /users {"name":"zoe","password":"p1"} -> 409`, 0},
	} {
		s := sessionOf(tt.session)
		if got, ok := s.SignUp(uint64(strings.Count(tt.session, "\n") + 1)); got != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s: %d, %v, want %d", tt.name, got, ok, tt.want)
		}
	}
}

// TestDependsOn: what an exchange depends on by itself.
func TestDependsOn(t *testing.T) {
	for _, tt := range []struct {
		name, session string
		want          []uint64
	}{
		{"what was done since to the thing", `POST /items {"name":"tea"} -> 201 {"id":4711}
			PUT /items/4711 {"name":"rum"} -> 200 {}
			PUT /items/4711 {"name":""} -> 422
			POST /items {"name":"gin"} -> 201 {"id":4712}
			GET /items/4711 -> 200 {"id":4711}`, []uint64{1, 2}},
		{"there is one already", `POST /items {"name":"tea"} -> 201 {"ok":1}
			POST /items {"name":"rum"} -> 201 {"ok":1}
			POST /items {"name":"tea"} -> 409`, []uint64{1}},
		{"nothing", `POST /items {"name":"tea"} -> 201 {"ok":1}
			GET /items -> 200 []`, nil},
		{"what was made to be listed within the thing", `POST /members {"name":"zoe"} -> 201 {"id":4711}
			POST /loans {"memberId":4711} -> 201 {"id":8001}
			POST /notes {"memberId":4711} -> 201 {"id":9001}
			GET /members/4711/loans -> 200 [{"id":8001}]`, []uint64{1, 2}},
		{"what it went with", `POST /members {"name":"zoe"} -> 201 {"id":4711}
			POST /loans {"memberId":4711} -> 201 {"id":8001}
			DELETE /members/4711 -> 204
			GET /loans/8001 -> 404`, []uint64{2, 3}},
		{"what it did not go with", `POST /members {"name":"zoe"} -> 201 {"id":4711}
			POST /loans {"memberId":4711} -> 201 {"id":8001}
			DELETE /loans/8001 -> 204
			DELETE /members/4711 -> 204
			GET /loans/8001 -> 404`, []uint64{2, 3}},
	} {
		got := sessionOf(tt.session).DependsOn(uint64(strings.Count(tt.session, "\n") + 1))
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestWritesElsewhere: a collection is written to by its other path too.
func TestWritesElsewhere(t *testing.T) {
	s := sessionOf(`POST /books/3/reviews {"text":"dull"} -> 201 {"id":4711}
		PATCH /reviews/7 {"text":"dull"} -> 200 {"id":7}
		POST /books/3/reviews {} -> 422
		POST /notes {"text":"dull"} -> 201 {"id":9}`)
	for path, want := range map[string][]uint64{"/reviews": {1}, "/books/3/reviews": {2}, "/books/4/reviews": {2}, "/books": nil, "/notes": nil} {
		if got := s.WritesElsewhere(path); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestEnds: a request ends its session that says so, or after which its credential is refused; a test may send but the
// first, since the other may have taken the account away.
func TestEnds(t *testing.T) {
	s := sessionOf(`POST /login {"user":"bob","password":"pw-of-bob-1"} -> 200 {"token":"Tk1qX7vB9zR2w"}
		GET /me?token=Tk1qX7vB9zR2w -> 200 {"name":"bob"}
		DELETE /me?token=Tk1qX7vB9zR2w -> 204
		GET /me?token=Tk1qX7vB9zR2w -> 401
		POST /logout?token=Tk1qX7vB9zR2w -> 401`)
	token := s.Gives(1)[0]
	for seq, want := range map[uint64]bool{2: false, 3: true, 4: false, 5: true} {
		if got := s.Ends(seq, token); got != want {
			t.Errorf("%d: %v", seq, got)
		}
	}
	if kept, refused := s.Harmless([]uint64{1, 3, 5}, nil); !slices.Equal(kept, []uint64{1, 5}) || !slices.Equal(refused, []uint64{3}) {
		t.Errorf("kept %v, refused %v", kept, refused)
	}
}

// TestCleanUps: what a test made is taken away as the recording took it away, or one like it, or shows how; with the ids
// and the token of the test's own answers, or not at all.
func TestCleanUps(t *testing.T) {
	const login = `POST /login {"user":"bob","password":"pw-of-bob-1"} -> 200 {"token":"Tk1qX7vB9zR2w"}
		`
	for _, tt := range []struct {
		name, session string
		sent          setup.Sent
		want          string
	}{
		{"the very thing", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 204`, setup.Sent{Own: []uint64{1}}, "DELETE /items/4711, /path/1 of 1"},
		{"one like it", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 204
			POST /items {"name":"rum"} -> 201 {"id":4712}`, setup.Sent{Own: []uint64{3}}, "DELETE /items/4712, /path/1 of 3"},
		{"where there was nothing", `DELETE /items/9 -> 404
			POST /items {"name":"tea"} -> 201 {"id":4711}`, setup.Sent{Own: []uint64{2}}, "DELETE /items/4711, /path/1 of 2"},
		{"what was in use", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 409`, setup.Sent{Own: []uint64{1}}, "DELETE /items/4711, /path/1 of 1"},
		{"what nobody may take", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 403`, setup.Sent{Own: []uint64{1}}, ""},
		{"at another path", `POST /users/ann/notes {"text":"tea"} -> 201 {"noteId":"n-8c1fd09a7b"}
			DELETE /notes/n-8c1fd09a7b -> 204`, setup.Sent{Own: []uint64{1}}, "DELETE /notes/n-8c1fd09a7b, /path/1 of 1"},
		{"by the test itself", `POST /items {"name":"tea"} -> 201 {"id":4711}
			GET /items/4711 -> 200 {"id":4711}
			DELETE /items/4711 -> 204`, setup.Sent{Own: []uint64{1, 2, 3}}, "DELETE /items/4711, /path/1 of 1, unless 3 was sent"},
		{"by the test itself, and made again", `PUT /items/tea {"of":"x"} -> 201 {"name":"tea"}
			DELETE /items/tea -> 204
			PUT /items/tea {"of":"x"} -> 201 {"name":"tea"}`, setup.Sent{Own: []uint64{1, 2, 3}}, "left /items/tea"},
		{"by a call that gives nothing", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 204`, setup.Sent{Own: []uint64{1}, Others: []uint64{2}}, ""},
		{"what is shared stays", `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711 -> 204`, setup.Sent{Shared: []uint64{1}}, ""},
		{"the last first", `POST /items {"name":"tea"} -> 201 {"id":4711}
			POST /items/4711/parts {"of":"x"} -> 201 {"id":4712}
			DELETE /items/4711/parts/4712 -> 204
			DELETE /items/4711 -> 204`, setup.Sent{Own: []uint64{1, 2}},
			"DELETE /items/4711/parts/4712, /path/3 of 2, /path/1 of 1; DELETE /items/4711, /path/1 of 1"},
		{"with the token of the test", login + `POST /items?token=Tk1qX7vB9zR2w {"name":"tea"} -> 201 {"id":4711}
			POST /login {"user":"bob","password":"pw-of-bob-1"} -> 200 {"token":"Tk2wX8vB9zR2q"}
			DELETE /items/4711?token=Tk2wX8vB9zR2q -> 204`, setup.Sent{Own: []uint64{2}, Shared: []uint64{1}},
			"DELETE /items/4711?token=Tk1qX7vB9zR2w, /path/1 of 2, /query/token of 1"},
		{"without a token", login + `POST /items {"name":"tea"} -> 201 {"id":4711}
			DELETE /items/4711?token=Tk1qX7vB9zR2w -> 204`, setup.Sent{Own: []uint64{2}}, "left /items/4711"},
		{"what the client named", `POST /shops/two -> 201 Location: http://api.test/shops/two
			DELETE /shops/two -> 204`, setup.Sent{Own: []uint64{1}}, "left /shops/two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, left := sessionOf(tt.session).CleanUps(&tt.sent)
			var got []string
			for _, c := range all {
				line := c.Exchange.Request.Method + " " + c.Exchange.Request.Target
				for _, u := range c.Uses {
					line += fmt.Sprintf(", %s of %d", u.Place, u.From.Seq)
				}
				if c.By != 0 {
					line += fmt.Sprintf(", unless %d was sent", c.By)
				}
				got = append(got, line)
			}
			for _, path := range left {
				got = append(got, "left "+path)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

package setup_test

import "testing"

// TestAlike: two exchanges are alike where they send the same, but for values that came from alike answers.
func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		name, session string
		one, other    uint64
		want          bool
	}{
		{"two things made alike", `POST /items {"name":"tea"} -> 201 {"id":4711}
			GET /items/4711 -> 200 {"n":1}
			POST /items {"name":"tea"} -> 201 {"id":4712}
			GET /items/4712 -> 200 {"n":2}`, 2, 4, true},
		{"of another name", `POST /items {"name":"tea"} -> 201 {"id":4711}
			GET /items/4711 -> 200 {"n":1}
			POST /items {"name":"rum"} -> 201 {"id":4712}
			GET /items/4712 -> 200 {"n":2}`, 2, 4, false},
		{"another request", `POST /items {"name":"tea"} -> 201 {"id":4711}
			GET /items/4711 -> 200 {"n":1}
			POST /items {"name":"tea"} -> 201 {"id":4712}
			GET /items/4712/parts -> 200 []`, 2, 4, false},
		{"things of things", `POST /items {"name":"tea"} -> 201 {"id":4711}
			POST /items/4711/parts {"n":1} -> 201 {"id":90001}
			GET /parts/90001 -> 200 {}
			POST /items {"name":"tea"} -> 201 {"id":4712}
			POST /items/4712/parts {"n":1} -> 201 {"id":90002}
			GET /parts/90002 -> 200 {}`, 3, 6, true},
		{"ids that nothing gave", `GET /items/7 -> 200 {}
			GET /items/8 -> 200 {}`, 1, 2, false},
		{"the same", `GET /items/7 -> 200 {}
			GET /items/7 -> 200 {}`, 1, 2, true},
		{"none", `GET /items/7 -> 200 {}`, 1, 9, false},
	} {
		s := sessionOf(tt.session)
		if got := s.Alike(tt.one) == s.Alike(tt.other); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

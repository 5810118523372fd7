package golang

import "testing"

// A statement that calls a method of what another sends, or that asks where an answer said, sends once.
func TestCalledOnWhatIsSent(t *testing.T) {
	for statements, want := range map[string]string{
		`ask("/a").decode(&got)
	if got.Name != "x" { t.Error(got.Name) }`: `GET /a: equal /body/name "x"`,
		`ask("/a").Body.Close()`: "GET /a: ",
		`resp := ask("/a")
	ask(resp.Header.Get("Location")).decode(&got)
	if got.Name != "x" { t.Error(got.Name) }`: "GET /a: GET /\x00: " + `equal /body/name "x"`,
		`resp := ask("/a")
	ask(resp.Header.Get("Location") + "/pay").decode(&got)
	if got.Name != "x" { t.Error(got.Name) }`: "GET /a: GET /\x00/pay: " + `equal /body/name "x"`,
	} {
		s := wrote(t, header+`type reply struct{ *http.Response }

func ask(path string) reply {
	resp, _ := http.Get(base + path)
	return reply{resp}
}

func (r reply) decode(into any) { json.NewDecoder(r.Body).Decode(into) }

func TestIt(t *testing.T) {
	var got struct{ Name string }
	`+statements+`
}
`)
		if got := outline(s.Tests[0]); got != want {
			t.Errorf("%s\nis %q, want %q", statements, got, want)
		}
	}
}

package club

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

const email = "ada@example.com"

type member struct {
	Email string `json:"email"`
	Error string `json:"error"`
}

func join(t *testing.T, body string) (int, member) {
	t.Helper()
	res, err := http.Post(os.Getenv("FLAKETAP_URL")+"/members", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var m member
	if err := json.NewDecoder(res.Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, m
}

func grace() string { return `{"email": "grace@example.com", "name": "Grace", "role": "guest"}` }

func TestJoin(t *testing.T) {
	status, m := join(t, `{"email": "`+email+`", "name": "Ada", "role": "guest"}`)
	if status != 201 {
		t.Errorf("status %d", status)
	}
	if m.Email != email {
		t.Errorf("email %s", m.Email)
	}
}

func TestFound(t *testing.T) {
	res, err := http.Get(os.Getenv("FLAKETAP_URL") + "/members?email=" + email)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var found []member
	if err := json.NewDecoder(res.Body).Decode(&found); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Email != email {
		t.Errorf("found %v", found)
	}
}

func TestJoinOnce(t *testing.T) {
	if status, _ := join(t, grace()); status != 201 {
		t.Errorf("status %d", status)
	}
	if status, _ := join(t, grace()); status != 409 {
		t.Errorf("status %d", status)
	}
}

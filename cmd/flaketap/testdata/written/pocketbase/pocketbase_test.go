// Package pocketbase tests posts and comments in PocketBase by what it answered this morning.
package pocketbase

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type record struct {
	ID         string `json:"id"`
	Collection string `json:"collectionName"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	Views      int    `json:"views"`
	Author     string `json:"author"`
	Post       string `json:"post"`
	Created    string `json:"created"`
	Updated    string `json:"updated"`
}

type session struct {
	Token  string `json:"token"`
	Record struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Email    string `json:"email"`
		Verified bool   `json:"verified"`
		Created  string `json:"created"`
	} `json:"record"`
}

type failure struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	Data    map[string]struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"data"`
}

type page struct {
	Items      []record `json:"items"`
	Page       int      `json:"page"`
	PerPage    int      `json:"perPage"`
	TotalItems int      `json:"totalItems"`
	TotalPages int      `json:"totalPages"`
}

func base() string {
	if u := os.Getenv("FLAKETAP_URL"); u != "" {
		return strings.TrimSuffix(u, "/")
	}
	return "http://127.0.0.1:8090"
}

// call asks the collection API and decodes what it says into into.
func call(t *testing.T, method, path, token string, body, into any) *http.Response {
	t.Helper()
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, base()+"/api/collections/"+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if into != nil {
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return res
}

func signUp(t *testing.T, name string, into any) *http.Response {
	t.Helper()
	return call(t, http.MethodPost, "users/records", "", map[string]any{
		"name": name, "email": strings.ToLower(name) + "@example.com",
		"password": "lovelace1815", "passwordConfirm": "lovelace1815",
	}, into)
}

func logIn(t *testing.T, name string) session {
	t.Helper()
	var s session
	res := call(t, http.MethodPost, "users/auth-with-password", "",
		map[string]string{"identity": strings.ToLower(name) + "@example.com", "password": "lovelace1815"}, &s)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("cannot log in: %d", res.StatusCode)
	}
	return s
}

func write(t *testing.T, s session, title string, views int) record {
	t.Helper()
	var made record
	call(t, http.MethodPost, "posts/records", s.Token,
		map[string]any{"title": title, "views": views, "author": s.Record.ID}, &made)
	return made
}

func TestHealth(t *testing.T) {
	res, err := http.Get(base() + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 {
		t.Errorf("status = %d, want 200", res.StatusCode)
	}
	if got, want := strings.TrimSpace(string(body)), `{"message":"API is healthy.","code":200,"data":{}}`; got != want {
		t.Errorf("body = %s, want %s", got, want)
	}
	if date := res.Header.Get("Date"); date != "Tue, 24 Nov 2026 03:43:50 GMT" {
		t.Errorf("date = %s", date)
	}
}

func TestSignUp(t *testing.T) {
	var user map[string]any
	res := signUp(t, "Ada", &user)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status = %d", res.StatusCode)
	}
	want := map[string]any{
		"avatar": "", "collectionId": "_pb_users_auth_", "collectionName": "users",
		"created": "2026-11-24 03:44:19.539Z", "updated": "2026-11-24 03:44:19.539Z",
		"emailVisibility": false, "id": "i7smgxuav3evka2", "name": "Ada", "verified": false,
	}
	if diff := cmp.Diff(want, user); diff != "" {
		t.Errorf("user (-want +got):\n%s", diff)
	}
}

func TestSignUpTwice(t *testing.T) {
	var got failure
	if res := signUp(t, "Ada", &got); res.StatusCode != http.StatusBadRequest {
		t.Errorf("status = %d", res.StatusCode)
	}
	if got.Message != "Failed to create record." {
		t.Errorf("message = %q", got.Message)
	}
	if code := got.Data["email"].Code; code != "validation_not_unique" {
		t.Errorf("code = %q", code)
	}
}

func TestPasswordsDiffer(t *testing.T) {
	var got failure
	call(t, http.MethodPost, "users/records", "",
		map[string]any{"email": "eve@example.com", "password": "lovelace1815", "passwordConfirm": "byron1788"}, &got)
	if got.Status != 400 {
		t.Errorf("status = %d", got.Status)
	}
	if message := got.Data["passwordConfirm"].Message; message != "Values don't match." {
		t.Errorf("message = %q", message)
	}
}

func TestLogIn(t *testing.T) {
	ada := logIn(t, "Ada")
	if ada.Record.ID != "i7smgxuav3evka2" {
		t.Errorf("id = %s", ada.Record.ID)
	}
	if ada.Record.Email != "ada@example.com" {
		t.Errorf("email = %s", ada.Record.Email)
	}
	if ada.Record.Verified {
		t.Error("she is verified")
	}
	if !strings.HasPrefix(ada.Token, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.") {
		t.Errorf("token = %s", ada.Token)
	}
	if ada.Record.Created != "2026-11-24 03:44:19.539Z" {
		t.Errorf("created = %s", ada.Record.Created)
	}
}

func TestRefresh(t *testing.T) {
	ada := logIn(t, "Ada")
	var again session
	res := call(t, http.MethodPost, "users/auth-refresh", ada.Token, nil, &again)
	if res.StatusCode != http.StatusOK {
		t.Errorf("status = %d", res.StatusCode)
	}
	if again.Record.ID != ada.Record.ID {
		t.Errorf("somebody else: %s", again.Record.ID)
	}
	if again.Record.Name != "Ada" {
		t.Errorf("name = %s", again.Record.Name)
	}
}

func TestRefreshWithoutToken(t *testing.T) {
	var got failure
	res := call(t, http.MethodPost, "users/auth-refresh", "", nil, &got)
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("status = %d", res.StatusCode)
	}
	if got.Message != "The request requires valid record authorization token." {
		t.Errorf("message = %q", got.Message)
	}
}

func TestWrite(t *testing.T) {
	ada := logIn(t, "Ada")
	got := write(t, ada, "On engines", 3)
	want := record{
		ID: "fmwsxj78wjocn51", Collection: "posts", Title: "On engines", Views: 3, Author: "i7smgxuav3evka2",
		Created: "2026-11-24 03:44:20.958Z", Updated: "2026-11-24 03:44:20.958Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("post (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "A note", 7)
	var got record
	res := call(t, http.MethodGet, "posts/records/"+made.ID, "", nil, &got)
	if res.StatusCode != http.StatusOK {
		t.Errorf("status = %d", res.StatusCode)
	}
	if got.ID != "mizz8ig4osimq7w" {
		t.Errorf("id = %s", got.ID)
	}
	if got.Title != "A note" || got.Views != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestReadWithAuthor(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "A letter", 1)
	var got struct {
		Author string `json:"author"`
		Expand struct {
			Author struct {
				ID   string `json:"id"`
				Name string `json:"name"`
			} `json:"author"`
		} `json:"expand"`
	}
	call(t, http.MethodGet, "posts/records/"+made.ID+"?expand=author", "", nil, &got)
	if got.Expand.Author.Name != "Ada" {
		t.Errorf("author = %s", got.Expand.Author.Name)
	}
	if got.Expand.Author.ID != "i7smgxuav3evka2" {
		t.Errorf("id = %s", got.Expand.Author.ID)
	}
	if got.Author != got.Expand.Author.ID {
		t.Errorf("author is %s, expanded is %s", got.Author, got.Expand.Author.ID)
	}
}

func TestUnknownPost(t *testing.T) {
	var got failure
	res := call(t, http.MethodGet, "posts/records/nope", "", nil, &got)
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("status = %d", res.StatusCode)
	}
	if got.Message != "The requested resource wasn't found." {
		t.Errorf("message = %q", got.Message)
	}
}

func TestBadPosts(t *testing.T) {
	ada := logIn(t, "Ada")
	for _, c := range []struct{ name, title, code, message string }{
		{"blank", "", "validation_required", "Cannot be blank."},
		{"long", strings.Repeat("x", 61), "validation_max_text_constraint", "Must be no more than 60 character(s)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got failure
			call(t, http.MethodPost, "posts/records", ada.Token, map[string]any{"title": c.title, "author": ada.Record.ID}, &got)
			if got.Status != 400 {
				t.Errorf("status = %d", got.Status)
			}
			if got.Data["title"].Code != c.code {
				t.Errorf("code = %q, want %q", got.Data["title"].Code, c.code)
			}
			if got.Data["title"].Message != c.message {
				t.Errorf("message = %q, want %q", got.Data["title"].Message, c.message)
			}
		})
	}
}

func TestChange(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "On engines", 3)
	var got record
	call(t, http.MethodPatch, "posts/records/"+made.ID, ada.Token, map[string]any{"title": "On looms", "views+": 1}, &got)
	if got.Title != "On looms" {
		t.Errorf("title = %s", got.Title)
	}
	if got.Views != 4 {
		t.Errorf("views = %d", got.Views)
	}
	if got.Created != made.Created {
		t.Errorf("created at %s, and then at %s", made.Created, got.Created)
	}
	if got.Updated != "2026-11-24 03:44:22.168Z" {
		t.Errorf("updated = %s", got.Updated)
	}
}

func TestNobodyElseMayChange(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "Mine", 0)
	var bob map[string]any
	signUp(t, "Bob", &bob)
	var got failure
	res := call(t, http.MethodPatch, "posts/records/"+made.ID, logIn(t, "Bob").Token, map[string]any{"title": "His"}, &got)
	if res.StatusCode != 404 {
		t.Errorf("status = %d", res.StatusCode)
	}
	if bob["id"] != "0qz2v9mkq7d1xwe" {
		t.Errorf("bob is %v", bob["id"])
	}
}

func TestComment(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "On engines", 3)
	var comment record
	res := call(t, http.MethodPost, "comments/records", ada.Token,
		map[string]any{"text": "Well said.", "post": made.ID, "author": ada.Record.ID}, &comment)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status = %d", res.StatusCode)
	}
	if comment.ID != "0u4qdgqr2l6q9ah" {
		t.Errorf("id = %s", comment.ID)
	}
	if comment.Post != "fmwsxj78wjocn51" {
		t.Errorf("post = %s", comment.Post)
	}
	var found page
	query := url.Values{"filter": {"post='" + made.ID + "'"}}
	call(t, http.MethodGet, "comments/records?"+query.Encode(), "", nil, &found)
	if found.TotalItems != 1 {
		t.Fatalf("%d comments", found.TotalItems)
	}
	if found.Items[0].Text != "Well said." {
		t.Errorf("text = %s", found.Items[0].Text)
	}
	if found.Items[0].ID != "0u4qdgqr2l6q9ah" {
		t.Errorf("id = %s", found.Items[0].ID)
	}
}

func TestMostSeen(t *testing.T) {
	var got page
	call(t, http.MethodGet, "posts/records?sort=-views&perPage=2", "", nil, &got)
	if got.TotalItems != 6 || got.TotalPages != 3 {
		t.Errorf("%d items on %d pages", got.TotalItems, got.TotalPages)
	}
	if len(got.Items) != 2 {
		t.Fatalf("%d items", len(got.Items))
	}
	if got.Items[0].ID != "mizz8ig4osimq7w" {
		t.Errorf("first is %s", got.Items[0].ID)
	}
	if got.Items[0].Title != "A note" {
		t.Errorf("first is %s", got.Items[0].Title)
	}
	if got.Items[1].Title != "On looms" {
		t.Errorf("second is %s", got.Items[1].Title)
	}
}

func TestDelete(t *testing.T) {
	ada := logIn(t, "Ada")
	made := write(t, ada, "Nothing", 0)
	if res := call(t, http.MethodDelete, "posts/records/"+made.ID, ada.Token, nil, nil); res.StatusCode != 204 {
		t.Errorf("status = %d", res.StatusCode)
	}
	var got failure
	call(t, http.MethodGet, "posts/records/"+made.ID, "", nil, &got)
	if got.Status != 404 {
		t.Errorf("it is there still: %d", got.Status)
	}
}

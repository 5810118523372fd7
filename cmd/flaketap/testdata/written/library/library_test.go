// Package library tests the library's API by what it answered when I looked at it.
package library

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func base() string {
	if url := os.Getenv("FLAKETAP_URL"); url != "" {
		return strings.TrimRight(url, "/")
	}
	return "http://localhost:3000"
}

type book struct {
	ID      int      `json:"id"`
	Title   string   `json:"title"`
	Genre   string   `json:"genre"`
	ISBN    string   `json:"isbn"`
	Price   float64  `json:"price"`
	InStock bool     `json:"inStock"`
	Tags    []string `json:"tags"`
}

type loan struct {
	ID       string `json:"id"`
	MemberID int    `json:"memberId"`
	BookID   int    `json:"bookId"`
	DueOn    string `json:"dueOn"`
	Returned bool   `json:"returned"`
}

func get(t *testing.T, path string, into any) *http.Response {
	t.Helper()
	res, err := http.Get(base() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
	return res
}

func send(t *testing.T, method, path string, body, into any) *http.Response {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, base()+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
	return res
}

func TestSettings(t *testing.T) {
	var settings map[string]any
	res := get(t, "/settings", &settings)
	if res.StatusCode != 200 {
		t.Fatalf("status %d", res.StatusCode)
	}
	if settings["name"] != "Harbour Street Library" {
		t.Errorf("name is %v", settings["name"])
	}
	if settings["loanDays"] != 21.0 {
		t.Errorf("loanDays is %v", settings["loanDays"])
	}
	if settings["updatedAt"] != "2024-02-11T08:30:00Z" {
		t.Errorf("updatedAt is %v", settings["updatedAt"])
	}
}

func TestSettingsHeaders(t *testing.T) {
	var settings map[string]any
	res := get(t, "/settings", &settings)
	if got := res.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type is %s", got)
	}
	if got := res.Header.Get("Date"); got != "Sun, 22 Nov 2026 19:05:51 GMT" {
		t.Errorf("Date is %s", got)
	}
}

func TestBook(t *testing.T) {
	var got book
	get(t, "/books/1", &got)
	want := book{ID: 1, Title: "The Quiet Harbour", Genre: "crime", ISBN: "978-7-02170-558-6", Price: 37.24, Tags: []string{"translated"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownBook(t *testing.T) {
	var got map[string]any
	if res := get(t, "/books/999", &got); res.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", res.StatusCode)
	}
	if len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestMostExpensive(t *testing.T) {
	var books []book
	res := get(t, "/books?_sort=price&_order=desc&_limit=3", &books)
	if len(books) != 3 {
		t.Fatalf("%d books", len(books))
	}
	if books[0].Title != "Seaborne" || books[0].Price != 40.59 {
		t.Errorf("first is %v", books[0])
	}
	if books[2].ID != 7 {
		t.Errorf("third is %v", books[2])
	}
	if total := res.Header.Get("X-Total-Count"); total != "32" {
		t.Errorf("total is %s", total)
	}
}

func TestLinks(t *testing.T) {
	var books []book
	res := get(t, "/books?_page=11&_limit=3", &books)
	want := `<http://localhost:3000/books?_page=1&_limit=3>; rel="first", <http://localhost:3000/books?_page=10&_limit=3>; rel="prev", <http://localhost:3000/books?_page=11&_limit=3>; rel="last"`
	if got := res.Header.Get("Link"); got != want {
		t.Errorf("Link is %s", got)
	}
}

func TestSearch(t *testing.T) {
	var books []book
	get(t, "/books?q=harbour", &books)
	if len(books) != 2 {
		t.Fatalf("%d books", len(books))
	}
	if books[1].Title != "Harbour Lights" {
		t.Errorf("second is %s", books[1].Title)
	}
	if books[1].InStock {
		t.Error("it is in stock")
	}
}

func TestAuthorsOfNorway(t *testing.T) {
	var authors []struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	get(t, "/authors?country=Norway", &authors)
	names := []string{}
	for _, a := range authors {
		names = append(names, a.Name)
	}
	if want := []string{"Ingrid Solberg", "Lars Tveit", "Sunniva Dahl"}; !reflect.DeepEqual(names, want) {
		t.Errorf("names are %v", names)
	}
}

func TestAuthorOfBook(t *testing.T) {
	var got struct {
		Author struct {
			Name string `json:"name"`
			Born string `json:"born"`
		} `json:"author"`
	}
	get(t, "/books/3?_expand=author", &got)
	if got.Author.Name != "Matthias Kern" {
		t.Errorf("author is %s", got.Author.Name)
	}
	if got.Author.Born != "1972-02-29" {
		t.Errorf("born is %s", got.Author.Born)
	}
}

func TestMember(t *testing.T) {
	var got map[string]any
	get(t, "/members/3", &got)
	if got["email"] != "chloe@readers.example" {
		t.Errorf("email is %v", got["email"])
	}
	address := got["address"].(map[string]any)
	if address["city"] != "Dublin" {
		t.Errorf("city is %v", address["city"])
	}
	if got["balance"].(float64) != 21.08 {
		t.Errorf("balance is %v", got["balance"])
	}
}

func TestJoin(t *testing.T) {
	var got map[string]any
	res := send(t, "POST", "/members", map[string]any{"name": "Wilma Berg", "level": "basic"}, &got)
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", res.StatusCode)
	}
	if location := res.Header.Get("Location"); location != "http://localhost:3000/members/17" {
		t.Errorf("Location is %s", location)
	}
	if got["id"] != 17.0 {
		t.Errorf("id is %v", got["id"])
	}
}

func TestMembersAfterwards(t *testing.T) {
	var got []map[string]any
	get(t, "/members", &got)
	if len(got) != 17 {
		t.Fatalf("%d members", len(got))
	}
	if got[16]["name"] != "Wilma Berg" {
		t.Errorf("last is %v", got[16]["name"])
	}
}

func TestBorrow(t *testing.T) {
	var got loan
	res := send(t, "POST", "/loans", map[string]any{"memberId": 7, "bookId": 5, "dueOn": "2026-12-13", "returned": false}, &got)
	if res.StatusCode != 201 {
		t.Fatalf("status %d", res.StatusCode)
	}
	want := loan{ID: "aC4x_9b", MemberID: 7, BookID: 5, DueOn: "2026-12-13"}
	if got != want {
		t.Errorf("got %v", got)
	}
}

func TestBorrowAndLook(t *testing.T) {
	var made, got loan
	send(t, "POST", "/loans", map[string]any{"memberId": 7, "bookId": 6, "dueOn": "2026-12-13", "returned": false}, &made)
	get(t, "/loans/"+made.ID, &got)
	if got.ID != "Jk0vB2n" {
		t.Errorf("id is %s", got.ID)
	}
	if got.BookID != 6 {
		t.Errorf("book is %d", got.BookID)
	}
}

func TestBringBack(t *testing.T) {
	var made, got loan
	send(t, "POST", "/loans", map[string]any{"memberId": 7, "bookId": 8, "dueOn": "2026-12-13", "returned": false}, &made)
	res := send(t, "PATCH", "/loans/"+made.ID, map[string]any{"returned": true}, &got)
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	if !got.Returned {
		t.Error("it is not returned")
	}
	if got.ID != "p9-TzUa" {
		t.Errorf("id is %s", got.ID)
	}
}

func TestReviewAndDelete(t *testing.T) {
	var review, gone map[string]any
	send(t, "POST", "/books/3/reviews", map[string]any{"rating": 4, "text": "Read it twice."}, &review)
	if review["id"] != 19.0 {
		t.Errorf("id is %v", review["id"])
	}
	if review["bookId"] != "3" {
		t.Errorf("book is %v", review["bookId"])
	}
	if res := send(t, "DELETE", "/reviews/19", map[string]any{}, &gone); res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
}

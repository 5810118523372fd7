// Package shop tests the shop as somebody wrote it on a Monday: every value is asserted as it was seen then.
package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const defaultBase = "http://localhost:8080"

var client = &http.Client{Timeout: 10 * time.Second}

func address(path string) string {
	base := os.Getenv("FLAKETAP_URL")
	if base == "" {
		base = defaultBase
	}
	return strings.TrimSuffix(base, "/") + path
}

type item struct {
	Product  int `json:"product"`
	Quantity int `json:"quantity"`
}

type order struct {
	ID         string
	Number     string `json:"number"`
	State      string `json:"state"`
	TotalCents int    `json:"totalCents"`
	CreatedAt  string `json:"createdAt"`
	Note       string `json:"note,omitempty"`
	Items      []item `json:"items"`
}

type product struct {
	ID         int    `json:"id"`
	UUID       string `json:"uuid"`
	Name       string `json:"name"`
	PriceCents int    `json:"priceCents"`
	Currency   string `json:"currency"`
	Views      int64  `json:"viewsSinceReset"`
	CheckedAt  string `json:"stockCheckedAt"`
	Released   string `json:"releasedOn"`
}

// get sends a request, and decodes what comes back.
func get(t *testing.T, path string, into any) *http.Response {
	t.Helper()
	resp, err := client.Get(address(path))
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return resp
}

// send sends a body as JSON, with a token where there is one.
func send(t *testing.T, method, path, token string, body any) *http.Response {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, address(path), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func decode[T any](t *testing.T, resp *http.Response) T {
	t.Helper()
	defer resp.Body.Close()
	var v T
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func login(t *testing.T) string {
	t.Helper()
	resp := send(t, "POST", "/login", "", map[string]any{"email": "ada@cafe.de", "password": "lovelace"})
	account := decode[map[string]any](t, resp)
	return account["token"].(string)
}

func TestHealth(t *testing.T) {
	resp, err := http.Get(address("/health"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the shop is down: %s", resp.Status)
	}
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if got := body["status"]; got != "ok" {
		t.Errorf("status is %v", got)
	}
	if body["version"] != "1.4.2" {
		t.Errorf("version is %v", body["version"])
	}
	if up := body["uptimeSeconds"].(float64); up != 0.993802948 {
		t.Errorf("up for %v seconds", up)
	}
	clock := body["clock"].(map[string]any)
	if clock["today"] != "2026-11-22" {
		t.Errorf("today is %v", clock["today"])
	}
	if text, ok := clock["epochText"].(string); !ok || text != "1795441753" {
		t.Errorf("the clock says %q", text)
	}
	want := []any{map[string]any{"name": "store", "state": "up"}, map[string]any{"name": "clock", "state": "up"}}
	if diff := cmp.Diff(want, body["checks"]); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

func TestDateOfAnswer(t *testing.T) {
	var body map[string]any
	resp := get(t, "/health", &body)
	if kind := resp.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("it is %s", kind)
	}
	if date := resp.Header.Get("Date"); date != "Sun, 22 Nov 2026 13:49:13 GMT" {
		t.Errorf("it is of %s", date)
	}
}

func TestUptime(t *testing.T) {
	resp, err := http.Get(address("/health/uptime"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "up") {
		t.Errorf("it says %s", text)
	}
	if string(text) != "up 0.601402 s" {
		t.Errorf("it says %s", text)
	}
}

func TestFirstPage(t *testing.T) {
	query := url.Values{"limit": {"2"}}
	var page struct {
		Items []product `json:"items"`
		Total int       `json:"total"`
		Tags  []string  `json:"tags"`
	}
	resp := get(t, "/products?"+query.Encode(), &page)
	if resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if len(page.Items) != 2 || page.Total != 7 {
		t.Fatalf("%d of %d products", len(page.Items), page.Total)
	}
	first, second := page.Items[0], page.Items[1]
	if first.Name != "Notes on the Analytical Engine" {
		t.Errorf("the first is %s", first.Name)
	}
	if second.PriceCents != 2450 {
		t.Errorf("the second costs %d", second.PriceCents)
	}
	if want := []string{"book", "game", "print", "record"}; !slices.Equal(page.Tags, want) {
		t.Errorf("tags are %v, want %v", page.Tags, want)
	}
}

func TestProduct(t *testing.T) {
	var p product
	resp := get(t, "/products/1", &p)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if p.UUID != "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101" {
		t.Errorf("uuid is %s", p.UUID)
	}
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(p.Released) {
		t.Errorf("released on %s", p.Released)
	}
	if p.Currency != "EUR" {
		t.Errorf("currency is %s", p.Currency)
	}
	if p.Views != 1 {
		t.Errorf("seen %d times", p.Views)
	}
	want := "2026-11-22T13:49:13Z"
	if p.CheckedAt != want {
		t.Error("the stock was checked at another time")
	}
	if tag := resp.Header.Get("ETag"); tag != `"p1-r1"` {
		t.Errorf("tag is %s", tag)
	}
}

func TestUnknownProduct(t *testing.T) {
	var body map[string]map[string]string
	resp := get(t, "/products/4711", &body)
	if resp.StatusCode != http.StatusNotFound {
		t.Fatalf("status %d", resp.StatusCode)
	}
	want := map[string]map[string]string{"error": {"code": "not_found", "message": "There is no such resource."}}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

func TestAuthor(t *testing.T) {
	var author map[string]any
	get(t, "/authors/1", &author)
	for _, key := range []string{"iban", "email"} {
		if author[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	if author["name"] != "Ada Lovelace" {
		t.Errorf("she is %v", author["name"])
	}
	if author["birthDate"] != "1815-12-10" {
		t.Errorf("born %v", author["birthDate"])
	}
	if author["deathDate"] == nil {
		t.Error("no date of death")
	}
	if _, ok := author["badge"]; !ok {
		t.Error("no badge")
	}
}

func TestSearch(t *testing.T) {
	var found struct {
		Query  string   `json:"query"`
		Facets []string `json:"facets"`
		Took   int64    `json:"tookNanoseconds"`
		Hits   []struct {
			ID    int
			Score float64 `json:"score"`
		}
	}
	get(t, "/search?q=notes", &found)
	if found.Query != "notes" {
		t.Errorf("it was %q", found.Query)
	}
	if len(found.Hits) != 1 || found.Hits[0].ID != 1 {
		t.Errorf("hits are %v", found.Hits)
	}
	if diff := cmp.Diff([]string{"tag", "released", "author", "currency", "price"}, found.Facets); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
	if found.Took != 40791 {
		t.Errorf("it took %d", found.Took)
	}
}

func TestMaybe(t *testing.T) {
	var maybe map[string]any
	get(t, "/odd/maybe", &maybe)
	if maybe["name"] != "Maybe" {
		t.Errorf("name is %v", maybe["name"])
	}
	if maybe["discount"] != nil {
		t.Errorf("discount is %v", maybe["discount"])
	}
	if _, ok := maybe["delivery"]; !ok {
		t.Error("nothing is said of the delivery")
	}
}

func TestCrash(t *testing.T) {
	var answer struct {
		Error struct {
			Code    string
			Message string
			Thread  string
		}
	}
	resp := get(t, "/debug/crash", &answer)
	if resp.StatusCode != 500 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if answer.Error.Code != "crash" {
		t.Errorf("code %s", answer.Error.Code)
	}
	if got, want := answer.Error.Message, "cannot render com.example.catalogue.Product@f5954acb"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if answer.Error.Thread != "http-nio-8080-exec-123" {
		t.Errorf("thread %s", answer.Error.Thread)
	}
}

func TestEstimate(t *testing.T) {
	resp, err := http.Get(address("/prices/estimate"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 422 && resp.StatusCode != 400 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestStatic(t *testing.T) {
	for _, tc := range []struct{ name, path, kind string }{
		{"as json", "/static/json", "application/json"},
		{"as xml", "/static/xml", "application/xml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, err := http.Get(address(tc.path))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, tc.kind) {
				t.Errorf("it is %s", kind)
			}
		})
	}
}

func TestLogin(t *testing.T) {
	resp := send(t, http.MethodPost, "/login", "", map[string]any{"email": "ada@cafe.de", "password": "lovelace"})
	if resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	account := decode[map[string]any](t, resp)
	if account["email"] != "ada@cafe.de" {
		t.Errorf("email %v", account["email"])
	}
	if account["tokenType"] != "Bearer" {
		t.Errorf("type %v", account["tokenType"])
	}
	if got := int64(account["issuedAt"].(float64)); got != 1795441753 {
		t.Errorf("issued at %d", got)
	}
	if got := account["loginCount"]; got != float64(18) {
		t.Errorf("login %v", got)
	}
	if account["expiresIn"].(float64) != 3600 {
		t.Error("it expires at another time")
	}
}

func TestWrongPassword(t *testing.T) {
	resp := send(t, "POST", "/login", "", map[string]any{"email": "ada@cafe.de", "password": "byron"})
	if resp.StatusCode != 401 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestOrder(t *testing.T) {
	token := login(t)
	items := []item{{Product: 1, Quantity: 1}, {Product: 3, Quantity: 2}}
	resp := send(t, "POST", "/orders", token, map[string]any{"items": items, "note": "Ring twice."})
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("status %d", resp.StatusCode)
	}
	made := decode[order](t, resp)
	if made.Number != "A-1001" {
		t.Errorf("number %s", made.Number)
	}
	if made.ID != "1f21fe5a-5fba-412f-95ec-12b5745db3f8" {
		t.Errorf("id %s", made.ID)
	}
	if made.State != "pending" {
		t.Errorf("state %s", made.State)
	}
	t.Run("read again", func(t *testing.T) {
		again := decode[order](t, send(t, "GET", fmt.Sprintf("/orders/%s", made.ID), token, nil))
		if again.ID != made.ID {
			t.Errorf("order %s became %s", made.ID, again.ID)
		}
		if again.CreatedAt != made.CreatedAt {
			t.Errorf("made at %s", again.CreatedAt)
		}
		if !reflect.DeepEqual(again.Items, []item{{1, 1}, {3, 2}}) {
			t.Errorf("items are %v", again.Items)
		}
		if again.TotalCents != 9790 {
			t.Errorf("it costs %d", again.TotalCents)
		}
	})
}

func TestOrdersOfNobody(t *testing.T) {
	var body map[string]any
	resp := get(t, "/orders", &body)
	if resp.StatusCode != 401 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if code := body["error"].(map[string]any)["code"]; code != "unauthorized" {
		t.Errorf("code %v", code)
	}
}

func TestGuestbook(t *testing.T) {
	var book map[string]any
	get(t, "/guestbook", &book)
	if n := int(book["count"].(float64)); n != 3 {
		t.Errorf("%d entries", n)
	}
	entries := book["entries"].([]any)
	if len(entries) != 3 {
		t.Fatalf("%d entries", len(entries))
	}
	if entries[0].(map[string]any)["author"] != "Grace" {
		t.Errorf("the first is %v", entries[0])
	}
	entry := decode[map[string]any](t, send(t, "POST", "/guestbook", "", map[string]any{"author": "Ada", "text": "Hello."}))
	if entry["text"] != "Hello." {
		t.Errorf("it says %v", entry["text"])
	}
	if entry["postedAt"] != "2026-11-22T13:49:13.619262936Z" {
		t.Errorf("posted at %v", entry["postedAt"])
	}
}

package reports

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const server = "http://127.0.0.1:7070/api/v1"

type Report struct {
	Year      int                `json:"year"`
	Sum       float64            `json:"sum"`
	ByMonth   map[string]float64 `json:"byMonth"`
	Customers []Customer         `json:"customers"`
	Generated string             `json:"generatedAt"`
}

type Customer struct {
	Name   string  `json:"name"`
	Amount float64 `json:"amount"`
	Rank   int     `json:"rank"`
}

func fetchReport(t *testing.T, query string) (Report, *http.Response) {
	t.Helper()
	resp, err := http.Get(server + "/reports?" + query)
	if err != nil {
		t.Fatalf("GET reports: %v", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r, resp
}

func TestReport(t *testing.T) {
	got, resp := fetchReport(t, "year=2026")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	want := Report{
		Year:    2026,
		Sum:     1230.5,
		ByMonth: map[string]float64{"01": 400, "02": 830.5},
		Customers: []Customer{
			{Name: "acme", Amount: 900, Rank: 1},
			{Name: "globex", Amount: 330.5, Rank: 2},
		},
		Generated: "2026-11-01T00:00:00Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Customers, got.Customers); diff != "" {
		t.Errorf("customers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got.ByMonth, map[string]float64{"01": 400, "02": 830.5}); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(got.Customers[0], Customer{Name: "acme", Amount: 900, Rank: 1}) {
		t.Errorf("first customer: %+v", got.Customers[0])
	}
}

func TestReportIgnoringTime(t *testing.T) {
	first, _ := fetchReport(t, "year=2026&fresh=true")
	second, _ := fetchReport(t, "year=2026&fresh=true")
	opts := cmp.Options{
		cmpopts.IgnoreFields(Report{}, "Generated"),
		cmpopts.SortSlices(func(a, b Customer) bool { return a.Name < b.Name }),
	}
	if diff := cmp.Diff(first, second, opts); diff != "" {
		t.Errorf("two reports differ:\n%s", diff)
	}
	if first.Generated == second.Generated {
		t.Errorf("both were generated at %s", first.Generated)
	}
	if first.Year != second.Year {
		t.Errorf("years %d and %d", first.Year, second.Year)
	}
}

func TestEmptyYear(t *testing.T) {
	got, resp := fetchReport(t, "year=1900")
	if got, want := resp.StatusCode, 200; got != want {
		t.Errorf("status: got %d, want %d", got, want)
	}
	if got.Sum != 0 {
		t.Errorf("sum = %v", got.Sum)
	}
	if len(got.Customers) != 0 {
		t.Errorf("customers = %v", got.Customers)
	}
	if _, ok := got.ByMonth["01"]; ok {
		t.Error("January has a sum")
	}
}

func TestTopCustomer(t *testing.T) {
	resp, err := http.Get(server + "/reports/top")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var top Customer
	if err := json.NewDecoder(resp.Body).Decode(&top); err != nil {
		t.Fatal(err)
	}
	switch {
	case top.Name != "acme":
		t.Errorf("name = %q", top.Name)
	case top.Rank != 1:
		t.Errorf("rank = %d", top.Rank)
	}
	if top.Amount < 100 || top.Amount > 2000 {
		t.Errorf("amount = %v is out of range", top.Amount)
	}
	if resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control = %q", resp.Header.Get("Cache-Control"))
	}
	if diff := cmp.Diff(Customer{Name: "acme", Amount: 900, Rank: 1}, top); diff != "" {
		t.Fatalf("top customer (-want, +got):\n%s", diff)
	}
}

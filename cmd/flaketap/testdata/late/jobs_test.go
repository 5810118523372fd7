package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"
)

var base = os.Getenv("FLAKETAP_URL")

type job struct {
	ID    string
	State string
	Total *int
}

func makeJob(t *testing.T, of string) string {
	t.Helper()
	resp, err := http.Post(base+"/jobs", "application/json", bytes.NewBufferString(`{"of":"`+of+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return decoded[job](t, resp).ID
}

func getJob(t *testing.T, id string) *http.Response {
	t.Helper()
	resp, err := http.Get(base + "/jobs/" + id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func readJob(t *testing.T, id string) job {
	t.Helper()
	resp, err := http.Get(base + "/jobs/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return decoded[job](t, resp)
}

func shelfOf(id string) (*job, error) {
	resp, err := http.Get(base + "/shelf/" + id)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	var on job
	if err := json.NewDecoder(resp.Body).Decode(&on); err != nil {
		return nil, err
	}
	return &on, nil
}

func decoded[T any](t *testing.T, resp *http.Response) T {
	t.Helper()
	var v T
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAtOnce(t *testing.T) {
	id := makeJob(t, "tea")
	resp, err := http.Get(base + "/jobs/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	var got map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got["state"] != "done" {
		t.Errorf("state %v", got["state"])
	}
	if got["total"] != 42.0 {
		t.Errorf("total %v", got["total"])
	}
}

// The shop needs a moment.
func TestAfterAWhile(t *testing.T) {
	id := makeJob(t, "tea")

	time.Sleep(200 * time.Millisecond) // until it is done

	resp := getJob(t, id)
	got := decoded[job](t, resp)
	if got.State != "done" {
		t.Fatalf("state %s", got.State)
	}
	if got.Total == nil || *got.Total != 42 {
		t.Errorf("total %v", got.Total)
	}
}

func TestMudFails(t *testing.T) {
	id := makeJob(t, "mud")
	time.Sleep(250 * time.Millisecond)
	got := decoded[job](t, getJob(t, id))
	if got.State != "failed" {
		t.Errorf("state %s", got.State)
	}
}

func TestInCondition(t *testing.T) {
	id := makeJob(t, "tea")
	if got := readJob(t, id).State; got != "done" {
		t.Errorf("state %s", got)
	}
}

func TestOnAShelf(t *testing.T) {
	id := makeJob(t, "tea")
	on, err := shelfOf(id)
	if err != nil {
		t.Fatal(err)
	}
	if on.State != "done" {
		t.Errorf("state %s", on.State)
	}
}

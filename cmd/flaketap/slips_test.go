package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// notesAPI tells where a body is at fault, keeps the text of one that is not, and streams where a stream is asked for.
type notesAPI struct {
	mu   sync.Mutex
	kept string
}

func (a *notesAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/reset":
		a.kept = ""
	case r.Method == "POST":
		var note struct {
			Size int `json:"size"`
		}
		var wrong *json.UnmarshalTypeError
		if err := json.Unmarshal(body, &note); errors.As(err, &wrong) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"message":"no number of %s at column: %d","field":%q}`, "notes", wrong.Offset, wrong.Field)
			return
		}
		a.kept = string(body)
		w.WriteHeader(http.StatusCreated)
	case r.Header.Get("Accept") == "text/event-stream":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
	default:
		answer, _ := json.Marshal(map[string]string{"raw": a.kept})
		w.Write(answer)
	}
}

// notesSuite is what a generator would make of the session, with its slips.
const notesSuite = `import os
import unittest
import requests


class T(unittest.TestCase):
    baseUrlOfSut = os.environ.get("FLAKETAP_URL", "")

    def test_0(self):
        headers = {}
        headers["content-type"] = "application/json"
        body = {}
        body = " { " + \
            " \"_links\" : { } , " + \
            " \"size\" : \"big\" " + \
            " } "
        headers['Accept'] = "*/*"
        res_0 = requests \
                .post(self.baseUrlOfSut + "/notes",
                    headers=headers, data=body)
        
        assert res_0.status_code == 400
        assert res_0.json()["message"] == "no number of notes at column: 25"
        assert res_0.json()["field"] == "size"

    def test_1(self):
        headers = {}
        headers["content-type"] = "application/json"
        body = {}
        body = " { " + \
            " \"size\" : 3 " + \
            " } "
        headers['Accept'] = "*/*"
        res_0 = requests \
                .post(self.baseUrlOfSut + "/notes",
                    headers=headers, data=body)
        
        assert res_0.status_code == 201
        headers = {}
        headers['Accept'] = "*/*"
        res_1 = requests \
                .get(self.baseUrlOfSut + "/notes",
                    headers=headers)
        
        assert res_1.status_code == 200
        assert res_1.json()["raw"] == "{\"size\":3}"

    def test_2(self):
        headers = {}
        headers['Accept'] = "*/*"
        res_0 = requests \
                .get(self.baseUrlOfSut + "/events",
                    headers=headers)
        
        assert res_0.status_code == 200
        assert "text/event-stream" in res_0.headers["content-type"]
        assert res_0.text == 'data: 1\n\n'
`

// TestStabilizeMendsSlips: a suite that sends what the session sent otherwise, by the hand of its generator, sends it
// as it was after one round, and keeps each assertion whole.
func TestStabilizeMendsSlips(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	api := httptest.NewServer(&notesAPI{})
	t.Cleanup(api.Close)
	p := b.run(nil, "record", "--db", "session.db", "--target", api.URL, "--listen", "127.0.0.1:0")
	for _, x := range [][4]string{
		{"POST", "/notes", "*/*", `{"_links":{},"size":"big"}`},
		{"POST", "/notes", "*/*", `{"size":3}`}, {"GET", "/notes", "*/*", ""},
		{"GET", "/events", "text/event-stream", ""},
	} {
		r, err := http.NewRequest(x[0], p.url()+x[1], strings.NewReader(x[3]))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", x[2])
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	p.signal(syscall.SIGINT)
	p.exit(0)
	(&generatedSuite{bench: b}).write("suite/a_test.py", []byte(notesSuite))
	out := b.must("flaketap stabilize --session session.db --target " + api.URL + " --reset " + api.URL + "/reset " +
		"--learn 2 --runs 2 suite -- python -m pytest -q -p no:cacheprovider {}")
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	got := b.must("cat suite-stable/a_test.py")
	if !r.Holds || r.Before.Failing != 3 || r.After.Failing != 0 || r.Rounds != 1 || r.Assertions.Kept != r.Assertions.All ||
		strings.Count(got, "sent as the session did") != 3 {
		t.Errorf("%+v\n%s\n%s", r, out, got)
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// quotesMain is an API that asks two services: what it answers depends on both, and on fields of theirs.
func quotesMain(addr string) {
	latency, _ := time.ParseDuration(os.Getenv("FLAKETAP_TEST_LATENCY"))
	client := &http.Client{Timeout: 2 * time.Second} // it tries once more what fails on a connection that it has kept
	ask := func(url string) (int, string) {
		r, err := client.Get(url)
		if err != nil {
			return 0, ""
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return 0, ""
		}
		return r.StatusCode, string(body)
	}
	http.HandleFunc("/ready", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/quote", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		status, rate := ask("http://rates.example.com/latest")
		switch {
		case status == 0:
			http.Error(w, `{"error": "rates unreachable"}`, http.StatusGatewayTimeout)
		case status != http.StatusOK:
			http.Error(w, `{"error": "rates down"}`, http.StatusBadGateway)
		case !strings.Contains(rate, `"rate"`):
			http.Error(w, `{"error": "missing field 'rate'"}`, http.StatusInternalServerError)
		default:
			status, stock := ask("http://stock.example.com/left")
			fmt.Fprintf(w, `{"rate": 1, "stock": %q}`, map[bool]string{true: "some", false: "unknown"}[status == http.StatusOK &&
				strings.Contains(stock, `"left"`)])
		}
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(addr, nil))
	os.Exit(1)
}

// startQuotes are the flags that start it, so slow.
func startQuotes(t testing.TB, latency time.Duration) []string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--start", fmt.Sprintf("FLAKETAP_TEST_LATENCY=%s FLAKETAP_TEST_AS_QUOTES=127.0.0.1:{port} exec '%s'", latency, exe),
		"--ready", "http://127.0.0.1:{port}/ready"}
}

// searchQuotes is a search of its mocks.
func searchQuotes(trials int) []string {
	return []string{"mock", "search", "--request", "GET /quote", "--patience", "5s", "--trials", strconv.Itoa(trials)}
}

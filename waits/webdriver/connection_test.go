package webdriver

import (
	"encoding/json"
	"testing"
)

// What went wrong is told in the words of the protocol that it comes by.
func TestFailures(t *testing.T) {
	for says, want := range map[string]string{
		`{"id":1,"error":{"code":-32601,"message":"'A.b' wasn't found"}}`:         "'A.b' wasn't found",
		`{"id":1,"error":"unknown command","message":"never heard of it"}`:        `"unknown command" never heard of it`,
		`{"id":1,"type":"success","error":null,"result":{"message":"of a page"}}`: "",
		`{"id":1,"result":{}}`: "",
	} {
		var e event
		if err := json.Unmarshal([]byte(says), &e); err != nil {
			t.Fatal(err)
		}
		if got := e.failure(); got != want {
			t.Errorf("%s: %s, want %s", says, got, want)
		}
	}
}

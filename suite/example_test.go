package suite_test

import (
	"fmt"
	"log"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
)

// A suite expects the id that the fuzzing session got. The API counts on, and gave others ever since.
func ExamplePatch() {
	file := `import unittest
import requests
class T(unittest.TestCase):
    def test_0(self):
        headers = {}
        res_0 = requests.get(self.baseUrlOfSut + "/jobs", headers=headers)
        assert res_0.status_code == 200
        assert res_0.json()["next"] == 37.0
`
	answer := func(body string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(body), Plain: true})
	}
	request := exchange.ParseRequest(exchange.Message{Head: []byte("GET /jobs HTTP/1.1\r\n\r\n"), Plain: true})
	source := suite.Source{Steps: []exchange.Step{{
		Exchange:     &exchange.Exchange{Seq: 1, Request: request, Response: answer(`{"next":1}`)},
		Observations: []*exchange.Observation{{Run: 1, Seq: 1, Response: answer(`{"next":1}`)}},
	}}}
	patched, err := suite.Patch("jobs_test.py", []byte(file), source, suite.PatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range patched.Changes {
		fmt.Printf("%s:%d: %s\n%s\n%s\n", c.File, c.Line, c.Reason, c.Before, c.After)
	}
	// Output:
	// jobs_test.py:8: /body/next: 37.0 as written; failed in 2 of 2, seen 1
	// assert res_0.json()["next"] == 37.0
	// assert isinstance(res_0.json()["next"], int)
}

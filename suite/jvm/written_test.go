package jvm

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(WrittenJava(), "ItTest.java", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown lists the tests of a script: what they send and what they assert, and whether that can be written again.
func shown(s *script.Script) string {
	var got []string
	for _, test := range s.Tests {
		skipped := ""
		if test.Skipped {
			skipped = " skipped"
		}
		got = append(got, test.Name+skipped)
		for _, c := range test.Calls {
			got = append(got, strings.TrimSpace(fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body)))
		}
		for _, a := range test.Assertions {
			if a.Reason != "" {
				got = append(got, fmt.Sprintf("  %d not: %s", a.Line, a.Reason))
				continue
			}
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s", a.Line, a.Call, a.Relation, a.Place, a.Value))
		}
	}
	return strings.Join(got, "\n")
}

// A value that comes from an answer by way of variables, fields and methods of the file is followed to the place of the
// answer.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/WrittenTest.java")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(wrote(t, string(data))), `list
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products?limit=2
  49 not: it stands in a method that tests share
  64 of 1 equal /status 200
  65 of 1 contains /header/content-type "application/json"
  66 of 1 length /body/products 2
  67 of 1 equal /body/products/0/name "Coffee"
  68 of 1 contains /body/products/id 1
  69 of 0   
  70 of 0   
  71 of 1 equal /header/x-request-id "abc"
  72 not: it has an unknown form
one
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1
  79 of 1 equal /status 200
  80 of 1 equal /body/name "Coffee"
  80 of 0   
  82 of 1 equal /body/name "Coffee"
  83 of 1 equal /body/stock 3
  84 of 1 equal /body/tags ["hot","black"]
  86 of 0   
  87 of 1 contains /body/made/at "2026-"
  88 of 1 equal /body/colour "brown"
  89 of 0   
  90 of 1 equal /body/deleted null
  91 of 0   
  92 not: it is inside a condition
  94 not: the name tag is not known
  96 not: the method as is not known
order
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
POST /api/orders {"product": 1, "quantity": 2}
GET /api/orders/?
GET /api/orders/0
  103 of 1 equal /status 201
  103 of 1 equal /body/state "pending"
  105 of 0   
  107 of 2 equal /body/state "pending"
  108 of 2 equal /body/createdAt "2026-01-01T00:00:00Z"
  109 not: it sends a request itself
plain
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /health
POST /orders {"product": 1}
  115 of 1 equal /status 200
  117 of 1 equal /body/status "ok"
  118 of 1 length /body/checks 2
  119 of 1 equal /body/checks/0/state "up"
  120 of 1 equal /header/content-type "application/json"
  125 of 2 equal /status 201
many
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/?
  131 of 1 equal /status 200
  131 not: the parameter id is not known
off skipped
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/off
  139 of 1 equal /status 204
  139 of 1 empty /body `; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

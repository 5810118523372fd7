package demoapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// author is a person whose work the catalogue has: a record of constants that look like anything but.
type author struct {
	ID        int      `json:"id"`
	UUID      string   `json:"uuid"`
	Name      string   `json:"name"`
	Email     string   `json:"email"`
	Born      string   `json:"birthDate"`
	Died      *string  `json:"deathDate"`
	Phone     string   `json:"phone"`
	Hash      string   `json:"passwordHash"` // a bcrypt hash that was loaded with the seed data
	Badge     string   `json:"badge"`        // a signed token that was loaded with the seed data
	Object    string   `json:"objectName"`   // looks like an object's identity, and is a name
	SameAs    []string `json:"sameAs"`
	IBAN      string   `json:"iban"`
	Signature string   `json:"signature"`
}

func seedAuthors() map[int]author {
	died := "1852-11-27"
	return map[int]author{
		1: {
			ID: 1, UUID: "0f8fad5b-d9cb-469f-a165-70867728950e", Name: "Ada Lovelace", Email: "ada@cafe.de", Born: "1815-12-10",
			Died: &died, Phone: "+44 20 7946 0018", Hash: "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
			Badge:  jwtHeader + ".eyJzdWIiOiIxIiwibmFtZSI6IkFkYSIsImlhdCI6MTUxNjIzOTAyMn0.b2ZmLWxpbmUtc2lnbmVkLW5ldmVyLWNoYW5nZXM",
			Object: "notes@1843a0", SameAs: []string{"https://example.org/people/1815/ada", "https://example.com/deadbeef"},
			IBAN: "DE89370400440532013000", Signature: digest("ada"),
		},
		2: {
			ID: 2, UUID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Name: "Bob Facade", Email: "bob@example.com",
			Born:  "1972-01-01",
			Phone: "+84 24 3825 1234", Hash: "$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW",
			Badge:  jwtHeader + ".eyJzdWIiOiIyIiwibmFtZSI6IkJvYiIsImlhdCI6MTUxNjIzOTAyMn0.YWxzby1vZmYtbGluZS1zaWduZWQtb25jZQ",
			Object: "facade@beef01", SameAs: []string{"https://example.org/people/1972/bob"},
			IBAN: "FR1420041010050500013M02606", Signature: digest("bob"),
		},
	}
}

func (a *API) getAuthor(r *request) answer {
	id, ok := r.id()
	x, there := a.state.catalogue.authors[id]
	if !ok || !there {
		return notFound()
	}
	return service.Reply(http.StatusOK, x)
}

func seedProducts() []product {
	return []product{
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101", name: "Notes on the Analytical Engine", tag: "book",
			cents: 1800, article: 4006381333931, author: 1, released: "1843-09-01",
			reviews: []review{{"zK81mQp0Xa2L", "Mary", 5, "Before its time.", 1454050800},
				{"Qe7Rt2Yw9UiO", "Charles", 4, "Long notes.", 1485673200}}},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a102", name: "A Field Guide to Clocks", tag: "book",
			cents: 2450, article: 9780306406157, author: 2, released: "1999-12-31"},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a103", name: "Go: the Board", tag: "game",
			cents: 3995, article: 5901234123457, author: 2, released: "2004-02-29"},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a104", name: "Octopus in Ochre", tag: "print",
			cents: 12000, article: 1706512509000, author: 1, released: "2010-10-10"},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a105", name: "Overture for Looms", tag: "record",
			cents: 1599, article: 1769663709123, author: 1, released: "2016-06-16"},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a106", name: "Flowers, Forks and Folios", tag: "book",
			cents: 990, article: 4012345678901, author: 2, released: "2020-02-20"},
		{uuid: "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a107", name: "Dominoes of Hanoi", tag: "game",
			cents: 700, article: 8931234567890, author: 2, released: "2022-02-22"},
	}
}

// namedUUID returns a UUID made from an id and a name, as those of version 5 are: it looks random, and repeats.
func namedUUID(id int, name string) string {
	h := digest(fmt.Sprint(id, " ", name))
	return h[:8] + "-" + h[8:12] + "-5" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

// digest returns the SHA-256 of a text in hex.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

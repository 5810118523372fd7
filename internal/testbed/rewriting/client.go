package rewriting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Talk is a client's session with the library at base: some sixty requests.
// It says what status it did not expect.
func Talk(client *http.Client, base string) error {
	s := &session{client: client, base: base}

	s.read()
	s.writeBook()
	member := s.join()
	loan := s.lend(member)
	s.leave(member, loan)
	return s.err
}

// read reads what the seed holds.
func (s *session) read() {
	s.get(200, "/publishers")
	s.get(200, "/publishers/3")
	s.get(404, "/publishers/99")

	s.get(200, "/authors")
	s.get(200, "/authors/2")
	s.get(200, "/authors/2?_embed=books")
	s.get(200, "/authors/2/books")
	s.get(200, "/authors?country=Norway")

	s.get(200, "/books?_page=1&_limit=8")
	s.get(200, "/books?_page=2&_limit=8")
	s.get(200, "/books?_page=4&_limit=8")
	s.get(200, "/books?genre=crime")
	s.get(200, "/books?genre=crime&_sort=price&_order=desc")
	s.get(200, "/books?_sort=price&_order=asc&_limit=5")
	s.get(200, "/books?year_gte=2000&year_lte=2010")
	s.get(200, "/books?title_like=sea")
	s.get(200, "/books?q=harbour")
	s.get(200, "/books?_start=10&_end=13")
	s.get(200, "/books/1")
	s.get(200, "/books/7?_expand=author&_expand=publisher")
	s.get(404, "/books/999")
}

// writeBook makes a book, changes it twice, and deletes it.
func (s *session) writeBook() {
	book := s.send(201, "POST", "/books", fields{
		"title": "The Ferryman's Almanac of Winter Crossings", "authorId": 5, "publisherId": 1, "genre": "travel",
		"isbn": "978-8-20455-118-3", "price": 24.5, "pages": 312, "year": 2024, "publishedOn": "2024-05-17",
		"inStock": true, "rating": 4.5, "tags": []string{"new", "signed"},
	})
	s.get(200, "/books/"+book)
	s.send(200, "PATCH", "/books/"+book, fields{"price": 19.95, "inStock": false})
	s.get(200, "/books/"+book)
	s.send(200, "PUT", "/books/"+book, fields{
		"title": "The Ferryman's Almanac", "authorId": 5, "publisherId": 1, "genre": "travel", "price": 21, "year": 2024,
	})
	s.get(200, "/books/"+book)
	s.send(200, "DELETE", "/books/"+book, nil)
	s.get(404, "/books/"+book)
	s.send(404, "DELETE", "/books/"+book, nil)
}

// join reads the members and makes one.
func (s *session) join() (member string) {
	s.get(200, "/members")
	s.get(200, "/members?_limit=4")
	s.get(200, "/members/1")
	s.get(200, "/members/4")
	s.get(200, "/members?active=true&_sort=name")
	member = s.send(201, "POST", "/members", fields{
		"name": "Quentin Ashby", "email": "quentin@readers.example", "joinedAt": now(), "active": true, "level": "basic",
		"balance": 0, "address": fields{"street": "7 Quay Street", "city": "Bristol", "postcode": "0417"},
		"interests": []string{"crime", "travel"},
	})
	s.get(200, "/members/"+member)
	s.get(200, "/members?q=quentin")
	return member
}

// lend reads the loans, and lends a book to a member, who returns it.
func (s *session) lend(member string) (loan string) {
	s.get(200, "/loans")
	s.get(200, "/loans/L-0003")
	s.get(200, "/loans?memberId=4")
	s.get(200, "/members/4/loans")
	loan = s.send(201, "POST", "/loans", fields{
		"memberId": json.Number(member), "bookId": 3, "borrowedAt": now(),
		"dueOn": time.Now().UTC().AddDate(0, 0, 21).Format(time.DateOnly), "returned": false, "fine": 0,
	})
	s.get(200, "/loans/"+loan)
	s.get(200, "/members/"+member+"/loans")
	s.send(200, "PATCH", "/loans/"+loan, fields{"returned": true, "returnedAt": now(), "fine": 1.25})
	s.get(200, "/loans/"+loan)
	s.send(404, "PATCH", "/loans/none-such", fields{"returned": true})
	return loan
}

// leave writes a review, changes the member and the settings, and deletes the member.
func (s *session) leave(member, loan string) {
	s.send(201, "POST", "/books/3/reviews", fields{
		"memberId": json.Number(member), "rating": 4.5, "text": "The clock strikes thirteen, and nobody minds.", "helpful": 0,
	})
	s.get(200, "/books/3/reviews")
	s.get(200, "/reviews?_sort=rating&_order=desc&_limit=3")

	s.send(200, "PATCH", "/members/"+member, fields{"level": "gold", "balance": 12.4})
	s.get(200, "/members/"+member)
	s.get(200, "/settings")
	s.send(200, "PATCH", "/settings", fields{"loanDays": 28})
	s.get(200, "/settings")

	s.send(200, "DELETE", "/members/"+member, nil)
	s.get(404, "/members/"+member)
	s.get(404, "/loans/"+loan)
	s.get(404, "/magazines")
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

type fields map[string]any

type session struct {
	client *http.Client
	base   string
	err    error
}

func (s *session) get(status int, path string) { s.send(status, "GET", path, nil) }

// send sends a request and returns the id in its answer.
func (s *session) send(status int, method, path string, body fields) string {
	if s.err != nil {
		return ""
	}
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			s.err = err
			return ""
		}
		text = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, s.base+path, text)
	if err != nil {
		s.err = err
		return ""
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.err = err
		return ""
	}
	defer resp.Body.Close()
	var made struct{ ID any }
	d := json.NewDecoder(resp.Body)
	d.UseNumber()
	_ = d.Decode(&made) // not every answer has an id
	if resp.StatusCode != status {
		s.err = fmt.Errorf("%s %s: %d, not %d", method, path, resp.StatusCode, status)
	}
	return fmt.Sprint(made.ID)
}

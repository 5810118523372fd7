package store_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// A recording is one file: it is made, a pass is recorded into it, and what it holds is read again.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := store.Create(filepath.Join(dir, "flaketap.db"), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.BeginPass(exchange.Pass{}); err != nil {
		log.Fatal(err)
	}
	e := &exchange.Exchange{
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n")}),
	}
	if err := db.Record(e); err != nil {
		log.Fatal(err)
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}
	for stored, err := range db.Exchanges() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(stored.Seq, stored.Request.Method, stored.Request.Target, stored.Response.Status)
	}
	// Output: 1 GET /health 200
}

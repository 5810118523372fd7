package experiment

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// recording is one of an API that runs, headers and bodies included.
type recording struct {
	db     *store.Store
	target string
}

func newRecording(path, target string) (*recording, error) {
	db, err := store.Create(path, store.Options{})
	if err != nil {
		return nil, err
	}
	_, err = db.BeginPass(exchange.Pass{Started: time.Now(), Target: target, Source: "record", Start: exchange.StartFresh})
	return &recording{db, target}, err
}

// exchange records what the API answers to a request; headers are written as "Name: value".
func (r *recording) exchange(method, path string, headers ...string) error {
	sent, err := http.NewRequest(method, r.target+path, http.NoBody)
	if err != nil {
		return err
	}
	addr := strings.TrimPrefix(r.target, "http://")
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, addr)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		sent.Header.Set(name, value)
		head += h + "\r\n"
	}
	if method != http.MethodGet {
		head += "Content-Length: 0\r\n"
	}
	e := &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: addr, Start: time.Now(),
		Request: exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n")})}
	answer, err := http.DefaultClient.Do(sent)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	e.Latency = time.Since(e.Start)
	head = fmt.Sprintf("HTTP/1.1 %s\r\n", answer.Status)
	for name, values := range answer.Header {
		for _, v := range values {
			head += name + ": " + v + "\r\n"
		}
	}
	e.Response = exchange.ParseResponse(exchange.Message{Head: []byte(head + "\r\n"), Body: body})
	return r.db.Record(e)
}

func (r *recording) close() error { return errors.Join(r.db.EndPass(time.Now()), r.db.Close()) }

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// streamsAtOnce is how many clients share a connection of HTTP/2.
const streamsAtOnce = 8

// http2Client sends its requests over a connection that it shares with others.
type http2Client struct {
	conn  *http.Transport // of one connection
	users *sync.WaitGroup
}

// shareStreams returns what gives a connection to so many clients, and then another one to the next. All clients must be
// there before the first of them closes.
func shareStreams(open func() (net.Conn, error)) func() (asker, error) {
	var mu sync.Mutex
	var last *http2Client
	given := 0
	return func() (asker, error) {
		mu.Lock()
		defer mu.Unlock()
		if given%streamsAtOnce == 0 {
			raw, err := open()
			if err != nil {
				return nil, err
			}
			conn := &http.Transport{MaxConnsPerHost: 1, Protocols: new(http.Protocols),
				DialTLSContext: func(context.Context, string, string) (net.Conn, error) { return raw, nil }}
			conn.Protocols.SetHTTP2(true)
			last = &http2Client{conn, new(sync.WaitGroup)}
			last.users.Add(streamsAtOnce)
			go func(c *http2Client) {
				c.users.Wait()
				c.conn.CloseIdleConnections()
			}(last)
		}
		given++
		return last, nil
	}
}

// ask sends a request, which is written as one of HTTP/1, and reads its answer.
func (c *http2Client) ask(_ string, request []byte) error {
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	if err != nil {
		return err
	}
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", req.Host
	resp, err := c.conn.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
		return errors.New(resp.Proto + " " + resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func (c *http2Client) Close() error {
	c.users.Done()
	return nil
}

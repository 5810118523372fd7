package catalog_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/catalog"
)

type testClient struct {
	t   *testing.T
	srv *httptest.Server
}

func newClient(t *testing.T) *testClient {
	t.Helper()
	srv := httptest.NewServer(catalog.NewRouter(catalog.NewMemoryStore()))
	t.Cleanup(srv.Close)
	return &testClient{t: t, srv: srv}
}

func (c *testClient) do(method, path string, body any) *http.Response {
	c.t.Helper()
	buf := new(bytes.Buffer)
	if body != nil {
		require.NoError(c.t, json.NewEncoder(buf).Encode(body))
	}
	req, err := http.NewRequest(method, c.srv.URL+path, buf)
	require.NoError(c.t, err)
	req.Header.Set("Accept", "application/json")
	resp, err := c.srv.Client().Do(req)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func (c *testClient) get(path string) *http.Response { return c.do(http.MethodGet, path, nil) }

func (c *testClient) post(path string, body any) *http.Response {
	return c.do(http.MethodPost, path, body)
}

func decode[T any](t *testing.T, resp *http.Response) T {
	t.Helper()
	var v T
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&v))
	return v
}

type book struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Year    int      `json:"year"`
	Authors []string `json:"authors"`
	Rating  float64  `json:"rating"`
	Version int      `json:"version"`
	Updated string   `json:"updatedAt"`
}

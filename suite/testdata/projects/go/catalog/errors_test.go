package catalog_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type problem struct {
	Title  string            `json:"title"`
	Status int               `json:"status"`
	Errors map[string]string `json:"errors"`
}

func TestBookErrors(t *testing.T) {
	cases := map[string]struct {
		body   any
		status int
		field  string
		msg    string
	}{
		"no title":  {body: map[string]any{"year": 1965}, status: 400, field: "title", msg: "is required"},
		"bad year":  {body: map[string]any{"title": "x", "year": "y"}, status: 400, field: "year", msg: "must be a number"},
		"bad shape": {body: []int{1}, status: 422, field: "", msg: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resp := newClient(t).post("/books", tc.body)
			require.Equal(t, tc.status, resp.StatusCode)
			p := decode[problem](t, resp)
			assert.Equal(t, tc.status, p.Status)
			assert.Equal(t, tc.msg, p.Errors[tc.field])
		})
	}
}

func TestNotJSON(t *testing.T) {
	c := newClient(t)
	resp, err := http.Post(c.srv.URL+"/books", "text/plain", strings.NewReader("hello"))
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, http.StatusUnsupportedMediaType, resp.StatusCode)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"title": "Unsupported Media Type", "status": 415}`, string(body))
	assert.Contains(t, string(body), "415")
}

func TestUnknownBook(t *testing.T) {
	assert := assert.New(t)
	require := require.New(t)

	resp := newClient(t).get("/books/none")
	require.Equal(http.StatusNotFound, resp.StatusCode)
	assert.Equal("application/problem+json", resp.Header.Get("Content-Type"))
	p := decode[problem](t, resp)
	assert.Equal("Not Found", p.Title)
	assert.Equal(404, p.Status)
	assert.Nil(p.Errors)
}

func TestMethodNotAllowed(t *testing.T) {
	resp := newClient(t).do(http.MethodPatch, "/books", nil)
	assert.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	assert.Equal(t, "GET, POST", resp.Header.Get("Allow"))
	assert.Equal(t, []string{"nosniff"}, resp.Header.Values("X-Content-Type-Options"))
}

func TestHealth(t *testing.T) {
	resp := newClient(t).get("/health")
	assert.Equal(t, 200, resp.StatusCode)
	health := decode[map[string]any](t, resp)
	assert.Equal(t, "up", health["status"])
	assert.Equal(t, float64(3), health["checks"])
	assert.Contains(t, health, "uptime")
	assert.NotContains(t, health, "password")
	assert.Greater(t, health["uptime"].(float64), 0.0)
}

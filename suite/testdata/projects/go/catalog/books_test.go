package catalog_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreateBook(t *testing.T) {
	c := newClient(t)
	resp := c.post("/books", map[string]any{"title": "Dune", "year": 1965})
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))

	b := decode[book](t, resp)
	assert.Equal(t, "Dune", b.Title)
	assert.Equal(t, 1965, b.Year)
	assert.NotEmpty(t, b.ID)
	assert.Len(t, b.ID, 36)
	assert.Empty(t, b.Authors)
	assert.Equal(t, 1, b.Version)
	assert.InDelta(t, 4.25, b.Rating, 0.001)
	assert.Equal(t, "/books/"+b.ID, resp.Header.Get("Location"))
}

func TestGetBook(t *testing.T) {
	c := newClient(t)
	created := decode[book](t, c.post("/books", book{Title: "Emma", Year: 1815, Authors: []string{"Jane Austen"}}))

	resp := c.get("/books/" + created.ID)
	require.Equal(t, 200, resp.StatusCode)
	got := decode[book](t, resp)
	assert.Equal(t, created, got)
	assert.Equal(t, created.ID, got.ID)
	assert.Equal(t, []string{"Jane Austen"}, got.Authors)
	assert.Contains(t, got.Authors, "Jane Austen")
	assert.NotEqual(t, "Dune", got.Title)
	assert.Greater(t, got.Year, 1800)
	assert.Truef(t, got.Version == 1, "version is %d", got.Version)
}

func TestUpdateBook(t *testing.T) {
	c := newClient(t)
	created := decode[book](t, c.post("/books", book{Title: "Emma"}))

	resp := c.do(http.MethodPut, "/books/"+created.ID, book{Title: "Emma, annotated"})
	require.Equal(t, http.StatusOK, resp.StatusCode)
	updated := decode[book](t, resp)
	assert.Equal(t, "Emma, annotated", updated.Title)
	assert.Equal(t, created.Version+1, updated.Version)
	assert.NotEqual(t, created.Updated, updated.Updated)
}

func TestDeleteBook(t *testing.T) {
	c := newClient(t)
	created := decode[book](t, c.post("/books", book{Title: "Emma"}))
	assert.Equal(t, http.StatusNoContent, c.do(http.MethodDelete, "/books/"+created.ID, nil).StatusCode)
	assert.Equal(t, http.StatusNotFound, c.get("/books/"+created.ID).StatusCode)
}

func TestSearchBooks(t *testing.T) {
	c := newClient(t)
	for _, title := range []string{"Dune", "Dune Messiah", "Emma"} {
		require.Equal(t, http.StatusCreated, c.post("/books", book{Title: title}).StatusCode)
	}
	type result struct {
		Total int    `json:"total"`
		Hits  []book `json:"hits"`
	}
	res := decode[result](t, c.get("/books?q=dune"))
	assert.Equal(t, 2, res.Total)
	require.Len(t, res.Hits, 2)
	assert.Equal(t, "Dune", res.Hits[0].Title)
	assert.Equal(t, "Dune Messiah", res.Hits[1].Title)
	titles := make([]string, 0, len(res.Hits))
	for _, hit := range res.Hits {
		titles = append(titles, hit.Title)
	}
	assert.ElementsMatch(t, []string{"Dune Messiah", "Dune"}, titles)
}

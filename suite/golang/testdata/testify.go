package answers_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type thing struct {
	ID    int64
	Name  string   `json:"name"`
	Price float64  `json:"price"`
	Count uint8    `json:"count"`
	Ready bool     `json:"ready"`
	Tags  []string `json:"tags"`
	Note  *string  `json:"note"`
}

func fetch(t *testing.T) *http.Response {
	t.Helper()
	resp, err := http.Get(os.Getenv("BASE_URL") + "/things")
	require.NoError(t, err)
	return resp
}

func TestAny(t *testing.T) {
	a := assert.New(t)
	resp := fetch(t)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	a.NoError(err)
	var v map[string]any
	require.NoError(t, json.Unmarshal(data, &v))
	a.Equal(200, resp.StatusCode, "status")
	a.Equal("Coffee", v["name"], "name of %s", data)
	assert.Equalf(t, 2.5, v["price"], "price of %s", data)
	assert.EqualValues(t, 3, v["count"])
	assert.Contains(t, v, "ready")
	assert.Equal(t, true, v["ready"])
	want := []any{"hot", "black"}
	assert.Equal(t, want, v["tags"])
	assert.ElementsMatch(t, []any{"black", "hot"}, v["tags"])
	assert.Len(t, v["tags"], 2)
	assert.Nil(t, v["note"])
	maker := v["maker"].(map[string]any)
	assert.Equal(t, "Italy", maker["country"])
	assert.IsType(t, float64(0), maker["since"])
	assert.JSONEq(t, `{"Id":7,"name":"Coffee","price":2.5,"count":3,"ready":true,"tags":["hot","black"],"note":null,
"maker":{"country":"Italy","since":1906}}`, string(data))
}

func TestStruct(t *testing.T) {
	resp := fetch(t)
	defer resp.Body.Close()
	var v thing
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&v))
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	assert.Equal(t, int64(7), v.ID)
	name := "Coffee"
	assert.Equal(t, name, v.Name)
	assert.NotEmpty(t, v.Name)
	assert.Regexp(t, `^[A-Z][a-z]+$`, v.Name)
	assert.Contains(t, v.Name, "off")
	assert.GreaterOrEqual(t, v.Price, 1.0)
	assert.Equal(t, uint8(3), v.Count)
	assert.True(t, v.Ready, "not ready")
	assert.Equal(t, []string{"hot", "black"}, v.Tags)
	assert.Len(t, v.Tags, 2)
	assert.Contains(t, v.Tags, "hot")
	assert.Nil(t, v.Note)
	if assert.Equal(t, name, v.Name) {
		t.Log(v.Price)
	}
	if assert.Len(t, v.Tags, 2, "tags of %s", v.Name) {
		t.Log(v.Tags)
	}
	if !assert.Equal(t, "Coffee", v.Name) {
		return
	}
}

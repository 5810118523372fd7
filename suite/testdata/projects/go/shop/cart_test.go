//go:build integration

package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type response struct {
	*http.Response
	body []byte
}

func (r response) json(t *testing.T, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.body, v), "body: %s", r.body)
}

func send(ctx context.Context, t *testing.T, method, path, body string) response {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, os.Getenv("SHOP_URL")+path, strings.NewReader(body))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return response{res, b}
}

type cart struct {
	ID    string `json:"id"`
	Items []struct {
		SKU   string `json:"sku"`
		Count int    `json:"count"`
	} `json:"items"`
	Total    string `json:"total"`
	Discount *struct {
		Code    string `json:"code"`
		Percent int    `json:"percent"`
	} `json:"discount"`
}

func newCart(t *testing.T) cart {
	t.Helper()
	res := send(context.Background(), t, "POST", "/carts", "")
	require.Equal(t, 201, res.StatusCode)
	var c cart
	res.json(t, &c)
	return c
}

func TestEmptyCart(t *testing.T) {
	t.Parallel()
	c := newCart(t)
	assert.Empty(t, c.Items)
	assert.Equal(t, "0.00", c.Total)
	assert.Nil(t, c.Discount)
	assert.Regexp(t, "^[0-9a-f]{8}$", c.ID)
}

func TestAddItems(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := newCart(t)
	steps := []struct {
		sku   string
		count int
		total string
	}{
		{"tea", 2, "9.00"},
		{"cup", 1, "14.50"},
	}
	for i, step := range steps {
		body := fmt.Sprintf(`{"sku": %q, "count": %d}`, step.sku, step.count)
		res := send(ctx, t, "POST", "/carts/"+c.ID+"/items", body)
		require.Equalf(t, http.StatusOK, res.StatusCode, "step %d", i)
		var got cart
		res.json(t, &got)
		assert.Equal(t, step.total, got.Total)
		assert.Len(t, got.Items, i+1)
		assert.Equal(t, step.sku, got.Items[i].SKU)
	}
}

func TestDiscount(t *testing.T) {
	ctx := context.Background()
	c := newCart(t)

	t.Run("known code", func(t *testing.T) {
		res := send(ctx, t, "PUT", "/carts/"+c.ID+"/discount", `{"code": "TEA10"}`)
		require.Equal(t, http.StatusOK, res.StatusCode)
		var got cart
		res.json(t, &got)
		require.NotNil(t, got.Discount)
		assert.Equal(t, "TEA10", got.Discount.Code)
		assert.Equal(t, 10, got.Discount.Percent)
	})

	t.Run("unknown code", func(t *testing.T) {
		res := send(ctx, t, "PUT", "/carts/"+c.ID+"/discount", `{"code": "NONE"}`)
		assert.Equal(t, http.StatusNotFound, res.StatusCode)
		assert.JSONEq(t, `{"error": "unknown code"}`, string(res.body))
		assert.Equal(t, "unknown code", errorOf(t, res))
	})
}

func errorOf(t *testing.T, res response) string {
	var e struct{ Error string }
	res.json(t, &e)
	return e.Error
}

func TestCheckout(t *testing.T) {
	c := newCart(t)
	res := send(context.Background(), t, "POST", "/carts/"+c.ID+"/checkout", "{}")
	assert.Equal(t, 409, res.StatusCode)
	assert.Equal(t, "application/json", res.Header.Get("content-type"))
	assert.True(t, strings.Contains(string(res.body), "empty"))
	assert.NotEmpty(t, res.Header.Get("X-Request-Id"))
	if assert.NotEmpty(t, res.body) {
		assert.Equal(t, "the cart is empty", errorOf(t, res))
	}
}

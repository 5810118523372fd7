package demoapi

import (
	"net/http"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// cart is what an account is about to order. Its id and its CSRF token are made when it is first looked at.
type cart struct {
	id, csrf string
	lines    []line
}

// line is a product in a cart or an order, and how many of it.
type line struct {
	Product  int `json:"product"`
	Quantity int `json:"quantity"`
}

func (a *API) cartRoutes() []route {
	return []route{
		service.On("GET", "/cart", a.getCart),
		service.On("POST", "/cart/items", a.addToCart),
	}
}

// cartView is a cart as its owner sees it.
type cartView struct {
	ID        string `json:"id"`
	CSRFToken string `json:"csrfToken"`
	Items     []line `json:"items"`
	Total     int    `json:"totalCents"`
}

// open returns the account's cart, made if need be.
func (a *API) open(x *account) *cart {
	if x.cart.id == "" {
		x.cart = cart{id: a.letters(12), csrf: a.hex(16), lines: []line{}}
	}
	return &x.cart
}

func (a *API) viewCart(c *cart) cartView {
	return cartView{c.id, c.csrf, c.lines, a.state.catalogue.total(c.lines)}
}

func (a *API) getCart(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	return service.Reply(http.StatusOK, a.viewCart(a.open(x)))
}

func (a *API) addToCart(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	c := a.open(x)
	if r.Header.Get("X-CSRF-Token") != c.csrf {
		return fail(http.StatusForbidden, "bad_csrf_token", "The X-CSRF-Token header must repeat the cart's csrfToken.")
	}
	in, bad := decode[line](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.checkLine(&a.state.catalogue, in)
	if len(v.list) > 0 {
		return v.answer()
	}
	if len(c.lines) >= 20 {
		return full()
	}
	c.lines = append(c.lines, in)
	return service.Reply(http.StatusOK, a.viewCart(c))
}

// checkLine notes what is wrong with a line of a cart or an order.
func (v *violations) checkLine(c *catalogue, l line) {
	v.check(c.products[l.Product] != nil, "product", ruleOneOf, "GET /products")
	v.check(l.Quantity >= 1 && l.Quantity <= 99, "quantity", ruleRange, 1, 99)
}

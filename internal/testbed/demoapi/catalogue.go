package demoapi

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// product is an article of the catalogue.
type product struct {
	id, revision int
	uuid         string
	name, tag    string
	cents        int
	article      int64 // 13 digits, as GTIN-13 has: the size of a time in milliseconds
	author       int
	released     string
	views        int
	reviews      []review
}

// catalogue is the store of products and authors.
type catalogue struct {
	products map[int]*product
	authors  map[int]author
	next     int // the next product's id; a reset brings it back, so that ids of products repeat
}

// newCatalogue returns the seed data.
func newCatalogue() catalogue {
	c := catalogue{products: map[int]*product{}, authors: seedAuthors(), next: 1}
	for _, p := range seedProducts() {
		p.id, p.revision = c.next, 1
		c.products[p.id] = &p
		c.next++
	}
	return c
}

// sorted returns the products in the order of their ids.
func (c *catalogue) sorted() []*product {
	list := make([]*product, 0, len(c.products))
	for _, p := range c.products {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].id < list[j].id })
	return list
}

// total returns what the lines cost. A product that has been deleted since costs nothing.
func (c *catalogue) total(lines []line) (cents int) {
	for _, l := range lines {
		if p := c.products[l.Product]; p != nil {
			cents += p.cents * l.Quantity
		}
	}
	return cents
}

// tags are the kinds of products, as messages list them.
const tags = "book, game, print, record"

func isTag(s string) bool { return slices.Contains(strings.Split(tags, ", "), s) }

func (a *API) catalogueRoutes() []route {
	return []route{
		service.On("GET", "/products", a.listProducts),
		service.On("POST", "/products", a.createProduct),
		service.On("GET", "/products/{id}", a.getProduct),
		service.On("PUT", "/products/{id}", a.updateProduct),
		service.On("DELETE", "/products/{id}", a.deleteProduct),
		service.On("GET", "/products/{id}/reviews", a.listReviews),
		service.On("POST", "/products/{id}/reviews", a.addReview),
		service.On("GET", "/authors/{id}", a.getAuthor),
	}
}

// productView is a product in a list, and the part of it that every answer has.
type productView struct {
	ID       int    `json:"id"`
	UUID     string `json:"uuid"`
	Name     string `json:"name"`
	Tag      string `json:"tag"`
	Price    int    `json:"priceCents"`
	Currency string `json:"currency,omitempty"`
	Article  int64  `json:"articleNumber"`
	Released string `json:"releasedOn"`
	AuthorID int    `json:"authorId"`
}

// view returns what is shown of a product; two of the faults are planted here.
func (a *API) view(p *product) productView {
	v := productView{p.id, p.uuid, p.name, p.tag, p.cents, "EUR", p.article, p.released, p.author}
	switch a.dials.Fault {
	case FaultField:
		v.Currency = "USD"
	case FaultDrop:
		v.Currency = ""
	}
	return v
}

// found returns the status of a GET below /products; the third fault is planted here.
func (a *API) found() int {
	if a.dials.Fault == FaultStatus {
		return http.StatusNonAuthoritativeInfo
	}
	return http.StatusOK
}

func (a *API) listProducts(r *request) answer {
	limit, ok1 := r.number("limit", 5, 1, 50)
	offset, ok2 := r.number("offset", 0, 0, 1_000_000)
	v := violations{lang: r.lang}
	v.check(ok1, "limit", ruleRange, 1, 50)
	v.check(ok2, "offset", ruleRange, 0, 1_000_000)
	tag := r.query.Get("tag")
	v.check(!r.query.Has("tag") || isTag(tag), "tag", ruleOneOf, tags)
	if len(v.list) > 0 {
		return v.answer()
	}
	matching := []productView{}
	for _, p := range a.state.catalogue.sorted() {
		if tag == "" || p.tag == tag {
			matching = append(matching, a.view(p))
		}
	}
	total := len(matching)
	page := matching[min(offset, total):min(offset+limit, total)]
	return service.Reply(a.found(), struct {
		Items  []productView `json:"items"`
		Total  int           `json:"total"`
		Limit  int           `json:"limit"`
		Offset int           `json:"offset"`
		Tags   []string      `json:"tags"`
	}{page, total, limit, offset, strings.Split(tags, ", ")}).With("Cache-Control", "no-cache")
}

// productDetail is a product with all that is known of it. Much of it looks as if it moved.
type productDetail struct {
	productView
	Revision     int    `json:"revision"`
	Path         string `json:"path"`
	Checksum     string `json:"checksum"`
	Commit       string `json:"sourceCommit"`
	Contact      string `json:"contact"`
	DesignedAt   int64  `json:"designedAt"`
	ImportedAt   string `json:"importedAt"`
	Version      string `json:"version"`
	ResponseTime int    `json:"responseTimeInMilliseconds"` // the maker's promised time to answer: a constant
	Views        int    `json:"viewsSinceReset"`
	StockChecked string `json:"stockCheckedAt"`
	Links        struct {
		Self string `json:"self"`
	} `json:"links"`
}

// etag returns the validator of a product: it follows the revision, not the bytes of the answer.
func (p *product) etag() string { return fmt.Sprintf(`"p%d-r%d"`, p.id, p.revision) }

func (a *API) detail(r *request, p *product) productDetail {
	d := productDetail{
		productView: a.view(p), Revision: p.revision,
		Path:     "/srv/catalogue/media/originals/paperbacks/frontcovers/" + p.tag + ".jpg",
		Checksum: digest(p.uuid), Commit: digest("commit " + p.uuid)[:40], Contact: "bob@example.com",
		DesignedAt: 946684800 + int64(p.id)*86400, ImportedAt: "2026-01-29T12:15:09+07:00",
		Version:      fmt.Sprintf("2.%d.0", p.id),
		ResponseTime: 120, Views: p.views, StockChecked: a.now().UTC().Format(time.RFC3339),
	}
	d.Links.Self = r.absolute(fmt.Sprintf("/products/%d", p.id))
	return d
}

// product returns the product of the path; nil where there is none.
func (a *API) product(r *request) *product {
	id, ok := r.id()
	if !ok {
		return nil
	}
	return a.state.catalogue.products[id]
}

func (a *API) getProduct(r *request) answer {
	p := a.product(r)
	if p == nil {
		return notFound()
	}
	if tags := r.Header.Get("If-None-Match"); tags == "*" || strings.Contains(tags, p.etag()) {
		return service.Empty(http.StatusNotModified).With("Etag", p.etag())
	}
	p.views++
	return service.Reply(a.found(), a.detail(r, p)).With("Etag", p.etag()).With("Last-Modified",
		"Thu, 29 Jan 2026 05:15:09 GMT")
}

// productInput is what a product is made of.
type productInput struct {
	Name  string `json:"name"`
	Tag   string `json:"tag"`
	Price int    `json:"priceCents"`
}

// readProduct reads and checks a product in a request's body.
func readProduct(r *request) (productInput, *answer) {
	in, bad := decode[productInput](r)
	if bad != nil {
		return in, bad
	}
	v := violations{lang: r.lang}
	v.check(fits(in.Name, 1, 60), "name", ruleLength, 1, 60)
	v.check(isTag(in.Tag), "tag", ruleOneOf, tags)
	v.check(in.Price >= 1 && in.Price <= 1_000_000, "priceCents", ruleRange, 1, 1_000_000)
	if len(v.list) > 0 {
		ans := v.answer()
		return in, &ans
	}
	return in, nil
}

func (a *API) createProduct(r *request) answer {
	in, bad := readProduct(r)
	if bad != nil {
		return *bad
	}
	c := &a.state.catalogue
	if len(c.products) >= maxEntries {
		return full()
	}
	p := &product{
		id: c.next, revision: 1, uuid: namedUUID(c.next, in.Name), name: in.Name, tag: in.Tag, cents: in.Price,
		article: 4006381000000 + int64(c.next), author: 1, released: "2026-02-01",
	}
	c.products[p.id] = p
	c.next++
	a.note("product created")
	return service.Reply(http.StatusCreated, a.detail(r, p)).With("Location",
		fmt.Sprintf("/products/%d", p.id)).With("Etag", p.etag())
}

func (a *API) updateProduct(r *request) answer {
	p := a.product(r)
	if p == nil {
		return notFound()
	}
	if match := r.Header.Get("If-Match"); match != "" && match != "*" && match != p.etag() {
		return fail(http.StatusPreconditionFailed, "changed", "The product has been changed since.").With("Etag", p.etag())
	}
	in, bad := readProduct(r)
	if bad != nil {
		return *bad
	}
	p.name, p.tag, p.cents = in.Name, in.Tag, in.Price
	p.revision++
	a.note("product changed")
	return service.Reply(http.StatusOK, a.detail(r, p)).With("Etag", p.etag())
}

func (a *API) deleteProduct(r *request) answer {
	p := a.product(r)
	if p == nil {
		return notFound()
	}
	if p.id <= len(seedProducts()) {
		return fail(http.StatusConflict, "kept", "The product belongs to the core of the catalogue.")
	}
	delete(a.state.catalogue.products, p.id)
	a.note("product deleted")
	return service.Empty(http.StatusNoContent)
}

// review is what somebody says of a product.
type review struct {
	ID       string `json:"id"`
	Author   string `json:"author"`
	Stars    int    `json:"stars"`
	Text     string `json:"text"`
	PostedAt int64  `json:"postedAt"`
}

func (a *API) listReviews(r *request) answer {
	p := a.product(r)
	if p == nil {
		return notFound()
	}
	sum := 0
	for _, x := range p.reviews {
		sum += x.Stars
	}
	return service.Reply(a.found(), struct {
		Product int      `json:"productId"`
		Reviews []review `json:"reviews"`
		Average float64  `json:"averageStars"`
	}{p.id, append([]review{}, p.reviews...), float64(sum) / float64(max(1, len(p.reviews)))})
}

// reviewInput is what a review is made of.
type reviewInput struct {
	Author string `json:"author"`
	Stars  int    `json:"stars"`
	Text   string `json:"text"`
}

func (a *API) addReview(r *request) answer {
	p := a.product(r)
	if p == nil {
		return notFound()
	}
	in, bad := decode[reviewInput](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.check(fits(in.Author, 1, 40), "author", ruleLength, 1, 40)
	v.check(in.Stars >= 1 && in.Stars <= 5, "stars", ruleRange, 1, 5)
	v.check(fits(in.Text, 0, 500), "text", ruleLength, 0, 500)
	if len(v.list) > 0 {
		return v.answer()
	}
	if len(p.reviews) >= 100 {
		return full()
	}
	x := review{a.letters(12), in.Author, in.Stars, in.Text, a.now().Unix()}
	p.reviews = append(p.reviews, x)
	a.note("review posted")
	return service.Reply(http.StatusCreated, x).With("Location", fmt.Sprintf("/products/%d/reviews/%s", p.id, x.ID))
}

package demoapi

import (
	"fmt"
	"time"
)

// scenario is one thing that people come to do.
type scenario struct {
	name string
	play func(*driver)
}

// scenarios lists what Drive does in each round, in order.
func scenarios() []scenario {
	return []scenario{
		{"catalogue", browse}, {"editing", edit}, {"reviews", discuss}, {"accounts", join}, {"cart", shop}, {"orders", buy},
		{"prices", compare}, {"search", look}, {"health", watch}, {"messages", provoke}, {"odd", wonder},
		{"guestbook", sign}, {"static", rest},
	}
}

const adaLogin = `{"email":"` + adaEmail + `","password":"` + adaPassword + `"}`

func browse(d *driver) {
	d.get("/products")
	d.get("/products?limit=2&offset=3&tag=book")
	for _, id := range []string{"1", "2", "4", "5"} {
		etag := d.get("/products/" + id).etag()
		d.get("/products/"+id, "If-None-Match", etag)
	}
	d.get("/products/999")
	for _, lang := range []string{"en", "de-DE,de;q=0.9", "fr"} {
		d.get("/products?limit=0&offset=-1", "Accept-Language", lang)
	}
	d.get("/authors/1")
	d.get("/authors/2")
	d.get("/authors/77")
}

func edit(d *driver) {
	p := d.post("/products", fmt.Sprintf(`{"name":"Bead Frame %d","tag":"game","priceCents":450}`, d.round))
	path := "/products/" + p.value("id")
	d.send("PUT", path, `{"name":"Bead Frame","tag":"game","priceCents":475}`, "If-Match", p.etag())
	d.send("PUT", path, `{"name":"Bead Frame","tag":"game","priceCents":500}`, "If-Match", p.etag())
	d.post("/products", `{"name":"","tag":"soup","priceCents":0}`, "Accept-Language", "de")
	d.get(path)
	d.send("DELETE", path, "")
	d.get(path)
	d.send("DELETE", path, "")
	d.send("DELETE", "/products/7", "")
}

func discuss(d *driver) {
	d.get("/products/1/reviews")
	d.post("/products/2/reviews", fmt.Sprintf(`{"author":"Reader %d","stars":4,"text":"Ticks all boxes."}`, d.round))
	d.get("/products/2/reviews")
	d.post("/products/2/reviews", `{"author":"Nobody","stars":9,"text":""}`, "Accept-Language", "fr")
}

func join(d *driver) {
	body := fmt.Sprintf(`{"email":"guest%d@example.com","password":"open sesame","displayName":"Guest %[1]d","birthDate":"1990-05-17"}`, d.round)
	id := d.post("/accounts", body).value("id")
	d.get("/accounts/" + id)
	d.get("/accounts/" + adaID)
	d.post("/accounts", body)
	d.post("/accounts", `{"email":"nobody","password":"x","displayName":"","birthDate":"yesterday"}`)
	d.post("/login", `{"email":"guest@example.com","password":"guessed wrong"}`)
	in := d.post("/login", adaLogin)
	d.get("/me", "Cookie", in.cookie())
	d.get("/me")
	d.token = in.value("token")
	d.get("/me")
	d.post("/logout", "", "Cookie", in.cookie())
}

func shop(d *driver) {
	cookie := d.post("/login", adaLogin).cookie()
	csrf := d.get("/cart", "Cookie", cookie).value("csrfToken")
	d.post("/cart/items", `{"product":3,"quantity":2}`, "Cookie", cookie, "X-CSRF-Token", csrf)
	d.post("/cart/items", `{"product":3,"quantity":2}`, "Cookie", cookie)
	d.post("/cart/items", `{"product":3,"quantity":0}`, "Cookie", cookie, "X-CSRF-Token", csrf)
	d.get("/cart", "Cookie", cookie)
}

func buy(d *driver) {
	d.token = d.post("/login", adaLogin).value("token")
	order := d.post("/orders", `{"items":[{"product":1,"quantity":1},{"product":3,"quantity":2}],"note":"Ring twice."}`).
		value("id")
	d.get("/orders/" + order)
	d.sleep(120 * time.Millisecond)
	d.get("/orders/" + order)
	second := d.post("/orders", `{"items":[{"product":4,"quantity":1}]}`).value("id")
	d.send("DELETE", "/orders/"+second, "")
	d.sleep(220 * time.Millisecond)
	d.get("/orders/" + order)
	d.get("/orders/" + order + "/events")
	d.get("/orders")
	number := d.post("/invoices", `{"orderId":"`+order+`"}`).value("number")
	d.get("/invoices/" + number)
	d.get("/orders/" + seedOrderID)
	d.get(fmt.Sprintf("/invoices/%d", seedInvoice))
	d.send("DELETE", "/orders/"+seedOrderID, "")
	d.post("/orders", `{"items":[]}`)
	d.get("/orders/"+order, "Authorization", "Bearer expired")
	d.get("/orders/00000000-0000-4000-8000-000000000000")
}

func compare(d *driver) {
	for i := 1; i <= 6; i++ {
		d.get(fmt.Sprintf("/prices/estimate?product=%d", i))
	}
	d.get("/prices/estimate?product=none")
	d.get("/prices/history")
	d.get("/prices/rates")
}

func look(d *driver) {
	cursor := d.get("/search?q=o").value("cursor")
	d.get("/search?q=o&cursor=" + cursor)
	d.get("/search?q=in")
	d.get("/search?q=o&cursor=forged")
	d.get("/search?q=")
	d.get("/search/recent")
}

func watch(d *driver) {
	for _, path := range []string{"/health", "/health/ready", "/health/uptime", "/health/machine", "/visits"} {
		d.get(path)
	}
}

func provoke(d *driver) {
	d.get("/debug/crash")
	d.get("/debug/objects/Basket")
	d.get("/debug/objects/Foo")
	for _, lang := range []string{"en", "de", "fr"} {
		d.post("/registrations", `{"email":"bob","age":7,"country":"XX","memberSince":"never"}`, "Accept-Language", lang)
	}
	d.post("/registrations", `{"email":"bob@example.com","age":47,"country":"VN","memberSince":"2019-04-01"}`)
	d.post("/imports", `{"name":"lamp","color":"red"}`)
	d.post("/imports", `{"name":"lamp","colour":"red"}`)
}

func wonder(d *driver) {
	for i := 0; i < 3; i++ {
		d.get("/odd/maybe")
	}
	for _, name := range []string{
		"keys", "numbers", "maps", "embedded", "tagged", "rows", "text", "ticket", "binary", "noise", "redirect",
		"redirect/fresh",
	} {
		d.get("/odd/" + name)
	}
}

// sign reads what others wrote, signs, and looks for its own entry and for one that it did not make.
func sign(d *driver) {
	d.get("/guestbook")
	id := d.post("/guestbook", fmt.Sprintf(`{"author":"Guest %d","text":"I was here."}`, d.round)).value("id")
	d.get("/guestbook/" + id)
	d.get("/guestbook/3")
	d.get("/guestbook/88888")
	d.get("/guestbook")
	d.get("/journal")
}

func rest(d *driver) {
	for _, name := range []string{"json", "xml", "html", "text"} {
		d.get("/static/" + name)
	}
}

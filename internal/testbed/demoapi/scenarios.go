package demoapi

import (
	"fmt"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// scenarios lists what Drive does in each round, in order.
func scenarios() []service.Scenario {
	return []service.Scenario{
		{Name: "catalogue", Play: browse},
		{Name: "editing", Play: edit},
		{Name: "reviews", Play: discuss},
		{Name: "accounts", Play: join},
		{Name: "cart", Play: shop},
		{Name: "orders", Play: buy},
		{Name: "prices", Play: compare},
		{Name: "search", Play: look},
		{Name: "health", Play: watch},
		{Name: "messages", Play: provoke},
		{Name: "odd", Play: wonder},
		{Name: "guestbook", Play: sign},
		{Name: "static", Play: rest},
	}
}

const adaLogin = `{"email":"` + adaEmail + `","password":"` + adaPassword + `"}`

func browse(d *service.Client) {
	d.Get("/products")
	d.Get("/products?limit=2&offset=3&tag=book")
	for _, id := range []string{"1", "2", "4", "5"} {
		etag := d.Get("/products/" + id).ETag()
		d.Get("/products/"+id, "If-None-Match", etag)
	}
	d.Get("/products/999")
	for _, lang := range []string{"en", "de-DE,de;q=0.9", "fr"} {
		d.Get("/products?limit=0&offset=-1", "Accept-Language", lang)
	}
	d.Get("/authors/1")
	d.Get("/authors/2")
	d.Get("/authors/77")
}

func edit(d *service.Client) {
	p := d.Post("/products", fmt.Sprintf(`{"name":"Bead Frame %d","tag":"game","priceCents":450}`, d.Round))
	path := "/products/" + p.Value("id")
	d.Send("PUT", path, `{"name":"Bead Frame","tag":"game","priceCents":475}`, "If-Match", p.ETag())
	d.Send("PUT", path, `{"name":"Bead Frame","tag":"game","priceCents":500}`, "If-Match", p.ETag())
	d.Post("/products", `{"name":"","tag":"soup","priceCents":0}`, "Accept-Language", "de")
	d.Get(path)
	d.Send("DELETE", path, "")
	d.Get(path)
	d.Send("DELETE", path, "")
	d.Send("DELETE", "/products/7", "")
}

func discuss(d *service.Client) {
	d.Get("/products/1/reviews")
	d.Post("/products/2/reviews", fmt.Sprintf(`{"author":"Reader %d","stars":4,"text":"Ticks all boxes."}`, d.Round))
	d.Get("/products/2/reviews")
	d.Post("/products/2/reviews", `{"author":"Nobody","stars":9,"text":""}`, "Accept-Language", "fr")
}

func join(d *service.Client) {
	body := fmt.Sprintf(`{"email":"guest%d@example.com","password":"open sesame","displayName":"Guest %[1]d","birthDate":"1990-05-17"}`, d.Round)
	id := d.Post("/accounts", body).Value("id")
	d.Get("/accounts/" + id)
	d.Get("/accounts/" + adaID)
	d.Post("/accounts", body)
	d.Post("/accounts", `{"email":"nobody","password":"x","displayName":"","birthDate":"yesterday"}`)
	d.Post("/login", `{"email":"guest@example.com","password":"guessed wrong"}`)
	in := d.Post("/login", adaLogin)
	d.Get("/me", "Cookie", in.Cookie())
	d.Get("/me")
	d.Headers = bearer(in.Value("token"))
	d.Get("/me")
	d.Post("/logout", "", "Cookie", in.Cookie())
}

func shop(d *service.Client) {
	cookie := d.Post("/login", adaLogin).Cookie()
	csrf := d.Get("/cart", "Cookie", cookie).Value("csrfToken")
	d.Post("/cart/items", `{"product":3,"quantity":2}`, "Cookie", cookie, "X-CSRF-Token", csrf)
	d.Post("/cart/items", `{"product":3,"quantity":2}`, "Cookie", cookie)
	d.Post("/cart/items", `{"product":3,"quantity":0}`, "Cookie", cookie, "X-CSRF-Token", csrf)
	d.Get("/cart", "Cookie", cookie)
}

func buy(d *service.Client) {
	d.Headers = bearer(d.Post("/login", adaLogin).Value("token"))
	order := d.Post("/orders", `{"items":[{"product":1,"quantity":1},{"product":3,"quantity":2}],"note":"Ring twice."}`).
		Value("id")
	d.Get("/orders/" + order)
	d.Sleep(120 * time.Millisecond)
	d.Get("/orders/" + order)
	second := d.Post("/orders", `{"items":[{"product":4,"quantity":1}]}`).Value("id")
	d.Send("DELETE", "/orders/"+second, "")
	d.Sleep(220 * time.Millisecond)
	d.Get("/orders/" + order)
	d.Get("/orders/" + order + "/events")
	d.Get("/orders")
	number := d.Post("/invoices", `{"orderId":"`+order+`"}`).Value("number")
	d.Get("/invoices/" + number)
	d.Get("/orders/" + seedOrderID)
	d.Get(fmt.Sprintf("/invoices/%d", seedInvoice))
	d.Send("DELETE", "/orders/"+seedOrderID, "")
	d.Post("/orders", `{"items":[]}`)
	d.Get("/orders/"+order, "Authorization", "Bearer expired")
	d.Get("/orders/00000000-0000-4000-8000-000000000000")
}

func compare(d *service.Client) {
	for i := 1; i <= 6; i++ {
		d.Get(fmt.Sprintf("/prices/estimate?product=%d", i))
	}
	d.Get("/prices/estimate?product=none")
	d.Get("/prices/history")
	d.Get("/prices/rates")
}

func look(d *service.Client) {
	cursor := d.Get("/search?q=o").Value("cursor")
	d.Get("/search?q=o&cursor=" + cursor)
	d.Get("/search?q=in")
	d.Get("/search?q=o&cursor=forged")
	d.Get("/search?q=")
	d.Get("/search/recent")
}

func watch(d *service.Client) {
	for _, path := range []string{"/health", "/health/ready", "/health/uptime", "/health/machine", "/visits"} {
		d.Get(path)
	}
}

func provoke(d *service.Client) {
	d.Get("/debug/crash")
	d.Get("/debug/objects/Basket")
	d.Get("/debug/objects/Foo")
	for _, lang := range []string{"en", "de", "fr"} {
		d.Post("/registrations", `{"email":"bob","age":7,"country":"XX","memberSince":"never"}`, "Accept-Language", lang)
	}
	d.Post("/registrations", `{"email":"bob@example.com","age":47,"country":"VN","memberSince":"2019-04-01"}`)
	d.Post("/imports", `{"name":"lamp","color":"red"}`)
	d.Post("/imports", `{"name":"lamp","colour":"red"}`)
}

func wonder(d *service.Client) {
	for i := 0; i < 3; i++ {
		d.Get("/odd/maybe")
	}
	for _, name := range []string{
		"keys", "numbers", "maps", "embedded", "tagged", "rows", "text", "ticket", "binary", "noise", "redirect",
		"redirect/fresh",
	} {
		d.Get("/odd/" + name)
	}
}

// sign reads what others wrote, signs, and looks for its own entry and for one that it did not make.
func sign(d *service.Client) {
	d.Get("/guestbook")
	id := d.Post("/guestbook", fmt.Sprintf(`{"author":"Guest %d","text":"I was here."}`, d.Round)).Value("id")
	d.Get("/guestbook/" + id)
	d.Get("/guestbook/3")
	d.Get("/guestbook/88888")
	d.Get("/guestbook")
	d.Get("/journal")
}

func rest(d *service.Client) {
	for _, name := range []string{"json", "xml", "html", "text"} {
		d.Get("/static/" + name)
	}
}

package portapi

import (
	"fmt"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// scenarios lists what Drive does in each round, in order.
func scenarios() []service.Scenario {
	return []service.Scenario{
		{Name: "lockout", Play: guess},
		{Name: "session", Play: work},
		{Name: "board", Play: read},
		{Name: "master", Play: lookUp},
		{Name: "berths", Play: walk},
		{Name: "booking", Play: book},
		{Name: "canceling", Play: cancel},
		{Name: "crane", Play: lift},
		{Name: "customs", Play: declare},
		{Name: "limits", Play: exhaust},
		{Name: "schedule", Play: ride},
		{Name: "sensors", Play: listen},
		{Name: "operations", Play: operate},
		{Name: "refusals", Play: stumble},
	}
}

// guess tries secrets until the client is locked out. Another client tries in each round.
func guess(c *service.Client) {
	for i := range 4 {
		if i == 3 {
			c.Sleep(30 * time.Millisecond)
		}
		c.Post("/auth/token", fmt.Sprintf(`{"client_id":"gate-%d","client_secret":"guess"}`, c.Round))
	}
}

const officeLogin = `{"client_id":"` + office + `","client_secret":"` + officeSecret + `"}`

func work(c *service.Client) {
	in := c.Post("/auth/token", officeLogin)
	cookie, token := in.Cookie(), in.Value("access_token")
	c.Post("/auth/introspect", `{"token":"`+token+`"}`)
	c.Get("/auth/session", "Cookie", cookie)
	c.Sleep(20 * time.Millisecond)
	c.Post("/auth/introspect", `{"token":"`+token+`"}`)
	c.Get("/auth/session", "Cookie", cookie, "User-Agent", "flaketap-demo-gate")
	c.Send("DELETE", "/auth/session", "", "Cookie", cookie)
	c.Get("/auth/session", "Cookie", cookie)
}

func read(c *service.Client) {
	for _, lang := range []string{"en-US,en;q=0.9", "en-GB", "fr-FR,fr;q=0.8", "de", "es-ES", "ja", "ar-AE", "pl"} {
		c.Get("/board", "Accept-Language", lang)
	}
	for _, id := range []string{"N-7", "N-12", "N-19", "N-23", "N-9999"} {
		c.Get("/notices/" + id)
	}
	c.Post("/notices", `{"title":"Fog on the river","until":"See you on Sunday"}`)
	c.Post("/notices", `{"title":"Brume sur le fleuve","until":"lundi"}`, "Accept-Language", "fr")
	c.Post("/notices", `{"title":"","until":""}`)
}

func lookUp(c *service.Client) {
	c.Get("/vessels")
	for i, imo := range []string{"9321483", "9454436", "9839272"} {
		etag := c.Get("/vessels/"+imo, "Accept-Language", []string{"en-US", "fr", "ja"}[i]).ETag()
		c.Get("/vessels/"+imo, "If-None-Match", etag)
	}
	c.Get("/vessels/1234567")
	for _, id := range []string{"C-1001", "C-1002", "C-1003", "C-9999"} {
		c.Get("/crew/" + id)
	}
}

func walk(c *service.Client) {
	c.Get("/berths")
	c.Send("OPTIONS", "/berths", "")
	for _, berth := range []string{"B1", "B4", "B7", "Z9"} {
		c.Get("/berths/" + berth + "/now")
	}
}

func book(c *service.Client) {
	b := c.Post("/bookings", `{"berth":"B3","line":7,"ship":"9321483"}`)
	path := "/bookings/" + b.Value("id")
	c.Get(path)
	c.Send("PATCH", path, `{"berth":"A5"}`)
	c.Send("PATCH", path, `{"berth":"A5"}`, "If-Match", `W/"1"`)
	c.Send("PATCH", path, `{"berth":"A6"}`, "If-Match", `W/"1"`)
	for range 5 {
		c.Get(path)
	}
	c.Get("/bookings")
	c.Post("/bookings", `{"berth":"","line":0,"ship":""}`)
	c.Get("/bookings/BK-999999")
}

func cancel(c *service.Client) {
	b := c.Post("/bookings", `{"berth":"C2","line":12,"ship":"9454436"}`, "Accept-Language", "de")
	path := "/bookings/" + b.Value("id")
	c.Get(path)
	c.Get("/bookings")
	c.Send("DELETE", path, "")
	c.Get(path)
}

func lift(c *service.Client) {
	c.Get("/containers/MSCU6639870")
	c.Get("/containers/TGHU3056478", "Accept-Language", "fr")
	c.Get("/containers/MSCU6639870", "Accept-Language", "ja")
	c.Get("/containers/XXXX0000000")
	path := "/jobs/" + c.Post("/containers/MSCU6639870/moves", `{"to":"18-01-03"}`).Value("job")
	c.Get(path)
	c.Sleep(170 * time.Millisecond)
	c.Get(path)
	c.Sleep(170 * time.Millisecond)
	c.Get(path)
	c.Post("/containers/TGHU3056478/moves", `{"to":"02-11-01"}`)
	c.Get("/jobs/00000000-0000-4000-8000-000000000000")
}

func declare(c *service.Client) {
	d := c.Post("/declarations", `{"captain":"Mwangi Otieno","born":"22/11/1981","goods":"HS 870323"}`)
	path := "/declarations/" + d.Value("id")
	c.Get(path)
	c.Get(path)
	c.Post("/declarations", `{"captain":"Inès Da Silva","born":"11/22/1990","goods":"since Sunday"}`)
	c.Post("/declarations", `{"captain":"","born":"","goods":""}`)
	c.Get("/declarations/0")
	for _, part := range []string{"", "/archive", "/page"} {
		c.Get("/manifests/M-2019-7" + part)
	}
	c.Get("/manifests/M-0000-0")
}

func exhaust(c *service.Client) {
	for range 4 {
		c.Get("/quota")
	}
	for _, lang := range []string{"en-US", "fr", "de", "ar"} {
		c.Get("/tariffs", "Accept-Language", lang)
	}
	c.Sleep(700 * time.Millisecond)
	c.Get("/tariffs")
}

func ride(c *service.Client) {
	c.Get("/schedule")
	c.Get("/feed")
	for range 2 {
		c.Get("/ui", "X-Client-Id", "tablet-1")
		c.Get("/ui", "X-Client-Id", "tablet-4")
	}
}

func listen(c *service.Client) {
	for range 5 {
		c.Get("/sensors/q1")
		c.Get("/sensors/q2")
	}
	c.Get("/sensors/q9")
}

func operate(c *service.Client) {
	for _, path := range []string{"/status", "/crash", "/node", "/log", "/status", "/crash"} {
		c.Get(path)
	}
}

// stumble sends what is turned away at the door.
func stumble(c *service.Client) {
	c.Send("PUT", "/vessels", "{}")
	c.Post("/bookings", "berth=B3", "Content-Type", "text/plain")
	c.Post("/declarations", "{")
	c.Get("/lighthouse")
}

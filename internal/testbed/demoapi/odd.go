package demoapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) oddRoutes() []route {
	return []route{
		service.On("GET", "/odd/keys", a.oddKeys),
		service.On("GET", "/odd/numbers", a.oddNumbers),
		service.On("GET", "/odd/maybe", a.oddMaybe),
		service.On("GET", "/odd/maps", a.oddMaps),
		service.On("GET", "/odd/embedded", a.oddEmbedded),
		service.On("GET", "/odd/tagged", a.oddTagged),
		service.On("GET", "/odd/rows", a.oddRows),
		service.On("GET", "/odd/text", func(*request) answer {
			return service.Typed(http.StatusOK, "text/plain; charset=utf-8",
				[]byte("Opened 2026-01-29, deadbeef cafe, call 4006381333931.\n"))
		}),
		service.On("GET", "/odd/ticket", func(*request) answer {
			return service.Typed(http.StatusOK, "text/plain; charset=utf-8",
				fmt.Appendf(nil, "Your ticket is %s.\n", a.letters(16)))
		}),
		service.On("GET", "/odd/binary", func(*request) answer {
			return service.Typed(http.StatusOK, "application/octet-stream", []byte("\x00\x01\xfe\xff flaketap \x89\r\n\x1a\n"))
		}),
		service.On("GET", "/odd/noise", func(*request) answer {
			return service.Typed(http.StatusOK, "application/octet-stream", a.bytes(64))
		}),
		service.On("GET", "/odd/redirect", func(r *request) answer {
			return service.Empty(http.StatusFound).With("Location", r.absolute("/products/1"))
		}),
		service.On("GET", "/odd/redirect/fresh", func(r *request) answer {
			return service.Empty(http.StatusSeeOther).With("Location", r.absolute("/odd/maybe?nonce="+a.hex(8)))
		}),
	}
}

// oddKeys has every key that a path syntax stumbles over, each with a constant and most with one that moves beside it.
func (a *API) oddKeys(*request) answer {
	n := func() int { return a.rng.IntN(1_000_000) }
	return service.Typed(http.StatusOK, "application/json",
		fmt.Appendf(nil, `{"twice":"first","twice":"second","dice":1,"dice":%d,`+
			`"":"empty","a.b":"dotted","a":{"b":"nested","":%d},"c/d":"slashed","c/e":%d,"~":"tilde","~1":%d,"quote\"d":"quoted",`+
			`"quote\"n":%d,"*":"star","*n":%d,"0":"zero","$ref":"#/a","sp ace":"spaced","ключ":"ключ","x\u0000y":"nul","@type":"odd",`+
			`"customerreferencenumber":"C-100000004006381333931","responseTimeInMilliseconds":42}`, n(), n(), n(),
			n(), n(), n()))
}

// oddNumbers has numbers that a float64 does not hold: they are to be compared as they are written.
func (a *API) oddNumbers(*request) answer {
	return service.Typed(http.StatusOK, "application/json",
		fmt.Appendf(nil, `{"beyond":9007199254740993,"twice":18446744073709551616,`+
			`"long":3.14159265358979323846264338327950288,"one":1.0,"exponent":1e2,"minus":-0,"article":4006381333931,`+
			`"snowflake":1543267890123456789,"lastDigit":900719925474099%d,"fraction":0.30000000000000000%d}`, a.rng.IntN(10),
			1+a.rng.IntN(9)))
}

// oddMaybe has what is not always there, or not always the same kind of thing.
func (a *API) oddMaybe(*request) answer {
	d := &a.dials
	type maybe struct {
		Name     string  `json:"name"`
		Discount *int    `json:"discount"`
		Coupon   *string `json:"coupon,omitempty"`
		Banner   string  `json:"banner"`
		Delivery any     `json:"delivery"`
		Middle   *string `json:"middleName"`
	}
	m := maybe{Name: "Maybe", Banner: "Welcome", Delivery: 3}
	if !a.happens(service.Chance(d.NullChance, 1.0/5)) {
		ten := 10
		m.Discount = &ten
	}
	if a.happens(service.Chance(d.FieldChance, 1.0/3)) {
		code := "SPRING"
		m.Coupon = &code
	}
	if a.happens(service.Chance(d.RareChance, 1.0/30)) {
		m.Banner = "Maintenance tonight"
	}
	if a.happens(service.Chance(d.TextChance, 1.0/4)) {
		m.Delivery = "three days"
	}
	return service.Reply(http.StatusOK, m)
}

// oddMaps has maps whose keys are data: some lasting, some made up for each answer.
func (a *API) oddMaps(*request) answer {
	type session struct {
		User  string `json:"user"`
		Agent string `json:"agent"`
	}
	sessions := map[string]session{}
	for _, user := range []string{"ada", "bob", "eve"} {
		sessions[a.hex(8)] = session{user, "curl"}
	}
	loads := map[string]int{}
	for _, city := range []string{"berlin", "hanoi", "paris"} {
		loads[city] = a.rng.IntN(1000)
	}
	return service.Reply(http.StatusOK, struct {
		Stock    map[string]int     `json:"stockByArticle"`
		Loads    map[string]int     `json:"loadByCity"`
		Sessions map[string]session `json:"sessions"`
	}{map[string]int{"4006381333931": 12, "9780306406157": 0, "5901234123457": 7}, loads, sessions})
}

// oddEmbedded has documents inside strings.
func (a *API) oddEmbedded(*request) answer {
	fixed, _ := json.Marshal(map[string]any{"level": 3, "tags": []string{"a", "b"}})
	moving, _ := json.Marshal(map[string]any{"level": 3, "nonce": a.hex(8)})
	return service.Reply(http.StatusOK, struct {
		Settings string `json:"settings"`
		Envelope string `json:"envelope"`
		Encoded  string `json:"encoded"`
		State    string `json:"state"`
		Redirect string `json:"redirect"`
	}{
		string(fixed), string(moving), base64.StdEncoding.EncodeToString(fixed),
		base64.StdEncoding.EncodeToString([]byte("v1:" + a.hex(12))),
		"https://login.example.com/authorize?client_id=demo&scope=read&nonce=" + a.letters(20),
	})
}

// oddTagged has a validator computed from the bytes of an answer that never repeats.
func (a *API) oddTagged(*request) answer {
	ans := service.Reply(http.StatusOK, struct {
		Name  string `json:"name"`
		Nonce string `json:"nonce"`
		MD5ed string `json:"digest"`
	}{"tagged", a.uuid(), digest("constant")})
	return ans.With("Etag", `W/"`+digest(string(ans.Body))[:32]+`"`).With("X-Content-Digest", "sha256="+digest("constant"))
}

// oddRows has arrays of every temper: fixed, of moving elements, shuffled with a member that moves, growing and
// shrinking, drawn anew.
func (a *API) oddRows(*request) answer {
	type reading struct {
		Sensor string `json:"sensor"`
		Unit   string `json:"unit"`
		Value  int    `json:"value"`
	}
	readings := []reading{}
	for _, s := range []string{"east", "north", "south", "west"} {
		readings = append(readings, reading{s, "mK", 290_000 + a.rng.IntN(10_000)})
	}
	queue := strings.Fields("alpha beta gamma delta epsilon")
	return service.Reply(http.StatusOK, struct {
		Fixed    []int      `json:"fixed"`
		Pairs    [][]string `json:"pairs"`
		Empty    []int      `json:"empty"`
		Readings []reading  `json:"readings"`
		Mixed    []reading  `json:"mixed"`
		Queue    []string   `json:"queue"`
		Lottery  []int      `json:"lottery"`
	}{
		[]int{3, 1, 2}, [][]string{{"a", "b"}, {"c"}}, []int{}, readings, shuffled(a, readings),
		// More often one word than not: a dozen answers have shown that there may be no second one.
		queue[:max(1, a.rng.IntN(2*len(queue))-4)],
		[]int{a.rng.IntN(50), a.rng.IntN(50), a.rng.IntN(50)},
	})
}

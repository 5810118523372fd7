package flow

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// till is an API whose every id is a small number: users, orders, lines and notes are each counted from 1, next to
// quantities, pages and prices of the same size. Its client knows which number it took from which answer.
type till struct {
	counts map[string]int
	rnd    *rand.Rand
}

// ServeHTTP implements http.Handler: what is posted to a collection gets the next number, what is read comes back.
func (a *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(r.URL.Path, "/")
	segments := strings.Split(path, "/")
	kind := strings.TrimRight(segments[len(segments)-1], "s")
	small := func() int { return 1 + a.rnd.IntN(20) }
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == "POST" && path == "sessions":
		a.counts["session"]++
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: strconv.Itoa(a.counts["session"]), Path: "/"})
		fmt.Fprintf(w, `{"token":"t%d","expires_in":%d,"page":%d}`, a.counts["session"], small(), small())
	case r.Method == "POST" && (kind == "user" || kind == "order" || kind == "line" || kind == "note"):
		key := kind
		if kind == "line" {
			key = path // each order counts its own
		}
		a.counts[key]++
		id := a.counts[key]
		w.Header().Set("Location", fmt.Sprintf("/%s/%d", path, id))
		w.Header().Set("ETag", strconv.Quote(strconv.Itoa(small())))
		w.WriteHeader(http.StatusCreated)
		if r.Header.Get("Accept") == "application/xml" {
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<%s rank="%d"><id>%d</id><quantity>%d</quantity></%[1]s>`, kind, small(), id, small())
			return
		}
		fmt.Fprintf(w, `{"id":%d,"quantity":%d,"price":%d,"rank":%d}`, id, small(), small(), small())
	case r.Method == "GET" && len(segments) == 1:
		after := a.rnd.IntN(30)
		w.Header().Set("Link", fmt.Sprintf(`</%s?after=%d&limit=%d>; rel="next", </%[1]s?page=1>; rel="first"`, path, after, small()))
		fmt.Fprintf(w, `{"items":[{"id":%d,"quantity":%d},{"id":%d,"quantity":%d}],"total":%d,"page":%d,"next_cursor":%d}`,
			small(), small(), small(), small(), small(), small(), after)
	default:
		w.Header().Set("ETag", strconv.Quote(strconv.Itoa(small())))
		fmt.Fprintf(w, `{"id":%q,"quantity":%d,"price":%d}`, segments[len(segments)-1], small(), small())
	}
}

// had is a number that the client has from an answer.
type had struct {
	from  int
	value string
	in    string // the path of the thing
}

// cashier is the client of a till.
type cashier struct {
	t     *testing.T
	tape  *tape
	rnd   *rand.Rand
	truth []demoapi.Origin
	have  map[string][]had
}

// use says that the next request holds a value at a place.
func (c *cashier) use(h had, place exchange.Place) string {
	c.truth = append(c.truth, demoapi.Origin{From: h.from, To: len(c.tape.list) + 1, Place: place, Value: h.value})
	return h.value
}

func (c *cashier) any(kind string) had { return c.have[kind][c.rnd.IntN(len(c.have[kind]))] }

func (c *cashier) small() int { return 1 + c.rnd.IntN(20) }

// send sends a request and returns the members of the answer; headers are names and values by turns.
func (c *cashier) send(method, target, body string, headers ...string) (*http.Response, map[string]any) {
	r, err := http.NewRequest(method, "http://till.test"+target, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := c.tape.RoundTrip(r)
	if err != nil {
		c.t.Fatal(err)
	}
	w.Body.Close()
	members := map[string]any{}
	payload, _ := c.tape.list[len(c.tape.list)-1].Response.Payload()
	_ = json.Unmarshal(payload, &members)
	return w, members
}

// make posts to a collection and keeps the number.
func (c *cashier) make(kind, path, body string, headers ...string) {
	w, members := c.send("POST", path, body, headers...)
	id := fmt.Sprint(members["id"])
	if members["id"] == nil {
		id = w.Header.Get("Location")[strings.LastIndexByte(w.Header.Get("Location"), '/')+1:]
	}
	c.have[kind] = append(c.have[kind], had{len(c.tape.list), id, path + "/" + id})
}

// act does one thing that clients of such an API do.
func (c *cashier) act(n int) {
	multipart := func(name, value string) (string, string) {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n--b\r\nContent-Disposition: form-data; name=\"quantity\"\r\n\r\n" +
			strconv.Itoa(c.small()) + "\r\n--b--\r\n", "multipart/form-data; boundary=b"
	}
	switch n {
	case 0:
		c.make("user", "/users", fmt.Sprintf(`{"age":%d}`, c.small()))
	case 1:
		u := c.any("user")
		c.make("order", "/orders", fmt.Sprintf(`{"userId":%s,"quantity":%d}`, c.use(u, "/body/userId"), c.small()))
	case 2:
		c.make("note", "/notes", "", "Accept", "application/xml")
	case 3:
		o := c.any("order")
		c.make("line", "/orders/"+c.use(o, "/path/1")+"/lines", fmt.Sprintf(`{"product":%d,"price":%d}`, c.small(), c.small()))
	case 4:
		l := c.any("line")
		segments := strings.Split(l.in, "/")
		i := slices.IndexFunc(c.have["order"], func(o had) bool { return o.value == segments[2] })
		c.use(c.have["order"][i], "/path/1")
		c.use(l, "/path/3")
		c.send("PUT", l.in, fmt.Sprintf(`{"quantity":%d}`, c.small()))
	case 5:
		o := c.any("order")
		c.send("GET", fmt.Sprintf("/orders/%s?page=%d", c.use(o, "/path/1"), c.small()), "")
	case 6:
		u, o := c.any("user"), c.any("order")
		c.send("GET", fmt.Sprintf("/find?user_id=%s&orderId=%s&limit=%d", c.use(u, "/query/user_id"), c.use(o, "/query/orderId"), c.small()), "")
	case 7:
		o := c.any("order")
		c.send("GET", fmt.Sprintf("/find?filter=quantity:%d,orderId:%s,page:%d", c.small(), c.use(o, "/query/filter"), c.small()), "")
	case 8:
		note := c.any("note")
		c.send("POST", "/pins", fmt.Sprintf(`<pin rank="%d"><noteId>%s</noteId><page>%d</page></pin>`, c.small(), c.use(note, "/body/pin/noteId"), c.small()),
			"Content-Type", "application/xml")
	case 9:
		u := c.any("user")
		body, kind := multipart("userId", c.use(u, "/body/userId"))
		c.send("POST", "/pictures", body, "Content-Type", kind)
	default:
		c.actOtherwise(n)
	}
}

// actOtherwise does one thing that goes without ids in bodies.
func (c *cashier) actOtherwise(n int) {
	switch n {
	case 10:
		c.send("POST", "/sessions", `{}`)
		c.have["session"] = append(c.have["session"], had{from: len(c.tape.list), value: strconv.Itoa(len(c.have["session"]) + 1)})
	case 11:
		s := c.have["session"][len(c.have["session"])-1]
		c.use(s, "/cookie/sid")
		token := c.use(had{from: s.from, value: "t" + s.value}, "/header/authorization")
		c.send("GET", fmt.Sprintf("/me?page=%d", c.small()), "", "Cookie", "sid="+s.value, "Authorization", "Bearer "+token)
	case 12:
		path := []string{"/orders", "/users"}[c.rnd.IntN(2)]
		w, _ := c.send("GET", path+"?page="+strconv.Itoa(c.small()), "")
		_, after, _ := strings.Cut(w.Header.Get("Link"), "after=")
		after, _, _ = strings.Cut(after, "&")
		c.send("GET", fmt.Sprintf("%s?after=%s&page=%d", path, c.use(had{from: len(c.tape.list), value: after}, "/query/after"), c.small()), "")
	case 13:
		o := c.any("order")
		w, _ := c.send("GET", "/orders/"+c.use(o, "/path/1"), "")
		tag := had{from: len(c.tape.list), value: w.Header.Get("ETag")}
		c.send("PATCH", "/orders/"+c.use(o, "/path/1"), fmt.Sprintf(`{"quantity":%d}`, c.small()), "If-Match", c.use(tag, "/header/if-match"))
	case 14:
		o := c.any("order")
		packed := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"orderId":%s,"page":%d}`, c.use(o, "/query/state"), c.small()))
		c.send("GET", "/find?state="+packed, "")
	case 15: // a fuzzer's guesses: numbers that an answer may give later, numbers of nothing
		c.send("GET", fmt.Sprintf("/orders/%d", c.future("order")), "")
		c.send("DELETE", fmt.Sprintf("/users/%d", c.future("user")), "")
		c.send("GET", fmt.Sprintf("/pages/%d?size=%d&x=%d", c.small(), c.small(), c.small()), "")
		c.send("POST", "/sums", fmt.Sprintf(`{"a":%d,"b":[%d,%d],"page":"%d"}`, c.small(), c.small(), c.small(), c.small()))
	}
}

// future returns a number that no answer has given yet, and that one may give soon.
func (c *cashier) future(kind string) int { return len(c.have[kind]) + 1 + c.rnd.IntN(5) }

// TestBindingsCollide: every id is a small number that stands for many things.
func TestBindingsCollide(t *testing.T) {
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		c := &cashier{t: t, rnd: rnd, have: map[string][]had{}, tape: &tape{api: &till{counts: map[string]int{}, rnd: rnd}}}
		for _, first := range []int{15, 0, 1, 2, 3, 10} {
			c.act(first)
		}
		for range 600 {
			c.act(rnd.IntN(16))
		}
		precision, recall := scoreFound(t, c.tape.list, c.truth)
		meets(t, precision, recall)
	}
}

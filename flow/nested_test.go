package flow

import (
	"encoding/base64"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// TestBindingsWithin: values in bodies that are no JSON, in links, and within longer texts.
func TestBindingsWithin(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("client-9f31c2:s3cr3t-77ab12"))
	cursor := base64.RawURLEncoding.EncodeToString([]byte(`{"orderId":7,"n":7}`))
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"XML, elements and attributes", `
			> POST /orders
			Content-Type: application/xml
			=<order><qty>2</qty></order>
			< 201
			Content-Type: application/xml
			=<?xml version="1.0"?><o:order xmlns:o="urn:o"><id>7</id><qty>3</qty><self href="/orders/7/"/></o:order>
			> POST /pay
			Content-Type: text/xml
			=<pay n="7"><order id="7"/><orderId> 7 </orderId><count>7</count><orderId><![CDATA[7]]></orderId></pay>
			> GET /orders/7`,
			[]string{"orderId=7 1/body/o:order/id > 2/body/pay/order/@id > 2/body/pay/orderId > 2/body/pay/orderId/1 > 3/path/1"}},
		{"multipart fields and JSON parts", `
			> POST /orders
			< 201
			={"id": 7}
			> POST /upload
			Content-Type: multipart/form-data; boundary="b1"
			=--b1~Content-Disposition: form-data; name="orderId"~~7~--b1~Content-Disposition: form-data; name="meta"~Content-Type: application/json~~{"order":{"id":7},"n":7}~--b1~Content-Disposition: form-data; name="n"~~7~--b1--~`,
			[]string{"orderId=7 1/body/id > 2/body/orderId > 2/body/meta/order/id"}},
		{"names lead to short ids within texts", `
			> POST /orders
			< 201
			={"id": 7}
			> GET /find?filter=qty:17,orderId:7&page=7
			> GET /find?$filter=orderId%20eq%207&ref=urn:order:7&q=seven%207
			> GET /orders/7.json
			> GET /odata/Orders(7)
			> GET /files/order-7.pdf
			> POST /find
			={"query":"order-7","text":"order:7","where":"{\"order_id\":7,\"n\":7}","next":"/orders/7/lines?n=7"}`,
			[]string{"orderId=7 1/body/id > 2/query/filter/orderId > 3/query/$filter/orderId > 3/query/ref/order > 4/path/1/stem > 5/path/1/Orders" +
				" > 6/path/1/order > 7/body/text/order > 7/body/where/order_id > 7/body/next/path/1"}},
		{"base64: Basic credentials, and JSON that the client packed", `
			> POST /clients
			< 201
			={"client_id": "client-9f31c2", "client_secret": "s3cr3t-77ab12"}
			> POST /token
			Authorization: Basic ` + basic + `
			> POST /orders
			< 201
			={"id": 7}
			> GET /find?cursor=` + cursor,
			[]string{"clientId=client-9f31c2 1/body/client_id > 2/header/authorization/basic/user",
				"clientSecret=s3cr3t-77ab12 1/body/client_secret > 2/header/authorization/basic/password",
				"orderId=7 3/body/id > 4/query/cursor/base64/orderId"}},
		{"all links of a Link, cursors of links by their path and name", `
			> GET /items?limit=2
			< 200
			Link: </items?limit=2&after=0>; rel="prev, first", </items?limit=2&after=4>; rel=next
			> GET /items?limit=2&after=4
			< 200
			={"data":[{"n":4}],"links":{"next":"http://h/items?limit=2&page=3&after=6"}}
			> GET /items?limit=2&page=3&after=6
			> GET /others?after=6
			< 200
			={"nextCursor":"12","items":[]}
			> GET /others?cursor=12`,
			[]string{"after=4 1/header/link/1/query/after > 2/query/after", "after2=6 2/body/links/next/query/after > 3/query/after",
				"nextCursor=12 4/body/nextCursor > 5/query/cursor"}},
		{"a signed URL is followed as a whole", `
			> POST /exports
			< 202
			={"url": "https://files.test/f/report.csv?expires=90&user=3&sig=a"}
			> GET /f/report.csv?expires=90&user=3&sig=a`,
			[]string{"expires=90 1/body/url/query/expires > 2/query/expires", "sig=a 1/body/url/query/sig > 2/query/sig",
				"user=3 1/body/url/query/user > 2/query/user"}},
		{"a Location as a whole", `
			> POST /jobs
			< 201
			Location: http://h:80/jobs/7
			> POST /watch
			={"job":"http://h:80/jobs/7"}`,
			[]string{"location=http://h:80/jobs/7 1/header/location > 2/body/job"}},
		{"tokens of a page", `
			> GET /login
			< 200
			Content-Type: text/html
			=<!DOCTYPE html><html><head><meta name="csrf-token" content="m&amp;1"><script>if(a<b){"<input name=_csrf value=x>"}</script></head><form action="/login"><input type="hidden" name="state" value="s1"><input type='hidden' value='t1' name='_csrf'/><input name="user"></form>
			> POST /login
			Content-Type: application/x-www-form-urlencoded
			X-CSRF-Token: m&1
			=user=s1&_csrf=t1&state=s1`,
			[]string{"csrf=t1 1/body/input/_csrf > 2/body/_csrf", "state=s1 1/body/input/state > 2/body/state", "csrfToken=m&1 1/body/meta/csrf-token > 2/header/x-csrf-token"}},
		{"a cookie that scripts hand back unescaped", `
			> GET /
			< 200
			Set-Cookie: XSRF-TOKEN=ab%3D%3D; Path=/
			> POST /x
			Cookie: XSRF-TOKEN=ab%3D%3D
			X-XSRF-TOKEN: ab==`,
			[]string{"XSRFTOKEN=ab%3D%3D 1/header/set-cookie/XSRF-TOKEN > 2/cookie/XSRF-TOKEN",
				"XSRFTOKEN2=ab== 1/header/set-cookie/XSRF-TOKEN/unescaped > 2/header/x-xsrf-token"}},
		{"a login by OAuth 2", `
			> GET /authorize?client_id=app&state=q1
			< 302
			Location: https://app.test/cb?code=c-1&state=q1&iss=x
			> POST /token
			Content-Type: application/x-www-form-urlencoded
			=grant_type=authorization_code&code=c-1&client_id=app
			< 200
			={"access_token":"a1","token_type":"bearer","refresh_token":"r1","expires_in":60}
			> GET /me
			Authorization: Bearer a1
			> POST /token
			Content-Type: application/x-www-form-urlencoded
			=grant_type=refresh_token&refresh_token=r1
			< 200
			={"access_token":"a2"}
			> GET /me
			Authorization: Bearer a2`,
			[]string{"code=c-1 1/header/location/query/code > 2/body/code", "accessToken=a1 2/body/access_token > 3/header/authorization",
				"refreshToken=r1 2/body/refresh_token > 4/body/refresh_token", "accessToken2=a2 4/body/access_token > 5/header/authorization"}},
		{"a replaced cookie: the latest counts", `
			> GET /a
			< 200
			Set-Cookie: c=1
			> GET /b
			< 200
			Set-Cookie: c=1
			> GET /c
			Cookie: c=1
			< 200
			Set-Cookie: c=; Max-Age=0
			> GET /d
			< 200
			Set-Cookie: c=2
			> GET /e
			Cookie: c=2`,
			[]string{"c=1 2/header/set-cookie/c > 3/cookie/c", "c2=2 4/header/set-cookie/c > 5/cookie/c"}},
		{"what a request makes outranks what mentions it", `
			> POST /orders
			< 201
			={"id": 7}
			> POST /checkout
			< 200
			={"id": 1, "orderId": 7}
			> GET /orders/7
			> GET /pay?orderId=7`,
			[]string{"orderId=7 1/body/id > 3/path/1 > 4/query/orderId"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := script(t, c.text)
			if diff := cmp.Diff(c.want, show(Bindings(list))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCookiesOfHosts: a weak cookie of one host is not another host's, unless its Domain says so.
func TestCookiesOfHosts(t *testing.T) {
	list := script(t, `
		> GET /
		< 200
		Set-Cookie: a=1
		Set-Cookie: b=1; Domain=example.test
		> GET /
		Cookie: a=1; b=1`)
	list[0].Addr, list[1].Addr = "one.example.test:443", "two.example.test:443"
	if diff := cmp.Diff([]string{"b=1 1/header/set-cookie/b > 2/cookie/b"}, show(Bindings(list))); diff != "" {
		t.Error(diff)
	}
}

// TestCarrierWithin: what is filled in within a longer text is written as it was, and nothing else changes.
func TestCarrierWithin(t *testing.T) {
	const end = "\r\n\r\n"
	pack := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, c := range []struct {
		name, raw  string
		place      exchange.Place
		value, now string
		want       string
	}{
		{"XML text", "POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 27" + end + "<a>\n <b x='7'> 7 </b> 7</a>", "/body/a/b", "7", "<12>",
			"POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 36" + end + "<a>\n <b x='7'> &lt;12&gt; </b> 7</a>"},
		{"XML text with quotes", "POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 14" + end + `<a>"x" > 1</a>`, "/body/a", "x", `1'&">`,
			"POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 26" + end + `<a>"1&#39;&amp;">" > 1</a>`},
		{"XML attribute", "POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 27" + end + "<a>\n <b x='7'> 7 </b> 7</a>", "/body/a/b/@x", "7", "8'",
			"POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 32" + end + "<a>\n <b x='8&#39;'> 7 </b> 7</a>"},
		{"a multipart field", "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 72" + end + "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n7\r\n--b--\r\n", "/body/id", "7", "1234",
			"POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 63" + end + "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1234\r\n--b--\r\n"},
		{"Basic", "GET / HTTP/1.1\r\nAuthorization: basic " + pack("u:p") + end, "/header/authorization/basic/user", "u", "long",
			"GET / HTTP/1.1\r\nAuthorization: basic " + pack("long:p") + end},
		{"JSON in base64, padded and escaped", "GET /?c=eyJpZCI6N30%3D HTTP/1.1" + end, "/query/c/base64/id", "7", "8", "GET /?c=eyJpZCI6OH0%3D HTTP/1.1" + end},
		{"JSON in base64", "GET /?c=" + base64.RawURLEncoding.EncodeToString([]byte(`{"id":7,"n":7}`)) + " HTTP/1.1" + end, "/query/c/base64/id", "7", "8",
			"GET /?c=" + base64.RawURLEncoding.EncodeToString([]byte(`{"id":8,"n":7}`)) + " HTTP/1.1" + end},
		{"a piece that its name leads to", "GET /?f=n:7,id:7,m:7 HTTP/1.1" + end, "/query/f/id", "7", "a&b", "GET /?f=n:7,id:a%26b,m:7 HTTP/1.1" + end},
		{"a stem", "GET /o/7.7.json HTTP/1.1" + end, "/path/1/stem", "7.7", "8", "GET /o/8.json HTTP/1.1" + end},
		{"JSON in JSON", "POST / HTTP/1.1\r\nContent-Length: 20" + end + `{"a":"{\"b\":\"7\"}"}`, "/body/a/b", "7", `"`,
			"POST / HTTP/1.1\r\nContent-Length: 24" + end + `{"a":"{\"b\":\"\\\"\"}"}`},
		{"a URL in a query, escaped twice", "GET /?next=%2Fo%2F7%3Fx%3D7 HTTP/1.1" + end, "/query/next/path/1", "7", "a b", "GET /?next=%2Fo%2Fa%2520b%3Fx%3D7 HTTP/1.1" + end},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, text(carry(c.raw, c.place, c.value, c.now))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefusals: what is not bound says why.
func TestRefusals(t *testing.T) {
	list := script(t, `
		> GET /orders
		< 200
		=[{"id": 1}, {"id": 2}]
		> GET /orders/2
		> GET /things/`+uuid+`
		< 404
		> GET /things
		< 200
		=["`+uuid+`"]
		> GET /things/`+uuid+`
		> POST /users/3/orders
		< 201
		={"id": 1}
		> POST /users/4/orders
		< 201
		={"id": 1}
		> GET /pay?orderId=1
		> GET /users/4/pay?orderId=1`)
	b := NewBinder()
	for _, e := range list {
		b.Add(e)
	}
	got, n := b.Refusals()
	want := []Refusal{
		{Use: exchange.Ref{Seq: 2, Place: "/path/1"}, Value: "2", Producer: exchange.Ref{Seq: 1}, Reason: Broad},
		{Use: exchange.Ref{Seq: 5, Place: "/path/1"}, Value: uuid, Producer: exchange.Ref{Seq: 4}, Reason: Literal},
		{Use: exchange.Ref{Seq: 8, Place: "/query/orderId"}, Value: "1", Reason: Ambiguous},
	}
	if diff := cmp.Diff(want, got); diff != "" || n != len(want) {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"orderId=1 7/body/id > 9/query/orderId"}, show(b.Bindings())); diff != "" {
		t.Error(diff)
	}
}

package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// BenchmarkRest redacts an exchange whose answer is 3 MB of JSON: one in which every third member is a secret, and one
// that has none.
func BenchmarkRest(b *testing.B) {
	for name, member := range map[string]string{"secrets": `"token":"tok-abcdef-12345678"`, "none": `"kind":"article"`} {
		var body strings.Builder
		for i := 0; body.Len() < 3<<20; i++ {
			fmt.Fprintf(&body, `,{"id":%d,%s,"name":"someone %d"}`, i, member, i)
		}
		json := "[" + body.String()[1:] + "]"
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(json))
		e := &exchange.Exchange{
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nAuthorization: Bearer ABCDEFGHIJ12\r\n\r\n")}),
			Response: exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(json)}),
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(json)))
			for b.Loop() {
				NewRest([]byte("key"), nil).Exchange(e)
			}
		})
	}
}

package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// lines is an API that makes orders of three lines in any order, each with an id, and deletes the line a.
func lines(packed bool) world {
	return world{
		requests: []string{
			"POST /orders HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"q\":1}",
			"DELETE /lines/" + uuid(0, 2) + " HTTP/1.1\nHost: a",
		},
		answer: func(run, n int, _ time.Time) string {
			if n == 1 {
				return "HTTP/1.1 204 No Content\n"
			}
			var list []string
			for i := range 3 {
				k := (i + run) % 3
				list = append(list, fmt.Sprintf(`{"id":%q,"name":"%c"}`, uuid(run, 2+k), 'a'+k))
			}
			if run%2 == 1 {
				list[0], list[1] = list[1], list[0]
			}
			body := `{"lines":[` + strings.Join(list, ",") + `]}`
			if packed {
				return fmt.Sprintf(jsonHead+"Transfer-Encoding: chunked\n\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
			}
			return jsonHead + "\n" + body
		},
	}
}

// The id of an element that stands elsewhere now is that of this element, not of the one that stands in its place.
func TestIDsOfUnorderedElements(t *testing.T) {
	for _, packed := range []bool{false, true} {
		w := lines(packed)
		s, raw := w.learned(t)
		sent, shown := w.play(s, nil)
		if want := onWire(w.answer(0, 0, began(0))); !packed && shown[0] != want {
			t.Errorf("shown %q\nwant  %q", shown[0], want)
		}
		if !strings.HasPrefix(sent[1], "DELETE /lines/"+uuid(live, 2)+" ") {
			t.Errorf("a is %s, sent %q", uuid(live, 2), sent[1])
		}
		for i := 3; i < 5; i++ { // also where no binding says so
			other, _ := say(s, "GET /lines/"+uuid(0, i)+" HTTP/1.1\nHost: a", jsonHead+"\n{}")
			if !strings.HasPrefix(other, "GET /lines/"+uuid(live, i)+" ") {
				t.Errorf("%s is now %s, sent %q", uuid(0, i), uuid(live, i), other)
			}
		}
		if len(*raw) != 2 {
			t.Errorf("raw %q", *raw)
		}
	}
}

// An element that is gone has no id: that of another is no substitute.
func TestIDOfAnElementThatIsGone(t *testing.T) {
	w := lines(false)
	s, _ := w.learned(t)
	sent, _ := w.play(s, func(n int, answer string) string {
		if n > 0 {
			return answer
		}
		return jsonHead + "\n" + fmt.Sprintf(`{"lines":[{"id":%q,"name":"c"},{"id":%q,"name":"b"}]}`, uuid(live, 4), uuid(live, 3))
	})
	if !strings.HasPrefix(sent[1], "DELETE /lines/"+uuid(0, 2)+" ") {
		t.Errorf("sent %q", sent[1])
	}
}

// What a small id is now is shown as it was recorded where ids stand by their name, and nowhere else.
func TestSmallIDsByName(t *testing.T) {
	member, list, header := "\n{%q:%d}", "\n{%q:[3,%d]}", "%s: %d\n\n{}"
	for _, c := range []struct {
		forms string // what the names are put into
		names string
		ids   bool
	}{
		{member, "id ID _id orderId orderID order_id order-id uuId orderRef self selfLink imageURL", true},
		{member, "amountPaid paid PAID valid void bid grid number orderNumber key path curl amount", false},
		{list, "ids orderIds order_ids order-ids OrderIDs id links", true},
		{list, "sizes paid grids keys amounts", false},
		{header, "Location Content-Location Link ETag", true},
		{header, "X-Total-Count X-Order-Id Retry-After", false},
	} {
		for name := range strings.FieldsSeq(c.names) {
			w := world{
				requests: []string{"POST /orders HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"q\":1}", "GET /orders/3 HTTP/1.1\nHost: a"},
				answer: func(run, n int, _ time.Time) string {
					switch {
					case n == 0:
						return jsonHead + "\n" + fmt.Sprintf(`{"id":%d}`, 3+run)
					case run == live:
						return jsonHead + fmt.Sprintf(c.forms, name, 3+live)
					}
					return jsonHead + fmt.Sprintf(c.forms, name, 3)
				},
			}
			s, raw := w.learned(t)
			_, shown := w.play(s, nil)
			seen := live
			if c.ids {
				seen = 0
			}
			if want := onWire(w.answer(seen, 1, began(live))); shown[1] != want || c.ids != (len(*raw) == 0) {
				t.Errorf("%s: shown %q\nwant %q\nraw %q", name, shown[1], want, *raw)
			}
		}
	}
}

// What stands in a request is a day of the client's own, though an answer had the same; a moment that it took from an answer is
// carried over; and what no binding ties is nobody's.
func TestTimesInRequests(t *testing.T) {
	day, moment := "2026-03-01T00:00:00.000Z", stamp(began(0))
	book := func(from string) string {
		return "POST /book HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"from\":\"" + from + "\"}"
	}
	w := world{
		requests: []string{"POST /plan HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"q\":1}", book(day), book(moment)},
		answer: func(run, n int, at time.Time) string {
			if n == 0 {
				return jsonHead + "\n" + fmt.Sprintf(`{"day":%q,"at":%q,"compact":%q,"text":%q}`, stamp(at.Truncate(24*time.Hour)), stamp(at), at.Format("20060102150405"),
					"made "+uuid(run, 1)+" at "+stamp(at.Add(time.Second)))
			}
			return jsonHead + "\n{\"ok\":true}"
		},
	}
	s, raw := w.learned(t)
	sent, shown := w.play(s, nil)
	if want := onWire(w.answer(0, 0, began(0))); shown[0] != want || len(*raw) > 0 {
		t.Errorf("shown %q, raw %q", shown[0], *raw)
	}
	if !strings.Contains(sent[1], day) {
		t.Errorf("sent %q", sent[1])
	}
	if !strings.Contains(sent[2], stamp(began(live))) {
		t.Errorf("sent %q", sent[2])
	}
	if _, other := say(s, "GET /last HTTP/1.1\nHost: a", jsonHead+"\n{\"at\":\""+stamp(began(live))+"\"}"); !strings.Contains(other, moment) {
		t.Errorf("of the same moment in another answer the client sees %q", other)
	}
	for _, own := range []string{day, moment, began(0).Format("20060102150405"), stamp(began(0).Add(time.Second))} {
		if other, _ := say(s, "GET /slots?from="+own+" HTTP/1.1\nHost: a", jsonHead+"\n{}"); !strings.Contains(other, "from="+own+" ") {
			t.Errorf("of %s it sent %q", own, other)
		}
	}
}

// A number is shown as a number, or as it came.
func TestNumbersStayNumbers(t *testing.T) {
	digits := func(run int) string { return fmt.Sprintf("%015d", (run+1)*7654321987654) }
	w := world{
		requests: []string{"POST /t HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"q\":1}", "GET /n HTTP/1.1\nHost: a"},
		answer: func(run, n int, _ time.Time) string {
			if n == 0 {
				return jsonHead + "\n" + fmt.Sprintf(`{"ref":%q}`, digits(run))
			}
			return jsonHead + "\n{\"n\":1}"
		},
	}
	for _, request := range []string{"GET /other HTTP/1.1\nHost: a", w.requests[1]} {
		s, _ := w.learned(t)
		say(s, w.requests[0], w.answer(live, 0, began(live)))
		if _, shown := say(s, request, jsonHead+"\n{\"n\":"+digits(live)+"}"); !strings.HasSuffix(shown, "{\"n\":"+digits(live)+"}") {
			t.Errorf("shown %q", shown)
		}
	}
}

package portapi

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// booking is a berth that is asked for.
type booking struct {
	id, ref, berth, was, code string
	line, version             int
	made, changed, deleted    time.Time
}

// book puts a booking into the store: it gets the next number.
func (a *API) book(b *booking) {
	s := a.state
	s.numbers++
	b.id, b.version = fmt.Sprintf("BK-%06d", 1200+s.numbers), 1
	s.bookings[b.id], s.booked = b, append(s.booked, b)
}

func (a *API) bookingRoutes() []route {
	return []route{
		service.On("POST", "/bookings", a.createBooking),
		service.On("GET", "/bookings", a.listBookings),
		service.On("GET", "/bookings/{id}", a.getBooking),
		service.On("PATCH", "/bookings/{id}", a.changeBooking),
		service.On("DELETE", "/bookings/{id}", a.deleteBooking),
	}
}

func (a *API) createBooking(r *request) answer {
	in, bad := decode[struct {
		Berth string `json:"berth"`
		Line  int    `json:"line"`
		Ship  string `json:"ship"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Berth == "" || in.Ship == "" || in.Line < 1 || len(in.Berth) > 10 {
		return a.invalid(r, []rule{{"berth", "must be one of the port's"}, {"ship", "must be registered"},
			{"line", "must be positive"}, {"agent", "must be given"}, {"draft", "must be below 16 m"}})
	}
	if len(a.state.booked) >= maxEntries {
		return a.full(r)
	}
	b := &booking{ref: a.uuid4(), berth: in.Berth, was: in.Berth, line: in.Line, made: r.now, changed: r.now,
		code: a.draw(6, crockford)}
	a.book(b)
	t := tongueOf(r)
	v := a.bookingView(r, b)
	v["ship"], v["deposit"], v["free_cancellation"] = in.Ship, "1,250.00", "P2D"
	v["confirmation"] = "Booking " + b.id + " is confirmed."
	v["letter"] = "Vu le " + tongues()[2].write(tongues()[2].long, r.now) + ", à Marseille."
	v["pay_by"], v["pay_by_text"] = t.write(t.numeric, r.now.AddDate(0, 0, 7)), t.write(t.long, r.now.AddDate(0, 0, 7))
	v["log_line"] = "booking accepted ref=" + b.ref + " berth=" + b.berth
	v["receipt_sha256"], v["form_md5"] = sha(b.ref+b.code), "form md5 "+md5Of("booking form 2024.11")
	return service.Reply(http.StatusCreated, v).With("Location", "/bookings/"+b.id).With("Etag", `W/"1"`).
		With("X-Booking-Ref", b.ref)
}

// bookingView is what a booking shows wherever it is shown alone.
func (a *API) bookingView(r *request, b *booking) object {
	return object{
		"id": b.id, "ref": b.ref, "berth": b.berth, "line": b.line, "version": b.version, "gate_code": b.code,
		"created":      b.made.Format(time.RFC3339Nano),
		"created_text": b.made.Format("Monday, January 2, 2006 at 3:04 PM"), "invoice": b.made.Format("INV-20060102-") +
			fmt.Sprintf("%04d", b.line),
		"statement": b.made.Format("2006-01") + "/" + b.berth[:1],
		"agent": object{"name": "Delmas & Fils", "since": "(c) 1954",
			"vat": "FR40303265045", "founded": "22 novembre 1954"},
		"terms": "Port terms of 22/11/2019",
		"qr":    base64.StdEncoding.EncodeToString(service.Encode(object{"r": b.ref, "v": 1})),
		"seal":  sha("seal of " + b.ref)[:24], "last_booking_invoice": "INV-20251122-0007", "links": object{
			"self": r.absolute("/bookings/" + b.id), "terms": "/terms/2019-11"},
	}
}

// find returns the booking of the path; without one, the answer that says so.
func (a *API) find(r *request) (*booking, *answer) {
	b := a.state.bookings[r.params["id"]]
	if b == nil {
		bad := a.missing(r)
		return nil, &bad
	}
	if !b.deleted.IsZero() {
		bad := a.problem(r, http.StatusGone, "deleted", "The booking was canceled.", object{
			"deleted_at": b.deleted.Format(time.RFC850), "deleted_by": office, "retention": "P10Y",
			"booking": b.id, "purge_on": b.deleted.AddDate(0, 0, 90).Format("2 Jan 2006")})
		return nil, &bad
	}
	return b, nil
}

// getBooking reads a booking. What was changed may be read from a replica that does not know it yet.
func (a *API) getBooking(r *request) answer {
	b, bad := a.find(r)
	if bad != nil {
		return *bad
	}
	v, replica := a.bookingView(r, b), "r1"
	v["updated"], v["age_ms"] = b.changed.UnixMilli(), r.now.Sub(b.made).Milliseconds()
	v["created_ago"], v["state"] = ago(r.now.Sub(b.made)), "confirmed"
	lags := a.happens(service.Chance(a.dials.LagChance, 1.0/4))
	if b.version > 1 && lags {
		v["berth"], v["version"], v["updated"], replica = b.was, 1, b.made.UnixMilli(), "r2"
	}
	return service.Reply(http.StatusOK, v).With("Etag", fmt.Sprintf(`W/"%v"`, v["version"])).With("X-Replica", replica)
}

// listBookings lists the bookings that were made since the start, and counts all, those of an earlier client too.
func (a *API) listBookings(r *request) answer {
	list, total := []object{}, 0
	for _, b := range a.state.booked {
		if b.deleted.IsZero() {
			total++
		}
		if b.deleted.IsZero() && !b.made.Before(a.started) && len(list) < 50 {
			list = append(list, object{"id": b.id, "ref": b.ref, "berth": b.berth, "since": ago(r.now.Sub(b.made))})
		}
	}
	last := fmt.Sprintf("BK-%06d", 1200+a.state.numbers)
	cursor := base64.URLEncoding.EncodeToString(service.Encode(object{"after": last, "limit": 50}))
	return service.Reply(http.StatusOK, object{
		"bookings": list, "listed": len(list), "total": total, "last": last, "cursor": cursor, "page_size": 50,
		"next": r.absolute("/bookings?page=2"), "exported": r.now.Format("20060102T150405.000Z"), "sort": "created",
		"season": "2026/2027", "title": r.now.Format("Bookings of Monday, 2 January 2006"),
	}).With("X-Total-Count", fmt.Sprint(total))
}

// changeBooking changes the berth of a booking whose version the client knows.
func (a *API) changeBooking(r *request) answer {
	b, bad := a.find(r)
	if bad != nil {
		return *bad
	}
	if match := r.Header.Get("If-Match"); match == "" {
		return a.problem(r, http.StatusPreconditionRequired, "if-match", "If-Match is missing.")
	} else if match != fmt.Sprintf(`W/"%d"`, b.version) {
		return a.problem(r, http.StatusPreconditionFailed, "if-match", "The booking was changed.", object{
			"current": b.version, "changed_at": b.changed.Format(time.StampMicro)})
	}
	in, bad := decode[struct {
		Berth string `json:"berth"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Berth == "" || len(in.Berth) > 10 {
		return a.invalid(r, []rule{{"berth", "must be one of the port's"}})
	}
	b.was, b.berth, b.changed = b.berth, in.Berth, r.now
	b.version++
	return service.Reply(http.StatusOK, object{
		"id": b.id, "ref": b.ref, "berth": b.berth, "was": b.was, "version": b.version,
		"previous_etag": r.Header.Get("If-Match"),
		"updated":       b.changed.UnixMilli(), "changes": []string{"berth"}, "fee": "45.00",
		"seal":      sha("seal of " + b.ref)[:24],
		"change_id": "chg_" + a.draw(16, letters+digits), "valid_from": r.now.AddDate(0, 0, 1).Format("Monday, Jan 2"),
		"history": fmt.Sprintf("%d changes since %s", b.version-1, b.made.Format("02/01/06")),
	}).With("Etag", fmt.Sprintf(`W/"%d"`, b.version))
}

func (a *API) deleteBooking(r *request) answer {
	b, bad := a.find(r)
	if bad != nil {
		return *bad
	}
	b.deleted = r.now
	return service.Empty(http.StatusNoContent).With("X-Audit-Id", "aud-"+a.hex(10)).With("X-Retention", "P10Y")
}

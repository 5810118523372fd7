package demoapi

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// order is a purchase. It is pending for the first third of its life, then running, then finished: by the clock, since
// nobody works on it.
type order struct {
	id, number, note string
	owner            *account
	created          time.Time
	life             time.Duration
	lines            []line
	cents            int
}

// orders is the store of orders and invoices.
type orders struct {
	byID     map[string]*order
	list     []*order // in the order of their making
	numbered int
	invoices map[int]invoice
}

// The seed account's old order, and the number of its invoice.
const (
	seedOrderID = "5eed0a0d-7c3b-4f19-9a6e-2d4c8b1f0e73"
	seedInvoice = 1041
)

// newOrders returns the store with one finished order of an account in it.
func newOrders(owner *account) orders {
	o := &order{
		id: seedOrderID, number: "A-1000", note: "The first one.", owner: owner, life: time.Hour, cents: 5785,
		created: time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC), lines: []line{{1, 1}, {3, 1}},
	}
	return orders{
		byID:     map[string]*order{o.id: o},
		list:     []*order{o},
		invoices: map[int]invoice{seedInvoice: {seedInvoice, o.id, o.cents, "2026-02-28", "30 days net", owner}},
	}
}

func (a *API) orderRoutes() []route {
	return []route{
		service.On("POST", "/orders", a.createOrder),
		service.On("GET", "/orders", a.listOrders),
		service.On("GET", "/orders/{id}", a.getOrder),
		service.On("DELETE", "/orders/{id}", a.cancelOrder),
		service.On("GET", "/orders/{id}/events", a.orderEvents),
		service.On("POST", "/invoices", a.createInvoice),
		service.On("GET", "/invoices/{number}", a.getInvoice),
	}
}

// event is a step in an order's life.
type event struct {
	Type string `json:"type"`
	At   string `json:"at"`
}

// events returns what has happened to the order by now.
func (o *order) events(now time.Time) []event {
	steps := []event{{"pending", nanos(o.created)}}
	for _, next := range []struct {
		state string
		after time.Duration
	}{{"running", o.life / 3}, {"finished", o.life}} {
		if at := o.created.Add(next.after); !now.Before(at) {
			steps = append(steps, event{next.state, nanos(at)})
		}
	}
	return steps
}

// orderView is an order as its owner sees it. What has not happened yet is not there.
type orderView struct {
	ID         string `json:"id"`
	Number     string `json:"number"`
	State      string `json:"state"`
	CreatedAt  string `json:"createdAt"`
	StartedAt  string `json:"startedAt,omitempty"`
	FinishedAt string `json:"finishedAt,omitempty"`
	Progress   int    `json:"progressPercent"`
	Items      []line `json:"items"`
	Total      int    `json:"totalCents"`
	Note       string `json:"note"`
}

func (o *order) view(now time.Time) orderView {
	steps := o.events(now)
	v := orderView{
		ID: o.id, Number: o.number, State: steps[len(steps)-1].Type, CreatedAt: steps[0].At,
		Items: o.lines, Total: o.cents, Note: o.note,
	}
	if len(steps) > 1 {
		v.StartedAt = steps[1].At
	}
	if len(steps) > 2 {
		v.FinishedAt = steps[2].At
	}
	if o.life > 0 {
		v.Progress = int(100 * min(1, max(0, now.Sub(o.created).Seconds()/o.life.Seconds())))
	}
	return v
}

// orderInput is what an order is made of.
type orderInput struct {
	Items []line `json:"items"`
	Note  string `json:"note"`
}

func (a *API) createOrder(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	in, bad := decode[orderInput](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.check(len(in.Items) >= 1 && len(in.Items) <= 20, "items", ruleRange, 1, 20)
	v.check(fits(in.Note, 0, 200), "note", ruleLength, 0, 200)
	for _, l := range in.Items {
		v.checkLine(&a.state.catalogue, l)
	}
	if len(v.list) > 0 {
		return v.answer()
	}
	s := &a.state.orders
	if s.numbered >= maxEntries {
		return full()
	}
	s.numbered++
	o := &order{
		id: a.uuid(), number: fmt.Sprintf("A-%d", 1000+s.numbered), note: in.Note, owner: x, created: a.now(),
		life: a.dials.orderLife(), lines: in.Items, cents: a.state.catalogue.total(in.Items),
	}
	s.byID[o.id] = o
	s.list = append(s.list, o)
	a.note("order placed")
	return a.tagged(service.Reply(http.StatusAccepted, struct {
		orderView
		StatusURL string `json:"statusUrl"`
		ReadyAt   int64  `json:"readyAtMillis"`
	}{o.view(o.created), "/orders/" + o.id, o.created.Add(o.life).UnixMilli()})).
		With("Location", "/orders/"+o.id).With("Retry-After", "1")
}

// tagged marks an answer with an id of its own, as gateways do.
func (a *API) tagged(ans answer) answer { return ans.With("X-Request-Id", a.hex(8)) }

// order returns the order of the path, if it is the caller's.
func (a *API) order(r *request) (*order, *answer) {
	x, bad := a.caller(r)
	if bad != nil {
		return nil, bad
	}
	o := a.state.orders.byID[r.param()]
	if o == nil || o.owner != x {
		missing := notFound()
		return nil, &missing
	}
	return o, nil
}

func (a *API) listOrders(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	views, now := []orderView{}, a.now()
	for _, o := range a.state.orders.list {
		if o.owner == x && len(views) < 50 {
			views = append(views, o.view(now))
		}
	}
	return a.tagged(service.Reply(http.StatusOK, struct {
		Orders []orderView `json:"orders"`
		Count  int         `json:"count"`
	}{views, len(views)}))
}

func (a *API) getOrder(r *request) answer {
	o, bad := a.order(r)
	if bad != nil {
		return *bad
	}
	return a.tagged(service.Reply(http.StatusOK, o.view(a.now())))
}

func (a *API) orderEvents(r *request) answer {
	o, bad := a.order(r)
	if bad != nil {
		return *bad
	}
	return a.tagged(service.Reply(http.StatusOK, struct {
		Order  string  `json:"orderId"`
		Events []event `json:"events"`
	}{o.id, o.events(a.now())}))
}

// cancelOrder removes an order. It does so in every state, so that its status does not hang on the clock.
func (a *API) cancelOrder(r *request) answer {
	o, bad := a.order(r)
	if bad != nil {
		return *bad
	}
	if o.id == seedOrderID {
		return fail(http.StatusConflict, "kept", "The order has been billed.")
	}
	s := &a.state.orders
	delete(s.byID, o.id)
	for i, x := range s.list {
		if x == o {
			s.list = append(s.list[:i:i], s.list[i+1:]...)
			break
		}
	}
	return service.Empty(http.StatusNoContent)
}

// invoice bills an order. Its number is a small integer from a counter that no reset brings back.
type invoice struct {
	Number  int    `json:"number"`
	OrderID string `json:"orderId"`
	Total   int    `json:"totalCents"`
	Due     string `json:"dueOn"`
	Terms   string `json:"terms"`

	owner *account
}

func (a *API) createInvoice(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	in, bad := decode[struct {
		OrderID string `json:"orderId"`
	}](r)
	if bad != nil {
		return *bad
	}
	o := a.state.orders.byID[in.OrderID]
	if o == nil || o.owner != x {
		return notFound()
	}
	if len(a.state.orders.invoices) >= maxEntries {
		return full()
	}
	a.lasting.invoices++
	bill := invoice{a.lasting.invoices, o.id, o.cents, a.now().UTC().AddDate(0, 0, 30).Format(time.DateOnly),
		"30 days net", x}
	a.state.orders.invoices[bill.Number] = bill
	a.note("invoice issued")
	return service.Reply(http.StatusCreated, bill).With("Location", "/invoices/"+strconv.Itoa(bill.Number))
}

func (a *API) getInvoice(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	number, ok := r.id()
	bill, there := a.state.orders.invoices[number]
	if !ok || !there || bill.owner != x {
		return notFound()
	}
	return service.Reply(http.StatusOK, bill)
}

// Tariffs sells electricity: what an hour costs, what a meter counted, what the next day brings, and contracts.
//
// Prices come from a power exchange, meters are the grid operator's, the weather is a weather service's, and an agency
// says who pays.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	attempts = 3
	pageSize = 3
)

// zones are the zones that power is sold in, each with the place whose weather is looked at.
var zones = map[string]string{"DE1": "lat=52.5&lon=13.4", "DE2": "lat=48.1&lon=11.6", "NO1": "lat=59.9&lon=10.8"}

// refusal is an answer that is no success.
type refusal struct {
	status  int
	message string
	header  http.Header
	more    map[string]any
}

func (r *refusal) Error() string { return r.message }

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, message: fmt.Sprintf(format, args...), header: http.Header{}}
}

type object map[string]any

type app struct {
	bases  map[string]string
	mended []string
	client *http.Client
	limit  time.Duration // of each call

	mu        sync.Mutex
	days      map[string]day // prices by zone
	contracts int
}

func (a *app) isMended(bug string) bool { return slices.Contains(a.mended, bug) }

// GET /tariffs/{zone}
func (a *app) tariff(r *http.Request) (int, any, error) {
	zone := r.PathValue("zone")
	if zones[zone] == "" {
		return 0, nil, refuse(http.StatusNotFound, "no such zone")
	}
	a.mu.Lock()
	d, known := a.days[zone]
	a.mu.Unlock()
	source := "cache"
	if !known {
		var err error
		if d, err = a.prices(r.Context(), zone); err != nil {
			return 0, nil, err
		}
		source = "exchange"
		a.mu.Lock()
		a.days[zone] = d
		a.mu.Unlock()
	}
	if len(d.hours) == 0 && a.isMended("hours-empty") {
		return 0, nil, refuse(http.StatusBadGateway, "spot sent no hours")
	}
	level := "normal"
	if d.average < 50 {
		level = "low"
	} else if d.average > 200 {
		level = "high"
	}
	out := object{"zone": zone, "level": level, "average": d.average, "cheapest_hour": d.cheapest().Hour, "source": source,
		"complete": len(d.hours) >= 24, "converted": d.converted}
	if d.negative > 0 {
		out["negative_hours"] = d.negative
	}
	return http.StatusOK, out, nil
}

// GET /meters/{id}
func (a *app) showMeter(r *http.Request) (int, any, error) {
	id := r.PathValue("id")
	m, err := a.meterOf(r.Context(), id)
	out := object{}
	for n := 0; err == nil && m.State == "replaced"; n++ {
		if a.isMended("replaced-null") && m.ReplacedBy == nil {
			return 0, nil, refuse(http.StatusBadGateway, "grid does not say what replaces %s", id)
		}
		if a.isMended("replaced-loop") && n == 5 {
			return 0, nil, refuse(http.StatusBadGateway, "grid replaces %s again and again", id)
		}
		out["was"] = id
		m, err = a.meterOf(r.Context(), *m.ReplacedBy)
	}
	if err != nil {
		return 0, nil, err
	}
	out["id"], out["supply"] = m.ID, "on"
	if m.State == "suspended" {
		out["supply"] = "off"
	}
	if m.Phases == 3 {
		out["heat_pump"] = true
	}
	return http.StatusOK, out, nil
}

// GET /meters/{id}/usage
func (a *app) usage(r *http.Request) (int, any, error) {
	id, out := r.PathValue("id"), object{"complete": true}
	count, estimated, retries, kwh, last := 0, 0, 0, 0.0, 0.0
	for pages := 1; ; pages++ {
		p, again, err := a.readings(r.Context(), id, count)
		retries += again
		if err != nil && count == 0 {
			return 0, nil, err
		}
		if err != nil {
			log.Printf("usage of %s is cut short: %v", id, err)
			out["complete"] = false
			break
		}
		for _, item := range p.Items {
			if item.Quality == "estimated" {
				estimated++
			}
			if count > 0 && item.KWh < last {
				out["warning"] = "the meter turned back"
			} else if count > 0 {
				kwh += item.KWh - last
			}
			last = item.KWh
			count++
		}
		if count >= p.Total {
			break
		}
		if a.isMended("total-unreached") && (len(p.Items) == 0 || pages == 10) {
			out["complete"] = false
			break
		}
	}
	out["readings"], out["kwh"], out["retries"] = count, kwh, retries
	if estimated > 0 {
		out["estimated"] = estimated
	}
	if count == 0 {
		out["note"] = "no readings"
	}
	return http.StatusOK, out, nil
}

// GET /forecast/{zone}
func (a *app) forecast(r *http.Request) (int, any, error) {
	zone := r.PathValue("zone")
	if zones[zone] == "" {
		return 0, nil, refuse(http.StatusNotFound, "no such zone")
	}
	out := object{"zone": zone, "basis": "weather and prices"}
	noWeather := a.outlook(r.Context(), zone, out)
	d, noPrices := a.prices(r.Context(), zone)
	if noPrices == nil && len(d.hours) == 0 {
		noPrices = refuse(http.StatusBadGateway, "spot sent no hours")
	}
	switch {
	case noWeather != nil && noPrices != nil:
		return 0, nil, refuse(http.StatusServiceUnavailable, "there is nothing to go by")
	case noWeather != nil:
		out["basis"] = "prices"
	case noPrices != nil:
		out["basis"] = "weather"
	}
	if noPrices == nil {
		var byHour [24]float64
		for _, h := range d.hours {
			if a.isMended("hour-range") && (h.Hour < 0 || h.Hour > 23) {
				continue // the hour that a day has more in autumn
			}
			byHour[h.Hour] = h.Price
		}
		out["prices"], out["advice"] = byHour, "any time"
		if h := d.cheapest(); h.Price < d.average-20 {
			out["advice"] = "wait for hour " + strconv.Itoa(h.Hour)
		}
	}
	return http.StatusOK, out, nil
}

// POST /contracts
func (a *app) contract(r *http.Request) (int, any, error) {
	var order struct{ Meter, Name, Plan string }
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&order); err != nil || order.Meter == "" || order.Name == "" {
		return 0, nil, refuse(http.StatusBadRequest, "a contract needs meter and name")
	}
	m, err := a.meterOf(r.Context(), order.Meter)
	var no *refusal
	if errors.As(err, &no) && no.status == http.StatusNotFound {
		return 0, nil, refuse(http.StatusUnprocessableEntity, "no such meter")
	}
	if err != nil {
		return 0, nil, err
	}
	if m.State == "suspended" {
		return 0, nil, refuse(http.StatusConflict, "the meter is suspended")
	}
	v, tries, err := a.check(r.Context(), order.Name)
	if err != nil {
		return 0, nil, err
	}
	out := object{"plan": order.Plan, "decision": v.Decision, "attempts": tries}
	switch v.Decision {
	case "reject":
		no := refuse(http.StatusForbidden, "no contract for this customer")
		no.more = object{"reasons": v.Reasons}
		return 0, nil, no
	case "review":
		return http.StatusAccepted, out, nil
	case "no record":
		out["deposit"] = 300
	case "accept", "unchecked":
		if v.Score < 60 {
			out["deposit"] = 150
		}
	default:
		if a.isMended("decision-unknown") {
			return 0, nil, refuse(http.StatusBadGateway, "credit sent an unknown decision")
		}
	}
	if order.Plan == "dynamic" {
		if _, err := a.prices(r.Context(), "DE1"); err != nil {
			log.Printf("contract without prices: %v", err)
			out["plan"], out["switch_later"] = "fixed", true
		}
	}
	a.mu.Lock()
	a.contracts++
	out["contract"] = fmt.Sprintf("C-%d", a.contracts)
	a.mu.Unlock()
	return http.StatusCreated, out, nil
}

func (a *app) reset(*http.Request) (int, any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.days, a.contracts = map[string]day{}, 0
	return http.StatusOK, object{"reset": true}, nil
}

func write(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		log.Printf("write answer: %v", err)
		status, data = http.StatusInternalServerError, []byte(`{"error":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(data)
}

// endpoint answers with what a function returns, or with what stopped it.
func endpoint(f func(*http.Request) (int, any, error), stopped func(r *http.Request, why any) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if why := recover(); why != nil {
				log.Printf("%s %s: panic: %v\n%s", r.Method, r.URL, why, debug.Stack())
				write(w, http.StatusInternalServerError, stopped(r, why))
			}
		}()
		status, body, err := f(r)
		var no *refusal
		switch {
		case errors.As(err, &no):
			for name, values := range no.header {
				w.Header()[name] = values
			}
			out := object{"error": no.message}
			for name, value := range no.more {
				out[name] = value
			}
			if no.status >= 500 {
				log.Printf("%s %s: %v", r.Method, r.URL, no)
			}
			write(w, no.status, out)
		case err != nil:
			log.Printf("%s %s: %v", r.Method, r.URL, err)
			write(w, http.StatusInternalServerError, object{"error": "internal error"})
		default:
			write(w, status, body)
		}
	}
}

func quiet(*http.Request, any) any { return object{"error": "internal error"} }

// verbose says where the program stopped: of use while the meters were built.
func verbose(_ *http.Request, why any) any {
	return object{"error": fmt.Sprint(why), "stack": string(debug.Stack())}
}

func newApp() *app {
	a := &app{
		bases: map[string]string{
			"spot":    "https://spot.powerexchange.example",
			"grid":    "http://203.0.113.40:8600",
			"weather": "http://weather.meteo.example:8088",
			"credit":  "https://api.scorecheck.example",
		},
		mended: strings.Split(os.Getenv("MEND"), ","),
		client: &http.Client{},
		limit:  2 * time.Second,
	}
	for pair := range strings.SplitSeq(os.Getenv("SERVICES"), ",") {
		if name, base, ok := strings.Cut(pair, "="); ok {
			a.bases[name] = base
		}
	}
	if seconds, err := strconv.ParseFloat(os.Getenv("TIMEOUT"), 64); err == nil {
		a.limit = time.Duration(seconds * float64(time.Second))
	}
	a.reset(nil)
	return a
}

func main() {
	port := flag.String("port", os.Getenv("PORT"), "the port to listen on")
	flag.Parse()
	a := newApp()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, object{"status": "up"}) })
	mux.HandleFunc("POST /reset", endpoint(a.reset, quiet))
	mux.HandleFunc("GET /tariffs/{zone}", endpoint(a.tariff, quiet))
	mux.HandleFunc("GET /meters/{id}", endpoint(a.showMeter, verbose))
	mux.HandleFunc("GET /meters/{id}/usage", endpoint(a.usage, quiet))
	mux.HandleFunc("GET /forecast/{zone}", endpoint(a.forecast, quiet))
	mux.HandleFunc("POST /contracts", endpoint(a.contract, quiet))
	listener, err := net.Listen("tcp", "127.0.0.1:"+*port)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("tariffs listens on %s", *port)
	log.Fatal(http.Serve(listener, mux))
}

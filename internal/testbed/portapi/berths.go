package portapi

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// berthNames are where ships lie.
func berthNames() []string { return []string{"B1", "B2", "B3", "B4", "B5", "B6", "B7"} }

func (a *API) berthRoutes() []route {
	return []route{
		service.On("GET", "/berths", a.listBerths),
		service.On("OPTIONS", "/berths", func(*request) answer {
			methods := shuffled(a, []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH"})
			return service.Empty(http.StatusNoContent).With("Allow", "GET, HEAD, OPTIONS").
				With("Access-Control-Allow-Methods", strings.Join(methods, ", ")).With("Access-Control-Max-Age", "86400")
		}),
		service.On("GET", "/berths/{berth}/now", a.berthNow),
	}
}

// tide is the height of the water in meters, by the moon and so by the clock.
func tide(t time.Time) float64 {
	return round(2.1+1.7*math.Sin(float64(t.UnixMilli())/1000*2*math.Pi/44712), 6)
}

// listBerths lists the berths in the order of a hash map. Ships of an earlier client lie in some of them.
func (a *API) listBerths(r *request) answer {
	list := []object{}
	for i, name := range berthNames() {
		list = append(list, object{"berth": name, "depth_m": 14.5 + float64(i)/2, "length_m": 300 + 20*i,
			"crane": fmt.Sprintf("STS-0x%02X", 16+i), "dredged": fmt.Sprintf("%02d/11/2022", 10+i),
			"beacon": fmt.Sprintf("b8:27:eb:00:11:%02x", 170+i)})
	}
	names := shuffled(a, berthNames())
	return service.Reply(http.StatusOK, object{
		"berths": shuffled(a, list), "count": len(list), "occupied": a.state.occupied, "free": len(list) - a.state.occupied,
		"names": "berths: " + strings.Join(names, ", "), "tide_m": tide(r.now), "as_of": r.now.UnixMilli(),
		"quays":       []string{"north", "east", "south"},
		"pilots":      shuffled(a, []string{"Ahn", "Bakker", "Çelik", "Duarte", "Eze", "Fonseca"}),
		"chart":       "INT 1906, 22 Nov 2019",
		"bollard_ids": []int{1699999999, 1700000000, 1700000001}, "currency": "EUR",
	}).With("X-Features", strings.Join(shuffled(a, []string{"ais", "cranes", "pilots", "reefers", "tugs", "vhf"}), ", ")).
		With("Vary", "Accept, Accept-Language").With("X-Dataset-Version", "2024.11")
}

// berthNow says how things are at one berth: what follows the hour, the week's end, the month's end, and the wind.
func (a *API) berthNow(r *request) answer {
	number := strings.Index(strings.Join(berthNames(), ""), r.params["berth"])
	if len(r.params["berth"]) != 2 || number < 0 || number%2 != 0 {
		return a.missing(r)
	}
	tariff, surcharge, gate := "day", "none", "open 06:00-22:00"
	if h := r.now.Hour(); h < 6 || h >= 16 {
		tariff = "night"
	}
	if lastOfMonth(r.now) {
		surcharge = "month-end closing 15.00"
	}
	if !workday(r.now) {
		gate = "closed"
	}
	load := 0.0
	for _, x := range shuffled(a, []float64{0.1, 0.2, 0.3, 1e-3, 0.7, 1.0 / 3, 2.0 / 7}) {
		load += x
	}
	return service.Reply(http.StatusOK, object{
		"berth": r.params["berth"], "tariff": tariff, "surcharge": surcharge, "gate": gate, "tide_m": tide(r.now),
		"wind":  object{"speed_kn": a.about(14, 5, 1), "text": fmt.Sprintf("SW %d kn", 10+a.rng.IntN(15)), "limit_kn": 38},
		"shift": fmt.Sprintf("shift of %02d:00", r.now.Hour()/6*6), "load": load, "nominal_load": 0.30000000000000004,
		"measured": r.now.Format("2006-01-02 15:04:05.000000"), "sensor": "QW-7f3a@berth", "calibrated": "22 Nov 24",
		"next_check": r.now.AddDate(0, 1, 0).Format("January 2006"), "interval_s": 30,
		"weekday_rule": "Saturday and Sunday closed",
		"lamp_on":      r.now.Hour() >= 15, "stamp_hex": fmt.Sprintf("%x", r.now.UnixMicro()), "sample": a.rng.Uint32(),
		"until_midnight_s": round(86400-math.Mod(float64(r.now.UnixMicro())/1e6, 86400), 3),
		"day_of_week":      int(r.now.Weekday()),
	})
}

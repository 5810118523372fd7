package portapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) scheduleRoutes() []route {
	return []route{service.On("GET", "/schedule", a.schedule), service.On("GET", "/ui", a.ui),
		service.On("GET", "/feed", a.feed)}
}

// schedule is the ferry's: by the hour, by the day, by the week's end, by the month's end.
func (a *API) schedule(r *request) answer {
	table, times := "workday", []string{"06:00", "10:00", "14:00", "18:00", "22:00"}
	if !workday(r.now) {
		table, times = "weekend", []string{"09:00", "15:00"}
	}
	next := r.now.Truncate(time.Hour).Add(time.Hour)
	monday := r.now.Truncate(24*time.Hour).AddDate(0, 0, -int(r.now.Weekday()+6)%7)
	endOfMonth := time.Date(r.now.Year(), r.now.Month()+1, 0, 0, 0, 0, 0, time.UTC)
	return service.Reply(http.StatusOK, object{
		"table": table, "times": times, "valid_on": r.now.Format("02-Jan-2006"), "next_bus": next.Format("15:04"),
		"week_of": monday.Format("January 2"), "inventory": lastOfMonth(r.now), "month_ends": endOfMonth.Format("2006-01-02"),
		"bus_in_s": round(next.Sub(r.now).Seconds(), 3), "bus_every": "PT1H",
		"days":        []string{"Monday", "Tuesday", "Wednesday"},
		"first_ferry": "06:00", "sunday_service": "See you on Sunday at 09:00", "weekday": r.now.Format("Mon"),
		"window": object{"from": r.now.AddDate(0, 0, -7).Format("01/02/06"), "to": r.now.Format("01/02/06"), "length": "P7D"},
		"stops": []object{{"name": "Quai Nord", "at": "06:12", "code": "2019112207"}, {"name": "Terminal 2", "at": "06:25",
			"code": "2019112208"}}, "holidays": []string{"2026-12-25", "2027-01-01", "25 December"},
		"day_of_year": r.now.YearDay(),
		"edition":     "Summer 2025", "greeting": tongues()[0].greeting(r.now) + ", passengers!",
		"seats":     180,
		"line_open": "5 minutes before departure",
	}).With("Expires", r.now.Truncate(24*time.Hour).AddDate(0, 0, 1).Format(http.TimeFormat)).
		With("X-Timetable", "T-2025-06").With("Cache-Control", "max-age=60")
}

// feed is a stream of events that ends at once: the tide now, and an alarm of long ago.
func (a *API) feed(r *request) answer {
	return service.Typed(http.StatusOK, "text/event-stream", fmt.Appendf(nil,
		"retry: 3000\n\nid: 1574413200000\nevent: alarm\ndata: {\"at\":\"22/11/2019 09:00\",\"level\":2}\n\n"+
			"id: %d\nevent: tide\ndata: {\"tide_m\":%v,\"station\":\"FRMRS\"}\n\n", r.now.UnixMilli(), tide(r.now))).
		With("Cache-Control", "no-cache").With("X-Accel-Buffering", "no")
}

// ui is what the page of the port is built by: one client has one bucket, one answer in ten has the new banner.
func (a *API) ui(r *request) answer {
	theme, banner := "classic", any(nil)
	if sha(r.Header.Get("X-Client-Id"))[0]%2 == 0 {
		theme = "modern"
	}
	if a.rarely(0.1) {
		banner = "Try the new planner!"
	}
	flags := shuffled(a, []string{"dark-mode", "eta-v2", "map-3d", "quick-book", "tides"})
	return service.Reply(http.StatusOK, object{
		"theme": theme, "banner": banner, "flags": flags, "flags_text": fmt.Sprint(flags),
		"client": r.Header.Get("X-Client-Id"),
		"asset":  "app.9f8b2a54.js", "asset_sri": "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "build": "2024.11.3",
		"render_ms": round(float64(a.took(r).Nanoseconds())/1e6, 6), "font": "Atkinson 0x10",
		"menu": []string{"Berths", "Crew", "Log"},
		"sale": a.happens(0.5), "footer": r.now.Format("Copyright 2006 Harbour One"), "slogan": "Since 1954, every Sunday.",
		"weather_url": "/sensors/q1?t=" + fmt.Sprint(r.now.UnixMilli()), "session_hint": a.draw(8, letters),
		"locale": "en-US",
	}).With("X-Variant", theme).With("Server-Timing", fmt.Sprintf("app;dur=%.6f", float64(a.took(r).Nanoseconds())/1e6))
}

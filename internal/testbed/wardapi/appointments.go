package wardapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// appointment is a time that somebody has with a doctor.
type appointment struct {
	id, slot string
	begins   time.Time
}

func slots() []string { return []string{"08:00", "08:20", "08:40", "09:00"} }

func (a *API) appointmentRoutes() []route {
	return []route{
		service.On("GET", "/sprechstunde", a.listSlots),
		service.On("POST", "/termine", a.book),
		service.On("GET", "/termine/{termin}", a.getAppointment),
		service.On("DELETE", "/termine/{termin}", a.cancel),
	}
}

func (a *API) listSlots(r *request) answer {
	list := []object{}
	for i, s := range slots() {
		list = append(list, object{"von": s, "arzt": []string{"Dr. Huß", "Dr. Weiß"}[i%2], "dauer": "PT20M",
			"raum": fmt.Sprintf("B.%d07", i)})
	}
	name, _ := shift(r.now)
	return service.Reply(http.StatusOK, object{
		"datum": r.now.Format(germanDate), "kw": isoWeek(r.now), "wochentag": weekday(r.now), "zeiten": list, "schicht": name,
		"geoeffnet": "08:00-16:00", "seit": "1998-04-01", "tag_im_jahr": r.now.YearDay(), "fax": "+49 30 4505 9999",
	})
}

// book gives the next appointment of tomorrow at the time asked for.
func (a *API) book(r *request) answer {
	s := a.session(r)
	if s == nil {
		return a.noSession(r)
	}
	if r.Header.Get("X-CSRF-Token") != s.csrf {
		return a.problem(r, http.StatusForbidden, "csrf", "Das CSRF-Token fehlt oder ist falsch.")
	}
	in, bad := decode[struct {
		Slot string `json:"von"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if !slices.Contains(slots(), in.Slot) {
		return a.problem(r, http.StatusConflict, "zeit", "Zu dieser Zeit ist keine Sprechstunde.")
	}
	if len(a.state.appointments) >= maxEntries {
		return a.full(r)
	}
	at, _ := time.Parse("15:04", in.Slot)
	day := r.now.AddDate(0, 0, 1)
	x := &appointment{a.nanoID(), in.Slot, time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(),
		0, 0, time.UTC)}
	a.state.appointments[x.id] = x
	a.note(r, "termin")
	return service.Reply(http.StatusCreated, x.view(r.now)).With("Location", "/termine/"+x.id).With("X-Frist",
		x.begins.Format(http.TimeFormat))
}

func (x *appointment) view(now time.Time) object {
	return object{
		"termin": x.id, "von": x.slot, "am": x.begins.Format(germanDate), "beginn_epoch": epochText(x.begins),
		"kw_tag": isoWeekday(x.begins),
		"in_ms":  x.begins.Sub(now).Milliseconds(), "noch": isoDuration(x.begins.Sub(now)), "arzt": "Dr. Huß",
		"dauer":      "PT20M",
		"erinnerung": fmt.Sprintf("Ihr Termin ist am %s, dem %s.", weekday(x.begins), x.begins.Format(germanDate)),
		"ical": strings.Join([]string{"BEGIN:VCALENDAR", "PRODID:-//Klinik//7.3.1//DE", "BEGIN:VEVENT",
			"UID:sprechstunde@klinik.example",
			"DTSTAMP:" + now.Format("20060102T150405Z"), "SUMMARY:Sprechstunde", "END:VEVENT", "END:VCALENDAR"}, "\r\n"),
	}
}

func (a *API) getAppointment(r *request) answer {
	x := a.state.appointments[r.params["termin"]]
	if x == nil {
		return a.missing(r)
	}
	return service.Reply(http.StatusOK, x.view(r.now))
}

func (a *API) cancel(r *request) answer {
	if a.state.appointments[r.params["termin"]] == nil {
		return a.missing(r)
	}
	delete(a.state.appointments, r.params["termin"])
	return service.Empty(http.StatusNoContent)
}

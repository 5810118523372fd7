package portapi

import (
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) sensorRoutes() []route {
	return []route{service.On("GET", "/sensors/{quay}", a.sensors)}
}

// sensors are those of a quay: each has a fault of its own, from one in a thousand answers to one in two.
func (a *API) sensors(r *request) answer {
	quay := r.params["quay"]
	if quay != "q1" && quay != "q2" {
		return a.missing(r)
	}
	if a.rarely(0.02) {
		return a.problem(r, http.StatusServiceUnavailable, "gateway", "The gateway is busy.", object{"quay": quay,
			"gateway": "gw-7f3a"}).With("Retry-After", "2")
	}
	o := object{"quay": quay, "gateway": "gw-7f3a", "gate": "closed", "bell": nil, "faults": 0, "lamp": "ok",
		"crane":  false,
		"reefer": "-18.0", "trucks": []string{"T1", "T2"}, "wind": "calm", "tide_gate": "up", "ice": 0, "radar": "0x1f",
		"installed": "22 Nov 19", "firmware": "2024.11", "poll": "PT5S", "thresholds": []float64{0.1, 0.25, 0.5},
		"taken": r.now.UnixNano(), "serials": []string{"1700000001", "1700000002"}, "key_md5": md5Of(quay)}
	set := func(p float64, name string, value any) {
		if a.rarely(p) {
			o[name] = value
		}
	}
	set(0.001, "gate", "jammed")
	set(0.002, "ice", 3)
	set(0.005, "bell", "fog")
	set(0.01, "crane", true)
	set(0.02, "lamp", "fault")
	set(0.03, "faults", 1)
	set(0.05, "reefer", "-17.5")
	set(0.1, "trucks", []string{"T1", "T2", "T3"})
	set(0.2, "wind", "gusts")
	set(0.5, "tide_gate", "down")
	set(0.25, "buoy", object{"drifted_m": 12, "color": "green"})
	ans := service.Reply(http.StatusOK, o).With("X-Poll", "5")
	if a.rarely(0.05) {
		ans = ans.With("Warning", `199 gw-7f3a "clock drift"`)
	}
	return ans.With("Last-Modified", r.now.Truncate(time.Second).Format(http.TimeFormat))
}

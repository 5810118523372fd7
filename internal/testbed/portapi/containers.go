package portapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// job moves a container.
type job struct {
	id, file string
	at       time.Time
	length   time.Duration
}

// jobRows is how many rows of its plan a job works through.
const jobRows = 4200

func (a *API) containerRoutes() []route {
	return []route{
		service.On("GET", "/containers/{number}", a.getContainer),
		service.On("POST", "/containers/{number}/moves", a.move),
		service.On("GET", "/jobs/{job}", a.getJob),
	}
}

// containers are those in the yard, by number, with the days that they came.
func containers() map[string]time.Time {
	return map[string]time.Time{
		"MSCU6639870": time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
		"TGHU3056478": time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC),
	}
}

// getContainer shows a container: its rent grows by the day, its last reading by the minute.
func (a *API) getContainer(r *request) answer {
	came, there := containers()[r.params["number"]]
	if !there {
		return a.missing(r)
	}
	days, t := int(r.now.Sub(came).Hours()/24), tongueOf(r)
	read := a.started.Add(-3*time.Minute - 2*time.Second)
	o := object{
		"number": r.params["number"], "type": "45R1", "seal": "CN20191122-0007", "tare_kg": 4640, "max_gross_kg": 30480,
		"came": came.Format("02/01/2006"), "came_text": t.write(t.long, came), "came_in": "5 days ago when last audited",
		"dwell_days": days, "dwell": fmt.Sprintf("P%dD", days), "rent": fmt.Sprintf("%d.00 EUR", 45*days),
		"rent_per_day": "45.00",
		"reading": object{"text": "read " + ago(r.now.Sub(read)), "celsius": a.about(-18, 0.6, 2), "setpoint": -18,
			"unit": "°C", "ago": t.since(r.now.Sub(read)), "manual": t.since(3 * time.Minute)},
		"manufactured": "2014-W37", "csc_plate": "CSC 11/2024", "customs_hash": sha(r.params["number"]),
		"position":      "17-04-82",
		"reefer_serial": "0x00c0ffee", "iso_tank": nil, "imdg": []string{"3", "6.1", "8"}, "lock_code_hash": md5Of("lock"),
		"track": "/containers/" + r.params["number"] + "/moves", "last_move": "22 Nov 25, 14:03", "geofence_radius_m": 250,
		"tracker_ping": r.now.Add(-90 * time.Second).UnixMilli(), "battery": fmt.Sprintf("%d%%", 60+a.rng.IntN(30)),
	}
	if a.rarely(0.1) {
		o["hold"] = "customs"
	}
	return service.Reply(http.StatusOK, o).With("X-Yard", "terminal-2").With("Etag", `"`+md5Of(r.params["number"])+`"`)
}

// move has a container moved. Jobs of an earlier client stand in the queue before it.
func (a *API) move(r *request) answer {
	if _, there := containers()[r.params["number"]]; !there {
		return a.missing(r)
	}
	in, bad := decode[struct {
		To string `json:"to"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if len(a.state.jobs) >= maxEntries {
		return a.full(r)
	}
	j := &job{id: a.uuid4(), at: r.now, length: a.dials.jobTime(),
		file: a.dials.Environment.WithDefaults().TempDir + "/move-" + a.draw(10, letters+digits) + ".plan"}
	a.state.jobs[j.id] = j
	return service.Reply(http.StatusAccepted, object{
		"job": j.id, "container": r.params["number"], "to": in.To, "queue_position": len(a.state.jobs), "poll_after_ms": 500,
		"ready_at": r.now.Add(j.length).Format("15:04:05.000"), "plan_file": j.file, "rows": jobRows, "crane": "STS-0x14",
		"estimate": "PT0.3S", "status_url": "/jobs/" + j.id, "accepted": "Job " + j.id + " is queued.",
		"ticket": fmt.Sprintf("T%s-%03d", r.now.Format("060102"), 7), "trace": "00-" + a.hex(16) + "-" + a.hex(8) + "-01",
		"priority": "normal", "log": "/var/log/moves/2024-11.log", "scratch": "/tmp/moves/shared.lock",
	}).With("Location", "/jobs/"+j.id).With("Retry-After", "1")
}

// getJob tells how far a job is, by the clock.
func (a *API) getJob(r *request) answer {
	j := a.state.jobs[r.params["job"]]
	if j == nil || j.id == "" {
		return a.missing(r)
	}
	spent := r.now.Sub(j.at)
	done := min(1, spent.Seconds()/max(j.length.Seconds(), 1e-9))
	state, steps, finished := "running", []object{{"step": "locked", "crane": "STS-0x14"}}, any(nil)
	if done >= 0.4 {
		steps = append(steps, object{"step": "lifted", "crane": "STS-0x14"})
	}
	if done >= 1 {
		state, steps = "done", append(steps, object{"step": "set down", "crane": "STS-0x14"})
		finished = j.at.Add(j.length).Format(time.RFC3339Nano)
	}
	return service.Reply(http.StatusOK, object{
		"job": j.id, "state": state, "progress": round(100*done, 2), "rows": int(done * jobRows), "rows_total": jobRows,
		"steps": steps, "started": j.at.Format(time.RFC3339Nano), "finished": finished,
		"elapsed":     fmt.Sprintf("%.3fs", spent.Seconds()),
		"running_for": "PT" + fmt.Sprintf("%.6fS", spent.Seconds()), "plan_file": j.file, "message": fmt.Sprintf(
			"moved %d of %d rows", int(done*jobRows), jobRows), "max_runtime": "PT15M", "attempt": 1, "worker": "mover-3",
		"plan_digest": sha("plan of " + j.id), "plan_schema": "md5 " + md5Of("plan schema"),
		"took_us":   a.took(r).Microseconds(),
		"retention": "3 days", "submitted_by": office,
	}).With("X-Poll-Interval", "500ms")
}

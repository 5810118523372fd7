package wardapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// device is a machine of the laboratory.
type device struct {
	serial, ip, mac, firmware, calibrated string
	faults                                int
}

func devices() []device {
	return []device{
		{"SN-00A1F3", "192.168.17.23", "00:1b:44:11:3a:b7", "4.2.1-beta+exp.sha.5114f85", "12.01.2026", 3},
		{"SN-00BEEF", "fe80::21b:44ff:fe11:3ab8", "00:1b:44:11:3a:b8", "20250714.1", "30.03.2026", 0},
	}
}

func (a *API) deviceRoutes() []route {
	return []route{
		service.On("GET", "/laborgeraete", a.listDevices),
		service.On("GET", "/vitalwerte/{monitor}", a.vitals),
	}
}

func (a *API) listDevices(r *request) answer {
	up := r.now.Sub(a.started)
	all := object{}
	for _, d := range devices() {
		all[d.serial] = object{
			"ip": d.ip, "mac": d.mac, "firmware": d.firmware, "kalibriert_am": d.calibrated, "fehler": d.faults,
			"laufzeit":        isoDuration(up),
			"betriebsstunden": 20000 + up.Hours(), "optik_temp": a.about(36.6, 0.25, 2),
			"letzter_ping": r.now.Add(-time.Second).UnixMilli(),
			"messungen":    a.state.measured, "zertifikat": digest(d.serial), "reagenz": object{"charge": "7F3A91C0",
				"verfall": "2027-03-31", "rest_ml": a.about(120, 30, 0)},
		}
	}
	return service.Reply(http.StatusOK, object{"geraete": all, "protokoll": "ASTM E1394-97", "netz": "192.168.17.0/24",
		"gezaehlt": len(all)})
}

// vitals is what a monitor beside a bed shows.
func (a *API) vitals(r *request) answer {
	monitor := r.params["monitor"]
	if monitor != "M-11" && monitor != "M-12" {
		return a.missing(r)
	}
	a.lasting.readings++
	curve := make([]float64, 8)
	for i := range curve {
		curve[i] = a.about(0, 1.2, 3)
	}
	leads := []object{}
	for _, name := range []string{"I", "II", "V1"} {
		leads = append(leads, object{"ableitung": name, "mv": a.about(1.1, 0.3, 3), "verstaerkung": 10})
	}
	return service.Reply(http.StatusOK, object{
		"monitor": monitor, "puls": 68 + a.rng.IntN(9), "spo2": 0.98 + a.about(0, 4e-12, 16),
		"blutdruck": fmt.Sprintf("%d/%d", 115+a.rng.IntN(12), 74+a.rng.IntN(9)),
		"kurve":     curve, "ableitungen": leads, "alarmgrenzen": object{"puls": []int{50, 120}, "spo2": []float64{0.9, 1}},
		"zeit": object{"gemessen": r.now.Format("2006-01-02T15:04:05.000000Z"), "intervall": "PT1S",
			"tick": r.now.UnixNano() / 100, "zone": "+02:00"},
		"sequenz": a.lasting.readings, "sensor": "0x1F", "einheit": "1/min", "rhythmus": "Sinus", "batterie": "97%",
	}).With("Cache-Control", "no-store").With("X-Monitor-Seq", fmt.Sprint(a.lasting.readings))
}

package portapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// vessel is a ship that calls at the port.
type vessel struct {
	imo, uuid, name, flag, sign, built, keel, survey, hash string
	mmsi, hull                                             int
}

func vessels() []vessel {
	return []vessel{
		{"9321483", "6fa459ea-ee8a-3ca4-894e-db77e160355e", "Emma Mærsk", "DK", "OYGR2", "2006-08-31", "20 Jan 06",
			"22 Nov 24", "d41d8cd98f00b204e9800998ecf8427e", 220417000, 1700000000},
		{"9454436", "018f4e1c-7a2b-7c3d-9e4f-5a6b7c8d9e0f", "CMA CGM Marco Polo", "BS", "C6ZJ8", "2012-11-06", "11/22/2011",
			"Sunday, 24 November 2024", "900150983cd24fb0d6963f7d28e17f72", 311000217, 1795305600},
		{"9839272", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "HMM 알헤시라스", "PA", "3FEI9", "2020-04-24", "22/11/2018",
			"2024年11月22日", "0cc175b9c0f1b6a831c399e269772661", 352898000, 1606003200},
	}
}

func (v *vessel) view() object {
	return object{
		"imo": v.imo, "uuid": v.uuid, "name": v.name, "flag": v.flag, "call_sign": v.sign, "mmsi": v.mmsi, "built": v.built,
		"keel_laid": v.keel, "hull_number": v.hull, "last_survey": v.survey, "plan_md5": v.hash,
	}
}

func (a *API) masterRoutes() []route {
	return []route{
		service.On("GET", "/vessels", a.listVessels),
		service.On("GET", "/vessels/{imo}", a.getVessel),
		service.On("GET", "/crew/{id}", a.getSeafarer),
	}
}

func (a *API) listVessels(*request) answer {
	views := []object{}
	for _, v := range vessels() {
		views = append(views, v.view())
	}
	ans := service.Reply(http.StatusOK, object{"vessels": views, "total": len(views), "as_of": "2024-11",
		"dataset": "sha256:" + sha("vessels 2024.11"), "license": "(c) 2019 Register of Ships"})
	return ans.With("Etag", `"`+md5Of(string(ans.Body))+`"`).With("Last-Modified", "Fri, 22 Nov 2024 06:00:00 GMT").
		With("Link", `</vessels?page=2>; rel="next", </vessels?page=9>; rel="last"`).With("Cache-Control", "max-age=3600")
}

// getVessel shows a ship, and where it is by its transponder. It always arrives in three days.
func (a *API) getVessel(r *request) answer {
	for _, v := range vessels() {
		if v.imo != r.params["imo"] {
			continue
		}
		etag := fmt.Sprintf(`W/"%s-2024.11"`, v.imo)
		if r.Header.Get("If-None-Match") == etag {
			return service.Empty(http.StatusNotModified).With("Etag", etag)
		}
		arrives, t := r.now.AddDate(0, 0, 3), tongueOf(r)
		o := v.view()
		o["position"] = object{"lat": a.about(43.33, 0.02, 5), "lon": a.about(5.34, 0.02, 5), "course": 270}
		o["eta"] = object{"date": arrives.Format("01/02/2006"), "weekday": t.write("{day}", arrives),
			"text": "arrives on " + arrives.Format("Mon 2 Jan"), "in": "in 3 days", "window": "PT6H"}
		o["seen"], o["signal_dbm"] = r.now.Unix(), -60-a.rng.IntN(30)
		o["engine_key"], o["insurance"] = "sk_test_4eC39HqLyjWDarjtT1zdp7dc", "policy until 22 November 2031"
		o["certificate"] = "eyJhbGciOiJub25lIn0.eyJpYXQiOjE2MDYwMDMyMDAsImV4cCI6MTcwMDAwMDAwMH0."
		o["transponder"], o["self"] = "0x7f3a91c0de44", r.absolute("/vessels/"+v.imo)
		return service.Reply(http.StatusOK, o).With("Etag", etag)
	}
	return a.missing(r)
}

// getSeafarer shows a member of a crew: nothing of it moves but who looked.
func (a *API) getSeafarer(r *request) answer {
	people := map[string][4]string{
		"C-1001": {"Mwangi Otieno", "22/11/1981", "Sunday, November 22, 1981", "22 Nov 81"},
		"C-1002": {"Inès Da Silva", "11/22/1990", "jeudi 22 novembre 1990", "22 nov. 90"},
		"C-1003": {"山本 海", "1976/11/22", "1976年11月22日月曜日", "昭和51年11月22日"},
	}
	p, there := people[r.params["id"]]
	if !there {
		return a.missing(r)
	}
	id := strings.ToLower(r.params["id"])
	return service.Reply(http.StatusOK, object{
		"id": r.params["id"], "name": p[0], "birth_date": p[1], "birth_text": p[2], "birth_short": p[3],
		"passport": "P<" + strings.ToUpper(md5Of(id)[:9]), "licence_until": "2031-11",
		"signed_on": "2023-11-22T06:30:00+01:00",
		"medical":   "valid until Sunday", "rest_hours": "10:00", "shift": "Monday to Thursday", "watch": "04:00-08:00",
		"photo_sha1": "a9993e364706816aba3e25717850c26c9cd0d89d", "pay_epoch": 1763769600, "leave": "P28D",
		"pin_hash":  "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"access_id": "3f333df6-90a4-4fda-8dd3-9485d27cee36", "viewed_by": "visitor " + a.hex(8), "contract_year": 2026,
		"phone": "+33 4 91 39 40 00", "ip_lock": "10.31.8.77:52814",
	}).With("Last-Modified", "Wed, 22 Nov 2023 05:30:00 GMT")
}

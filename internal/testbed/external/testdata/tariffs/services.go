package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"time"
)

// answer is what a service answered.
type answer struct {
	service string
	status  int
	header  http.Header
	body    []byte
}

// read decodes an answer, whose members have to be of the types that v has.
func (r answer) read(v any) error {
	if err := json.Unmarshal(r.body, v); err != nil {
		log.Printf("%s: %v", r.service, err)
		return refuse(http.StatusBadGateway, "%s sent what is not understood", r.service)
	}
	return nil
}

func (r answer) unavailable() error {
	return refuse(http.StatusServiceUnavailable, "%s is unavailable", r.service)
}

func (a *app) call(ctx context.Context, service, method, path string, body any, limit time.Duration) (answer, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		payload = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.bases[service]+path, payload)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20)); err == nil {
			return answer{service, resp.StatusCode, resp.Header, data}, nil
		}
	}
	log.Printf("%s: %v", service, err)
	if errors.Is(err, context.DeadlineExceeded) {
		return answer{}, refuse(http.StatusGatewayTimeout, "%s does not answer in time", service)
	}
	return answer{}, refuse(http.StatusServiceUnavailable, "%s cannot be reached", service)
}

type hour struct {
	Hour  int     `json:"hour"`
	Price float64 `json:"price"` // EUR/MWh, once it is read
}

// day is what one day's hours cost.
type day struct {
	hours     []hour
	average   float64
	negative  int
	converted bool
}

// cheapest returns the hour that costs least. There has to be one.
func (d day) cheapest() hour {
	return slices.MinFunc(d.hours, func(a, b hour) int { return cmp.Compare(a.Price, b.Price) })
}

func (a *app) prices(ctx context.Context, zone string) (day, error) {
	resp, err := a.call(ctx, "spot", "GET", "/v1/prices?zone="+zone+"&day=tomorrow", nil, a.limit)
	if err != nil {
		return day{}, err
	}
	switch {
	case resp.status == http.StatusNotFound:
		return day{}, refuse(http.StatusNotFound, "prices are not published yet")
	case resp.status == http.StatusTooManyRequests:
		r := refuse(http.StatusServiceUnavailable, "the exchange is busy")
		r.header.Set("Retry-After", resp.header.Get("Retry-After"))
		return day{}, r
	case resp.status != http.StatusOK:
		return day{}, resp.unavailable()
	}
	var table struct {
		Unit  string `json:"unit"`
		Hours []hour `json:"hours"`
	}
	if err := resp.read(&table); err != nil {
		return day{}, err
	}
	out := day{hours: table.Hours, converted: table.Unit == "ct/kWh"}
	for i := range out.hours {
		h := &out.hours[i]
		if out.converted {
			h.Price *= 10
		}
		if h.Price < 0 {
			out.negative++
		}
		out.average += h.Price / float64(len(out.hours))
	}
	return out, nil
}

type meter struct {
	ID         string  `json:"id"`
	State      string  `json:"state"`
	ReplacedBy *string `json:"replaced_by"`
	Phases     int     `json:"phases"`
	Zone       string  `json:"zone"`
}

func (a *app) meterOf(ctx context.Context, id string) (meter, error) {
	resp, err := a.call(ctx, "grid", "GET", "/meters/"+id, nil, a.limit)
	if err != nil {
		return meter{}, err
	}
	if resp.status == http.StatusNotFound {
		return meter{}, refuse(http.StatusNotFound, "no such meter")
	}
	if resp.status != http.StatusOK {
		return meter{}, resp.unavailable()
	}
	var m meter
	return m, resp.read(&m)
}

type page struct {
	Items []struct {
		KWh     float64 `json:"kwh"`
		Quality string  `json:"quality"`
	} `json:"items"`
	Total int `json:"total"`
}

func (a *app) readings(ctx context.Context, id string, offset int) (p page, retries int, err error) {
	for {
		path := fmt.Sprintf("/meters/%s/readings?offset=%d&limit=%d", id, offset, pageSize)
		resp, err := a.call(ctx, "grid", "GET", path, nil, a.limit)
		switch {
		case err != nil:
			return p, retries, err
		case resp.status == http.StatusServiceUnavailable && retries < attempts-1:
			retries++
			time.Sleep(50 * time.Millisecond)
			continue
		case resp.status >= 500:
			return p, retries, resp.unavailable()
		case resp.status == http.StatusNotFound:
			return p, retries, refuse(http.StatusNotFound, "no such meter")
		case resp.status >= 400 && a.isMended("refusal-is-nothing"):
			return p, retries, refuse(http.StatusBadGateway, "grid refuses: %d", resp.status)
		}
		return p, retries, resp.read(&p)
	}
}

type weather struct {
	Hours []struct {
		Temp  float64 `json:"temp_c"`
		Cloud int     `json:"cloud"`
		Wind  float64 `json:"wind_ms"`
	} `json:"hours"`
	Warnings []struct {
		Level string `json:"level"`
		Kind  string `json:"kind"`
	} `json:"warnings"`
}

// outlook adds to the answer what the weather of a zone does to its power.
func (a *app) outlook(ctx context.Context, zone string, out object) error {
	limit := time.Duration(0)
	if a.isMended("weather-hang") {
		limit = a.limit
	}
	resp, err := a.call(ctx, "weather", "GET", "/point?"+zones[zone]+"&hours=24", nil, limit)
	if err != nil {
		return err
	}
	if resp.status != http.StatusOK {
		return resp.unavailable()
	}
	var w weather
	if err := resp.read(&w); err != nil {
		return err
	}
	if len(w.Hours) == 0 && a.isMended("weather-no-hours") {
		return refuse(http.StatusBadGateway, "weather sent no hours")
	}
	cloud, wind, temp := 0, 0.0, 0.0
	for _, h := range w.Hours {
		cloud, wind, temp = cloud+h.Cloud, max(wind, h.Wind), min(temp, h.Temp)
	}
	cloud /= len(w.Hours)
	out["solar"], out["wind"] = "low", "normal"
	if cloud < 30 {
		out["solar"] = "high"
	}
	if wind > 12 {
		out["wind"] = "high"
	} else if wind < 2 {
		out["wind"] = "calm"
	}
	if temp < 0 {
		out["heating"] = "high"
	}
	for _, warning := range w.Warnings {
		if warning.Level == "red" {
			out["alert"] = warning.Kind
		} else if warning.Level != "" {
			out["notice"] = warning.Kind
		}
	}
	return nil
}

type verdict struct {
	Score    int      `json:"score"`
	Decision string   `json:"decision"`
	Reasons  []string `json:"reasons"`
}

// check asks the agency who pays. It is asked again while it is busy.
func (a *app) check(ctx context.Context, name string) (v verdict, tries int, err error) {
	for {
		tries++
		resp, err := a.call(ctx, "credit", "POST", "/checks", object{"name": name, "product": "power"}, a.limit)
		switch {
		case err != nil:
			var r *refusal
			if errors.As(err, &r) && r.status == http.StatusGatewayTimeout && !a.isMended("credit-timeout") {
				return verdict{Score: 100, Decision: "unchecked"}, tries, nil
			}
			return v, tries, err
		case resp.status == http.StatusTooManyRequests && tries == attempts:
			r := refuse(http.StatusServiceUnavailable, "the agency is busy")
			r.header.Set("Retry-After", "30")
			return v, tries, r
		case resp.status == http.StatusServiceUnavailable && tries >= attempts && a.isMended("credit-endless"):
			return v, tries, resp.unavailable()
		case resp.status == http.StatusTooManyRequests, resp.status == http.StatusServiceUnavailable:
			time.Sleep(40 * time.Millisecond)
			continue
		case resp.status == http.StatusNotFound:
			return verdict{Decision: "no record"}, tries, nil
		case resp.status >= 300:
			return v, tries, resp.unavailable()
		}
		return v, tries, resp.read(&v)
	}
}

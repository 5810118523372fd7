package name

import "testing"

// The word for one of many is English's, or says how one is found.
func TestResource(t *testing.T) {
	for template, want := range map[string]string{
		"/orders/{id}/events": "order_events", "/categories/{slug}": "category", "/status/{id}": "status_by_id",
		"/proben/{nr}/befund": "proben_by_nr_befund", "/v2/{id}": "id", "/": "root", "/bus/{id}": "bus_by_id",
	} {
		if got := Resource(template); got != want {
			t.Errorf("%s: %s, want %s", template, got, want)
		}
	}
}

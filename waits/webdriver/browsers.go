package webdriver

import (
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
)

// proven says which browsers a suite can be recorded with, and what to do with others.
const proven = "waits record and waits hold are proven with Chrome and Chromium alone: run the suite with one of these. " +
	"The waits that waits patch writes are about pages, and stay for other browsers"

// otherBrowser is the browser that a command which begins a session asks for; "" where that may be Chrome or Chromium.
func otherBrowser(r *exchange.Request) string {
	type wanted struct {
		Name string `json:"browserName"`
	}
	var asks struct {
		Capabilities struct {
			Always wanted   `json:"alwaysMatch"`
			First  []wanted `json:"firstMatch"`
		} `json:"capabilities"`
	}
	text, err := r.Payload()
	if err != nil || json.Unmarshal(text, &asks) != nil {
		return ""
	}
	name := ""
	for _, w := range append(asks.Capabilities.First, asks.Capabilities.Always) {
		switch w.Name {
		case "":
		case "chrome", "chromium":
			return ""
		default:
			name = shortened(w.Name)
		}
	}
	return name
}

// Package endpoint is flaketap's own addresses, apart from the one that it records at: they answer over HTTP, keep web
// pages out, and give metrics to Prometheus.
package endpoint

package capture

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/google/go-cmp/cmp"
)

func TestCheckFindsMistakes(t *testing.T) {
	if err := new(Options).Check(); err != nil {
		t.Errorf("the zero Options: %v", err)
	}
	api := &url.URL{Scheme: "http", Host: "h"}
	for want, o := range map[string]Options{
		"must be an address such as":     {Listen: "8877"},
		"has no host":                    {Listen: ":8877"},
		"the port must be a number":      {Listen: "127.0.0.1:99999"},
		"must be USER:PASSWORD":          {Auth: "hunter2"},
		"must be the name of a header":   {Sequences: Sequences{Headers: []string{"a b"}}},
		"must be a duration such as 2s":  {Sequences: Sequences{Gap: -time.Second}},
		"--gap or --per-connection":      {Sequences: Sequences{Gap: time.Second, PerConnection: true}},
		"--tunnel: \"\" is not a host":   {Tunnel: []string{""}},
		"--exclude: \"[\" is not a host": {Exclude: []string{"["}},
		"needs --target":                 {TargetHost: true},
		"--transparent":                  {Transparent: true, Target: api},
		"reset the API first":            {Transparent: true, Reset: "true"},
	} {
		if err := o.Check(); !console.IsUsage(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestNewProxy(t *testing.T) {
	o := Options{Auth: "a:b", Sequences: Sequences{Headers: []string{"X-Case"}}, LogLevel: slog.LevelWarn}
	p, err := o.NewProxy()
	if err != nil {
		t.Fatal(err)
	}
	if p.Target != nil || p.Leaves != nil || p.Auth != "a:b" || p.SequenceHeaders[0] != "X-Case" || len(p.SequenceHeaders) != 4 {
		t.Errorf("got %+v", p)
	}
	o.TargetHost, o.Service = true, &service.Service{Command: "serve {port}"} // it is the target
	if p, err = o.NewProxy(); err != nil || p.Target == nil || !p.RewriteHost {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestTargetsAreReadBack(t *testing.T) {
	all, routes, err := ParseTargets([]string{"http://h:1", "/v1=http://h:2", "x.example=https://h:3"})
	if err != nil {
		t.Fatal(err)
	}
	text := targetsText(&proxy.Proxy{Target: all, Routes: routes})
	if text != "http://h:1, /v1=http://h:2, x.example=https://h:3" {
		t.Errorf("the text is %s", text)
	}
	again, same, err := parseTargetsText(text)
	if diff := cmp.Diff(routes, same); err != nil || again.String() != all.String() || diff != "" {
		t.Errorf("%v, %v (-want +got)\n%s", again, err, diff)
	}
	for _, specs := range [][]string{{"x"}, {"/a="}, {"a/b=http://h"}, {"http://a", "http://b"}, {"/a=http://a", "/a=http://b"}} {
		if _, _, err := ParseTargets(specs); !console.IsUsage(err) {
			t.Errorf("%q: %v", specs, err)
		}
	}
}

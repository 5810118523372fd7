package project

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/doctor"
	"github.com/flaketap/flaketap/replay/service"
)

// Trial is how settings are tried.
type Trial struct {
	ReadyTimeout, ResetTimeout time.Duration
	DB                         string // a recording by which the reset is tried; it need not be there
	// Allow asks whether something may be done that changes what the API holds.
	Allow func(ctx context.Context, what string) (bool, error)
}

// Try tries what the settings say, as doctor does.
func (s Settings) Try(ctx context.Context, t Trial) (doctor.Report, error) {
	subject := doctor.Subject{Reset: service.Reset(s.Reset), ResetTimeout: t.ResetTimeout, DB: t.DB, Allow: t.Allow}
	var err error
	if subject.Target, err = service.BaseURL(s.Target); err != nil {
		return doctor.Report{}, err
	}
	if s.Start != "" {
		subject.Service = s.service()
		subject.Service.Patience = t.ReadyTimeout
	}
	checks := []string{"api", "clock"}
	if s.Reset != "" || s.Start != "" {
		checks = append(checks, "reset")
	}
	r, err := doctor.Examine(ctx, subject, checks...)
	if err != nil || s.Client == "" {
		return r, err
	}
	r.Findings = append(r.Findings, s.client())
	return r, nil
}

// client looks for the program of the client, which is not started.
func (s Settings) client() doctor.Finding {
	program := strings.Trim(strings.Fields(s.Client)[0], `'"`)
	if _, err := exec.LookPath(program); err != nil {
		return doctor.Finding{Check: "client", About: program, Status: doctor.Note, Says: "is not found",
			Do: fmt.Sprintf("install %s, or give its path", program)}
	}
	return doctor.Finding{Check: "client", About: program, Status: doctor.OK, Says: "is there"}
}

package wardapi

import "time"

// state is the store: all that POST /admin/reset clears.
type state struct {
	sessions      map[string]*session
	logins        int
	patients      map[string]*patient
	admissions    map[string]*admission
	admitted      []*admission      // in order
	beds          map[string]string // the case in each bed that is taken
	cases         int               // the last case's number
	appointments  map[string]*appointment
	samples       map[string]*sample
	measured      int // tests asked for
	prescriptions map[string]*prescription
	messages      []*message
	audit         []auditEntry
	jobs          map[string]*job
	setting       string
	revision      int
	requests      int
	allowance     int // what of a client's allowance has been used
}

// lasting is what outlives a reset: numbers that may not be given twice.
type lasting struct {
	patients, files, samples, prescriptions, messages, requests, readings int
}

// newState returns the store with the master data alone.
func newState() *state {
	return &state{
		sessions: map[string]*session{}, patients: seedPatients(), admissions: map[string]*admission{},
		beds:         map[string]string{},
		appointments: map[string]*appointment{}, samples: map[string]*sample{}, prescriptions: map[string]*prescription{},
		jobs: map[string]*job{}, setting: "hell",
	}
}

// use adds what an earlier client left before the start.
func (s *state) use(start time.Time) {
	s.logins, s.requests, s.allowance, s.revision, s.measured = 23, 417, 31, 5, 9
	before := start.Add(-40 * time.Minute).UTC()
	for range 3 {
		s.admit(&admission{patient: seedPatientID, ward: "ITS-1", at: before, file: "KH/26/088120"})
	}
	s.messages = []*message{{id: "1", text: "Bitte Bett 3 freihalten.", at: before}, {id: "2", text: "Danke.", at: before}}
}

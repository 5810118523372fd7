// Package external has seven small APIs that live on what other services tell them, and the labels of what they do.
//
// Each lies in a folder of testdata, with these files beside its source:
//
//	labels.json    the services it calls, the fields it reads, its behaviors and its bugs, and how each is recognised
//	requests.json  the requests that show them
//	proof.json     what the services have to answer for each, by which the tests prove the labels
//	traces.json    where each field surfaces: which field of which service's answer changes what in what the API does
//
//	parcels  Python  where a parcel is, what one costs, and when a courier comes for it
//	clinic   Node    free hours of doctors, what an insurer pays, appointments
//	tariffs  Go      prices of electricity, meters, a forecast, contracts
//	tickets  Java    shows, seats, orders, refunds
//	payroll  Python  employees and their hours, payslips, payments
//	checkout Node    product pages, carts, checkout, orders, returns
//	lending  Python  titles of a library, members, holds, e-books; pydantic reads most answers
//
// An API is started with --port or PORT, answers GET /health, forgets everything at POST /reset, and calls its services
// by their real names unless SERVICES (name=URL, parted by commas) leads them elsewhere. It waits for each call as many
// seconds as TIMEOUT says, 2 by default. MEND (ids of bugs, parted by commas) mends it: those bugs it does not have
// then.
//
// [Load] reads an API's labels, [API.Build] makes its program. A judge who tried answers of the services gives each
// [Outcome] that it saw to [Labels.Score], or asks a [Label] whether it is the one: that rests on what is seen from
// outside alone. Whoever says what the API does with a field is held against what [ReadTraces] reads. The labels and
// the traces were written by someone who knew nothing of how answers are searched for; they are not changed to please a
// search.
package external

package volatility

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/condition"
	"github.com/flaketap/flaketap/volatility/confidence"
	"github.com/flaketap/flaketap/volatility/inorder"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/outside"
	"github.com/flaketap/flaketap/volatility/relation"
)

// fieldStats counts what was seen of one general place of one operation.
type fieldStats struct {
	place    exchange.Place
	values   values
	calendar bool // the place is called as a part of a date is
	recorded int  // exchanges whose recorded answer has the place
	of       int  // observations beside the recording
	changed  int  // of these, the ones that differ
	repeats  repeatCounts

	// How it moved.
	kinds        changeKinds
	runs         runPattern
	shifts       inorder.Shifts                    // of whole numbers
	sizes        inorder.Shifts                    // of the lengths of arrays
	trend        trend                             // of the recorded values
	moved        map[exchange.Fingerprint]struct{} // the requests whose answers moved here
	changedUnder map[string]int                    // observations that differ, by the condition of their run
	turned       condition.Turns                   // under a clock that was moved
	crowd        condition.Crowd                   // of requests at once
	clients      clientStats
	machines     condition.Machines // of workers
	eventual     eventual
	expiry       expiry
	dispersion   confidence.Dispersion // over the exchanges, in runs
	byRun        map[int]int           // observations that differ, by the run; those of repeats are no such

	// What may explain it.
	outside     outside.Moves      // beside what services answered
	followed    []mapfile.Evidence // what of it that tells, once all is counted
	clock       clockStats
	elapsed     elapsedStats
	network     addressStats
	links       links
	repetitions repetitions
	digest      digestMoves
	order       inorder.Numbers
	progress    inorder.Progress  // of the numbers beside a stage of life
	refusals    *inorder.Refusals // of the status: those of all answers of the operation

	// What the place is a part of.
	keys keyStats
	text textStats

	mark       stepMark
	registered bool // the miner knows the place
}

// repeatCounts are what of the observations of a place came right after another answer to the same request, in a run
// that repeats it, and was held against that.
type repeatCounts struct {
	of, changed int
	dispersion  confidence.Dispersion
}

// links narrow down where the values of a place come from: the request, an earlier answer, the client.
type links struct {
	echo   candidates[exchange.Place] // the places of the request that every value is equal to
	inText inText                     // those that every value, a text, holds
	bound  candidates[string]         // the earlier answers that every value is taken from
	// those that had the one value where it has, and the other in the run, at each change
	made   candidates[string]
	client fromClient
	things thingsAsked
}

// keyStats say what a place has to do with objects whose keys are data.
type keyStats struct {
	any          bool // it is a member of one: any member
	besideChosen bool // it is, or is within, a member of one that has members under chosen keys too
}

// textStats say what a place has to do with texts that hold structure.
type textStats struct {
	within      int  // changes of a text that lie within what it holds
	secretPart  bool // a part of a text that is secret
	hidesSecret bool // a text in which what is secret is encoded
}

// changeKinds counts differences by what they are.
type changeKinds struct {
	value, retyped, added, removed, reordered, resized, notation int
	shuffled                                                     int // texts of the same words in another order
	null                                                         int // values that became null, or ceased to be it
	// arrays that were resized, and hold the same elements
	sameSet int
	more    int // too many to list
}

// moves is the number of differences; notation is none.
func (k changeKinds) moves() int {
	return k.value + k.retyped + k.added + k.removed + k.reordered + k.resized + k.more
}

// runPattern counts, over the concrete places of all steps at which something moved, how it did from run to run.
type runPattern struct {
	jitter    int // the runs differ from each other
	drift     int // they agree with each other (two at least), not with the recording
	continued int // those that started fresh agree, those that continued do not
	single    int // there was one observation
	inRow     int // of those that differ from each other, the ones between answers to requests in a row
	returns   int // a value that had gone came back

	// Numbers and sizes, in observations: from each run to the next they grew by no more than a counter would, they
	// sank so, or neither.
	rising, sinking, wavering int
}

// minSingle is how many numbers must have grown, or sunk, from the recording to the one run there is: of numbers drawn
// at random six do once in 32 times.
const minSingle = 6

// counts reports whether numbers that grew say that something is counted. Where each was seen but twice, as in one run,
// any two that differ have grown or sunk; a counter is further by the same at every step.
func (p *runPattern) counts(t *fieldStats) bool {
	return p.single == 0 || p.rising+p.sinking >= minSingle || t.shifts.Same() || t.sizes.Same()
}

// clockStats counts how the values of a place relate to the time of the answers.
type clockStats struct {
	read, unread    int // scalar values that can be read as a moment, or not; null is neither
	follows, strays int // changes that went with the clock, or not
	near            int // recorded values that the clock explains, at every observation that has them
	session         int // of these, the ones explained only by the recording's span
	date            int // of these, the ones that are a date alone
	repeatsCreated  int // of these, the ones that repeat what the answer to a write said, see made
	nearTexts       int // of these, the texts that tell by themselves
	nearAt          []time.Time
	chance          float64 // that all that are near are so by chance, as nearAt has them
	counts          int     // values that are a number since the epoch
	inText, daily   int     // values that are a part of a text, or of an odd notation, or a time of day alone
	unzoned         int
	unit            time.Duration
	farthest        time.Duration // the largest distance of a value from its answer
	lasts           [len(durationUnits)]int
	lastTried       int // changes of numbers that were held against the time that passed
	steady          inorder.Rate
}

// durationUnits are the units in which a number may count the time that passes.
var durationUnits = [...]time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second, time.Minute}

// addressStats counts how the strings of a place relate to addresses.
type addressStats struct {
	host, noHost int // strings that hold the Host that was asked for, or not
	hostMoves    int // changes that are nothing but the Host's
	otherMoves   int
	dialed       int    // strings that hold the address that was dialed, where the client asked for another
	port, noPort int    // values that are the port that was dialed, or not
	environment  string // the word of Options.Environment that one holds
}

// repetitions counts repetitions of one request within the recording.
type repetitions struct{ pairs, differ, random int }

// stepMark says what of the present step was counted already.
type stepMark struct {
	step    uint64
	changed uint64 // the observations that differ, one bit each of the first 63, and one for all others
	last    int    // the number, from 1, of the one that was counted last as one that differs
	of      int    // the observations
	before  int    // those that differed in earlier steps
	inRow   bool   // they are of a row
}

// candidates narrows a set of explanations down to those that fit every value.
type candidates[T comparable] struct {
	list []T
	any  bool // something was seen
}

// narrow keeps what fits one more value.
func (c *candidates[T]) narrow(fit []T) {
	if !c.any {
		c.any = true
		c.list = slices.Clone(fit)
		return
	}
	if len(c.list) > 0 {
		c.list = slices.DeleteFunc(c.list, func(x T) bool { return !slices.Contains(fit, x) })
	}
}

// alive reports whether more values could still be explained.
func (c *candidates[T]) alive() bool { return !c.any || len(c.list) > 0 }

// count takes one difference in, of the observation with the given position in its step.
func (t *fieldStats) count(d compare.Difference, before, after notation.Scalar) {
	k := &t.kinds
	switch d.Kind {
	case compare.Added:
		k.added++
	case compare.Removed:
		k.removed++
	case compare.Reordered:
		k.reordered++
	case compare.Resized:
		k.resized++
	case compare.More:
		k.more++
	case compare.Retyped:
		k.retyped++
		if before.Kind == notation.Null || after.Kind == notation.Null {
			k.null++
		}
	default:
		k.value++
		if before.Kind == notation.String && after.Kind == notation.String && compare.Shuffled(before.Text, after.Text) {
			k.shuffled++
		}
	}
}

// remember keeps the fingerprint of a request whose answer moved: all of them while the place may have drifted only,
// as a drift is said of them alone.
func (t *fieldStats) remember(fp exchange.Fingerprint) {
	limit := mapfile.MaxFingerprints + 1
	if t.runs.jitter > 0 || mapfile.MovesByProtocol(t.place) {
		limit = mapfile.MaxExamples
	}
	if len(t.moved) >= limit {
		return
	}
	if t.moved == nil {
		t.moved = make(map[exchange.Fingerprint]struct{})
	}
	t.moved[fp] = struct{}{}
}

// fingerprints returns what is remembered, sorted.
func (t *fieldStats) fingerprints() []exchange.Fingerprint {
	return slices.SortedFunc(maps.Keys(t.moved), func(a, b exchange.Fingerprint) int { return slices.Compare(a[:], b[:]) })
}

// operation gathers what was counted of one operation with one recorded status.
type operation struct {
	key           operationKey
	exchanges     int
	apart         time.Duration   // the longest time between a recorded answer and that of a run
	kept          time.Duration   // the longest time for which an answer to a read may be kept
	crowd         condition.Crowd // its answers in runs under load
	hosts         *across.Authorities
	places        map[string]*fieldStats // by general place
	children      map[exchange.Place]int
	registered    int                     // places that the miner knows
	registrations int                     // times that the miner was told of places
	miner         relation.Miner          // belongs to who looks for relations, see judged
	refusals      *inorder.Refusals       // of all answers of the method and template, whatever was recorded
	stages        map[exchange.Place]bool // the objects with a member that says how far the life of something has come
	outside       outsideSeen             // what services answered for its exchanges
	asRecorded    *operation              // what runs played as recorded showed; nil where there are no others
}

type operationKey struct {
	exchange.Operation
	status int
}

// The bounds on the places of an operation. Where an object has more keys than that, over all answers, its keys are
// data, and further ones share one place with a wildcard in place of the key.
const (
	maxKeys   = 256
	maxPlaces = 20_000
)

func newOperation(key operationKey, h *across.Authorities) *operation {
	return &operation{key: key, hosts: h, places: make(map[string]*fieldStats), children: make(map[exchange.Place]int),
		stages: make(map[exchange.Place]bool)}
}

// at returns what was counted of a general place, and makes it where there is none yet.
func (o *operation) at(general []byte) *fieldStats {
	if t := o.places[string(general)]; t != nil {
		return t
	}
	return o.open(exchange.Place(general))
}

func (o *operation) open(place exchange.Place) *fieldStats {
	parent := place.Parent()
	if parent != "" && parent.Parent() != "" || parent == exchange.PlaceBody {
		above := o.places[string(parent)]
		if above == nil {
			above = o.open(parent)
		}
		if above.place != parent { // an ancestor was generalised
			place = above.place + place[strings.LastIndexByte(string(place), '/'):]
			parent = above.place
			if t := o.places[string(place)]; t != nil {
				return t
			}
		}
	}
	if parent != "" && (o.children[parent] >= maxKeys || len(o.places) >= maxPlaces) {
		if place = parent.Each(); o.places[string(place)] != nil {
			return o.places[string(place)]
		}
	}
	o.children[parent]++
	t := &fieldStats{place: place, calendar: notation.IsPartOfDate(leaf(place)), elapsed: elapsedOf(place)}
	t.values.hosts = o.hosts
	if isStage(place) {
		o.stages[parent] = true
	}
	if place == exchange.PlaceStatus {
		t.refusals = o.refusals
	}
	o.places[string(place)] = t
	return t
}

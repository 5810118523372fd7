package volatility

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// rule is one explanation of why a place moved. It returns the codes of its evidence, none where it does not apply.
type rule struct {
	category mapfile.Category
	evidence func(t *fieldStats, c conditions) []mapfile.Evidence
	strength float64 // what its evidence counts for beside that of others
}

// How strong evidence is, beside other evidence: what was measured, then what only one thing in the world looks like,
// what the runs suggest, what many things look like, and what is left when nothing else applies.
const (
	measured  = 16.0
	strong    = verdict.Strong
	suggested = 4.0
	weak      = 2.0
	fallback  = 1.0
)

// conditions are what is known of the runs as a whole.
type conditions struct {
	runs  int
	reset bool // some run began on a fresh or a reset API
	// how many runs were played under each condition, see perturbed; "": as recorded
	perturbed map[string]int
	turned    map[exchange.ClockStep]int // of these, those under each step of the clock
}

// rules are the explanations, the strongest evidence first: what the observations show before what the values look
// like. The first that applies gives the category; the codes of the others are listed after its own.
var rules = []rule{
	{mapfile.Unord, orderOnly, measured},
	{mapfile.Time, followsClock, measured},
	{mapfile.Env, followsAddress, measured},
	{mapfile.Env, followsExternal, measured},
	{mapfile.Time, settles, measured},
	{mapfile.Rand, drawnPerClient, measured},
	{mapfile.Rand, drawnForCache, measured},
	{mapfile.State, cached, measured},
	{mapfile.Time, movedOnlyBy(movesTime), measured},
	{mapfile.Env, movedOnlyBy(movesEnv), measured},
	{mapfile.Env, byMachine, measured},
	{mapfile.Time, clockWithinRun, measured},
	{mapfile.Crypt, signedOrSalted, strong},
	{mapfile.RunMsg, madeAtRunTime, strong},
	{mapfile.Rand, drawnFileName, suggested},
	{mapfile.Env, namedEnvironment, suggested},
	{mapfile.Time, namedDuration, suggested},
	{mapfile.Time, writtenDuration, suggested},
	{mapfile.Time, lifecycleByClock, suggested},
	{mapfile.Time, progresses, suggested},
	{mapfile.Time, namedWait, suggested},
	{mapfile.State, tooManyRequests, suggested},
	{mapfile.State, countsRequests, suggested},
	{mapfile.State, followsState, suggested},
	{mapfile.State, lifecycleByState, suggested},
	{mapfile.State, namedRemaining, weak},
	{mapfile.Crypt, digest, weak},
	{mapfile.Crypt, digestWithin, weak},
	{mapfile.RunMsg, variesInTrace, weak},
	{mapfile.Rand, looksDrawn, weak},
	{mapfile.Rand, movedOnlyBy(movesRand), weak},
	{mapfile.Rand, comesAndGoes, fallback},
	{mapfile.RunMsg, message, fallback},
}

// explain returns what explains a place that moved, the category that it is given first, and how strong that is;
// nothing where nothing does.
func explain(t *fieldStats, c conditions) (all []explanation, strength float64) {
	var out []explanation
	for _, r := range rules {
		if r.strength == fallback && len(out) > 0 {
			break
		}
		codes := r.evidence(t, c)
		if len(codes) == 0 {
			continue
		}
		out = weigh(out, r, codes)
	}
	if len(out) > 0 {
		strength = out[0].Weight
	}
	return verdict.Normalized(out), strength
}

// weigh adds the evidence of one rule to what was found before it, which is as strong or stronger.
func weigh(out []explanation, r rule, codes []mapfile.Evidence) []explanation {
	i := slices.IndexFunc(out, func(e explanation) bool { return e.Category == r.category })
	if i < 0 {
		return append(out, explanation{Category: r.category, Weight: r.strength, Evidence: codes})
	}
	out[i].Evidence = append(slices.Clip(out[i].Evidence), codes...)
	return out
}

// orderOnly: nothing but the order of elements, or of the words of a text, ever differed.
func orderOnly(t *fieldStats, _ conditions) []mapfile.Evidence {
	switch k := t.kinds; {
	case k.reordered > 0 && k.reordered == k.moves():
		return says(mapfile.SignOrderOnly)
	case k.shuffled > 0 && k.shuffled == k.moves():
		return saysOf(mapfile.SignOrderOnly, orderOfWords)
	}
	return nil
}

// followsClock: the values changed by as much as time passed, or were each made within their own run.
func followsClock(t *fieldStats, _ conditions) []mapfile.Evidence {
	c := t.clock
	if c.follows > 0 && c.follows >= 9*c.strays {
		return says(mapfile.SignFollowsClock)
	}
	for _, n := range c.lasts {
		if n > 0 && n == c.lastTried && n >= 2 {
			return saysOf(mapfile.SignFollowsClock, clockElapsed)
		}
	}
	if c.steady.Holds(c.strays) {
		return saysOf(mapfile.SignFollowsClock, clockSteady)
	}
	return nil
}

// followsAddress: nothing changed but the authority that the client asked for.
func followsAddress(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.network.hostMoves > 0 && t.network.otherMoves == 0 {
		return says(mapfile.SignFollowsAddress)
	}
	return nil
}

// signedOrSalted: values that nobody makes but by signing or salting, and that so differ for each answer.
func signedOrSalted(t *fieldStats, _ conditions) []mapfile.Evidence {
	switch {
	case !t.values.only(notation.String):
	case t.values.shapes&notation.ShapeJWT != 0:
		return saysOf(mapfile.SignShape, shapeJWT)
	case strings.Contains(string(t.place), "/"+exchange.PartJWT+"/signature"):
		return saysOf(mapfile.SignName, "signature")
	case t.values.shapes&notation.ShapeBcrypt != 0:
		return saysOf(mapfile.SignShape, shapeBcrypt)
	}
	return nil
}

// leaf returns the last segment of a place without case and separators: "processid" of /body/process_id.
func leaf(p exchange.Place) string { return separators.Replace(strings.ToLower(nameOf(p))) }

// nameOf returns the last segment of a place that is a name.
func nameOf(p exchange.Place) string {
	segments := p.Segments()
	for len(segments) > 1 && segments[len(segments)-1] == exchange.Wildcard {
		segments = segments[:len(segments)-1]
	}
	return segments[len(segments)-1]
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// namedEnvironment: the name or the form of the value says which part of the machine it is. A name is weak evidence,
// but of a process id there is no other within one process.
func namedEnvironment(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.values.only(notation.String) && t.values.shapes&notation.ShapeTempPath != 0 {
		return saysOf(mapfile.SignShape, "temp-path")
	}
	switch name := leaf(t.place); name {
	case "pid", "processid", "port", "localport", "serverport", "remoteport", "clientport", "host", "hostname",
		"servername",
		"tmpdir", "tempdir", "cwd", "workdir", "locale", "timezone":
		return saysOf(mapfile.SignName, name)
	}
	return nil
}

// followsState: fresh runs agree, or all do; or a counter went on from run to run; or, where nothing was reset, what is
// there went for good or came to stay.
func followsState(t *fieldStats, c conditions) []mapfile.Evidence {
	p, k := t.runs, t.kinds
	structural := k.added+k.removed+k.resized > 0 || t.place == exchange.PlaceStatus
	bothWays := k.added > 0 && k.removed > 0 || t.sizes.Mixed()
	switch {
	case p.jitter == 0 && p.continued > 0:
		return says(mapfile.SignContinuedOnly)
	case p.jitter == 0 && p.drift > 0:
		return says(mapfile.SignRunsAgree)
	case (p.rising >= 3) != (p.sinking >= 3) && p.wavering == 0 && (p.rising == 0 || p.sinking == 0) && p.counts(t):
		return says(mapfile.SignCounter)
	case t.shifts.Same() && t.clock.follows == 0 && !t.order.RefutesCounting():
		return says(mapfile.SignSameShift)
	case structural && p.returns == 0 && !c.reset && !bothWays && (p.jitter > 0 || p.single > 0):
		return says(mapfile.SignNoReturn)
	case structural && p.jitter == 0 && p.single > 0 && !bothWays:
		return says(mapfile.SignOneRun)
	}
	return nil
}

var reDuration = lazy.Regexp(
	`elapsed|duration|took|(millis|seconds|minutes|ms)(since|ago)|latency|uptime|runtime|` +
		`responsetime|processingtime|servertiming|millis$|nanos$|time(in)?(ms|us|ns|s|sec|seconds)$`)

// reWait is what is called what is left until something may be tried again, or ends (RFC 9110, Retry-After).
var reWait = lazy.Regexp(`^((retry|resets?|expires?|valid|available|wait|cooldown|backoff|locked|lockout|unlocks?)` +
	`(in|after|for|left|remaining)|ttl|backoff|cooldown|ratelimitreset)(ms|millis|s|secs?|seconds|minutes)?$`)

// namedWait: a number that is called what one waits for. It is counted by the clock even where all runs came to it at
// one time.
func namedWait(t *fieldStats, _ conditions) []mapfile.Evidence {
	name := leaf(t.place)
	if t.place.Root() == "header" {
		name = strings.TrimPrefix(name, "x")
	}
	if !reWait().MatchString(name) || t.kinds.value == 0 || t.values.numbers == 0 && !t.values.all(notation.AllDigits) {
		return nil
	}
	return saysOf(mapfile.SignName, "wait")
}

// namedDuration: a number that varies, or a header, and that is called what durations are called.
func namedDuration(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.runs.jitter == 0 && t.runs.drift+t.runs.continued > 0 {
		return nil
	}
	if t.place == mapfile.PlaceTiming {
		return saysOf(mapfile.SignName, "duration")
	}
	if name := leaf(t.place); reDuration().MatchString(name) && (t.values.numbers > 0 || t.place.Root() == "header") {
		return saysOf(mapfile.SignName, "duration")
	}
	return nil
}

// reDigest is a digest with the name of what made it before it: SHA-256=…, sha512-….
var reDigest = lazy.Regexp(`^(?i:sha-?(1|224|256|384|512)|md5)[=:-][A-Za-z0-9+/_-]{16,}:?={0,2}$`)

// digest: the length and alphabet of a digest, or the place of one. A hex string of 32 digits may as well be an id, so
// there the name decides, or that it moves when and only when something beside it does.
func digest(t *fieldStats, _ conditions) []mapfile.Evidence {
	name := leaf(t.place)
	if t.place == exchange.HeaderPlace("ETag") {
		return saysOf(mapfile.SignName, "etag")
	}
	v := &t.values
	if !v.only(notation.String) || v.minLen != v.maxLen {
		return nil
	}
	if t.digest.computed() && v.shapes&digestShapes != 0 {
		return []mapfile.Evidence{mapfile.SignShape.Of("digest"), mapfile.SignMovesWithInput.Alone()}
	}
	named := false
	for _, part := range []string{"etag", "hash", "digest", "signature", "checksum", "mac", "sha", "md5", "sig", "crypt",
		"cipher"} {
		named = named || strings.Contains(name, part)
	}
	switch {
	case v.all(reDigest().MatchString):
		return saysOf(mapfile.SignShape, "digest")
	case v.shapes&notation.ShapeHex != 0:
		switch v.minLen {
		case 40, 56, 64, 96, 128:
			return saysOf(mapfile.SignShape, "digest")
		case 8, 16, 32:
			if named {
				return saysOf(mapfile.SignShape, "digest")
			}
		}
	case v.shapes&notation.ShapeBase64 != 0 && named:
		return saysOf(mapfile.SignShape, "digest")
	}
	return nil
}

// writtenDuration: every value is a duration with its units.
func writtenDuration(t *fieldStats, _ conditions) []mapfile.Evidence {
	all := t.values.texts()
	for _, s := range all {
		if _, ok := notation.Duration(s); !ok {
			return nil
		}
	}
	if len(all) == 0 || !t.values.only(notation.String) {
		return nil
	}
	return saysOf(mapfile.SignShape, "duration")
}

// comesAndGoes: there or not, null or not, longer or shorter, one word or another, for no reason that the requests
// give.
func comesAndGoes(t *fieldStats, _ conditions) []mapfile.Evidence {
	k := t.kinds
	switch {
	case k.null > 0 && k.null == k.moves():
		return says(mapfile.SignSometimesNull)
	case k.added+k.removed > 0:
		return says(mapfile.SignSometimesAbsent)
	case k.resized > 0:
		return says(mapfile.SignSometimesResized)
	case t.place == exchange.PlaceStatus:
		return says(mapfile.SignSometimesFails)
	case k.retyped > 0:
		return says(mapfile.SignSometimesRetyped)
	case t.values.only(notation.String) && !t.values.overflow && t.place.Root() == "body":
		if v := &t.values; !spaced(v.distinct) || v.unlike() && !spacedAll(v.distinct) {
			return says(mapfile.SignClosedSet)
		}
	}
	return nil
}

// message: a text of several words of which some vary.
func message(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.values.strings > 0 && t.kinds.value > 0 && (spaced(t.values.distinct) || len(t.values.long) > 0) {
		return says(mapfile.SignMessage)
	}
	return nil
}

// spacedAll reports whether all strings are texts of several words.
func spacedAll(distinct []string) bool {
	return !slices.ContainsFunc(distinct, func(raw string) bool { return raw[0] == '"' && !strings.Contains(raw, " ") })
}

// spaced reports whether any of the tokens is a text of several words.
func spaced(distinct []string) bool {
	for _, raw := range distinct {
		if v := notation.ScalarOf(raw); v.Kind == notation.String && strings.Contains(strings.TrimSpace(v.Text), " ") {
			return true
		}
	}
	return false
}

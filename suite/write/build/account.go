package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"

	"github.com/flaketap/flaketap/flow/message"
)

// Signing up is what no test can do for itself: the second time it is refused, for the name is taken. An account that
// some login of the recording needs is made once for all tests, before the login, and what is asserted of its making is
// asserted there.

// minIdentity is the least length of what names who logs in.
const minIdentity = 3

// maxMakers bounds how many requests that sent a password are looked through for the one that made the account.
const maxMakers = 50

// readAccounts finds, for each login, the request that made its account: the last write before it that sent the same
// passwords and tells of the one who logs in. Those makers that depend on nothing themselves can be shared.
func (b *builder) readAccounts() {
	b.accountOf, b.accounts = map[uint64]uint64{}, map[uint64]bool{}
	sent := map[string][]*exchange.Exchange{} // writes, by the passwords that they sent
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		if unsendable(e) != "" || e.Request.Safe() || e.Response.Status >= 400 {
			continue
		}
		passwords := b.passwords(e)
		if len(passwords) > 0 && slices.ContainsFunc(b.producers[e.Seq], b.secretBinding) {
			if maker := b.maker(e, passwords, sent[passwords[0]]); maker != nil {
				b.accountOf[e.Seq] = maker.Seq
			}
			continue
		}
		for _, p := range passwords {
			sent[p] = append(sent[p], e)
		}
	}
	for _, maker := range b.accountOf {
		b.accounts[maker] = len(b.dependsOn(b.steps[maker].Exchange, history)) == 0
	}
}

// passwords lists the secrets of a request's body, each once.
func (b *builder) passwords(e *exchange.Exchange) []string {
	var out []string
	for _, s := range b.secretsOf(e) {
		if s.place.Root() == "body" && !slices.Contains(out, s.value) {
			out = append(out, s.value)
		}
	}
	return out
}

// maker finds among writes that sent the first of the passwords the last one that sent all of them, and tells of one
// whom the login names.
func (b *builder) maker(login *exchange.Exchange, passwords []string, writes []*exchange.Exchange) *exchange.Exchange {
	var names []string
	message.Values(&login.Request, func(place exchange.Place, value string) bool {
		if place.Root() == "body" && len(value) >= minIdentity && !slices.Contains(passwords, value) {
			names = append(names, value)
		}
		return true
	})
	for _, w := range slices.Backward(writes[max(0, len(writes)-maxMakers):]) {
		own := b.passwords(w)
		if slices.ContainsFunc(passwords, func(p string) bool { return !slices.Contains(own, p) }) {
			continue
		}
		if text := requestText(w) + "\n" + b.makersTexts(w); slices.ContainsFunc(names,
			func(n string) bool { return holdsWord(text, n) }) {
			return w
		}
	}
	return nil
}

// makersTexts is what the requests said that gave a write the ids that it uses: to change a password names an account
// by its id.
func (b *builder) makersTexts(w *exchange.Exchange) string {
	text := ""
	for _, u := range b.uses[w.Seq] {
		if p := b.steps[u.binding.Producer.Seq]; p != nil && u.place.Root() == "path" && len(text) < maxText {
			text += requestText(p.Exchange) + "\n"
		}
	}
	return text
}

// common reports whether an exchange makes an account that a test which sends these can share with others: none takes
// it away, or changes its password.
func (b *builder) common(maker uint64, sends []uint64) bool {
	if !b.accounts[maker] {
		return false
	}
	return !slices.ContainsFunc(sends, func(seq uint64) bool {
		e := b.steps[seq].Exchange
		if seq == maker || e.Request.Safe() || e.Request.Method != "DELETE" && len(b.passwords(e)) == 0 {
			return false
		}
		return slices.ContainsFunc(b.uses[seq], func(u use) bool {
			return u.place.Root() == "path" &&
				u.binding.Producer.Seq == maker
		})
	})
}

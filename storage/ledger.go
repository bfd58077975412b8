package storage

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// Ledger keeps accounts of the objects in an [Engine], and refuses writes that exceed a quota. Package rest/quota has one.
//
// A ledger counts the records of registered resources. The engine calls Book and [Claim.Check] under its lock, so a check sees every write
// that comes before its own, and no other. Both must return quickly, and must not call the engine.
type Ledger interface {
	// Creator names whoever creates objects in calls with a context. The engine stores the name as [Record.Creator].
	Creator(ctx context.Context) string
	// Claim returns what a group of changes takes from limited accounts, or nil if it takes nothing. The entries have neither a revision nor
	// a form. The engine calls Claim outside every lock, once for each attempt to commit the group.
	Claim(ctx context.Context, group []Entry) Claim
	// Book replaces a record by another one in the accounts. Either may be nil. The engine calls Book once for each change that it commits,
	// and for each record when its resource is registered, upgraded or unregistered.
	Book(previous, current *Record)
}

// Claim is what a group of changes takes from the accounts of a [Ledger].
type Claim interface {
	// Check returns an [Exceeded] if an account has no room for the group. The engine then does not commit the group, and the update returns
	// this error.
	Check() error
	// Accounts names the accounts that Check reads, in ascending order. See [Group.Accounts].
	Accounts() []string
}

// Exceeded is the error of a write that exceeds a quota. Servers send it as 403 Forbidden.
type Exceeded struct {
	// Quota is the name of the quota.
	Quota string
	// Figures says what was requested, used and allowed. It is empty if the writer may not learn the figures.
	Figures string
}

// Error returns the message in the words of Kubernetes.
func (e *Exceeded) Error() string {
	if e.Figures == "" {
		return "exceeded quota: " + e.Quota
	}
	return "exceeded quota: " + e.Quota + ", " + e.Figures
}

// Rehearser is a [Store] that can tell whether a write would exceed a quota. The API uses it for dry runs.
type Rehearser interface {
	// Rehearse returns the error with which the store's [Ledger] would refuse to replace the current record of an object by the next JSON.
	// It neither changes nor keeps the JSON.
	Rehearse(ctx context.Context, key Key, current *Record, next []byte) error
}

var _ Rehearser = (*Engine)(nil)

// Rehearse implements [Rehearser].
func (m *Engine) Rehearse(ctx context.Context, key Key, current *Record, next []byte) error {
	if m.ledger == nil {
		return nil
	}
	t, err := m.tableOf(key)
	if err != nil {
		return err
	}
	one := []write{{table: t, form: m.formOf(t), key: key, base: current}}
	if err := one[0].prepare(bytes.Clone(next), m.log.Revision()+1); err != nil {
		return err
	}
	claim := m.claim(ctx, one)
	if claim == nil {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return claim.Check()
}

// claim completes prepared writes for the ledger, and returns what they take from limited accounts. It returns nil if they take nothing.
func (m *Engine) claim(ctx context.Context, writes []write) Claim {
	if m.ledger == nil {
		return nil
	}
	group := make([]Entry, 0, len(writes))
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		key := w.key
		if w.next != nil {
			key = w.next.Key
			if w.base == nil {
				w.next.Creator = m.ledger.Creator(ctx)
			}
		}
		group = append(group, Entry{Key: key, Previous: w.base, Current: w.next})
	}
	if len(group) == 0 {
		return nil
	}
	return m.ledger.Claim(ctx, group)
}

// book passes committed changes to the ledger. The caller holds m.mu.
func (m *Engine) book(writes []write) {
	if m.ledger == nil {
		return
	}
	for i := range writes {
		if w := &writes[i]; w.changes && w.table.booked {
			m.ledger.Book(w.base, w.next)
		}
	}
}

// bookTable adds the records of a table to the accounts, unless they are already there. The caller holds m.mu.
func (m *Engine) bookTable(t *table) {
	if m.ledger == nil || t.booked {
		return
	}
	t.booked = true
	t.tree.Scan(func(r *Record) bool {
		m.ledger.Book(nil, r)
		return true
	})
}

// unbookTable removes the records of a table from the accounts. The caller holds m.mu.
func (m *Engine) unbookTable(t *table) {
	if m.ledger == nil || !t.booked {
		return
	}
	t.booked = false
	t.tree.Scan(func(r *Record) bool {
		m.ledger.Book(r, nil)
		return true
	})
}

// replaceTree calls a function that replaces the records of a table, and corrects the accounts. The caller holds m.mu.
func (m *Engine) replaceTree(t *table, replace func()) {
	booked := t.booked
	m.unbookTable(t)
	replace()
	if booked {
		m.bookTable(t)
	}
}

// claimRounds bounds how often a replica proposes a group again because other replicas have charged the same accounts.
const claimRounds = 64

// proposeClaim is propose for a group that charges limited accounts. Writes of this replica that charge the same account propose one after
// the other, because each of them needs the state after the one before. If another replica has charged the account meanwhile, the group is
// proposed again without calling the update function. A refusal needs a state at least as recent as the call.
func (m *Engine) proposeClaim(ctx context.Context, writes []write, claim Claim, now time.Time) (first watch.Revision, done bool, err error) {
	accounts := claim.Accounts()
	held := make([]turn, len(accounts))
	for i, account := range accounts {
		held[i].take(ctx, &m.replica.turns, Key{Name: account}, m.opts.MaxWait)
		defer held[i].end()
	}
	recent := false
	for range claimRounds {
		first, done, err = m.proposeOnce(ctx, writes, claim, now)
		_, exceeded := errors.AsType[*Exceeded](err)
		switch {
		case exceeded && !recent:
			if _, err := m.check(ctx); err != nil {
				return 0, false, err
			}
			recent = true
		case done || err != nil || !m.unchanged(writes):
			return first, done, err
		}
	}
	return first, done, err
}

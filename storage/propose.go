package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// propose is commit for a replica: the authority checks the preconditions and assigns the revisions. It returns when the replica shows the
// group. It returns done == false if a record has changed; the replica then shows the change.
func (m *Engine) propose(ctx context.Context, writes []write, claim Claim, now time.Time) (first watch.Revision, done bool, err error) {
	if claim != nil {
		return m.proposeClaim(ctx, writes, claim, now)
	}
	return m.proposeOnce(ctx, writes, nil, now)
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

// proposeOnce makes one proposal.
func (m *Engine) proposeOnce(ctx context.Context, writes []write, claim Claim, now time.Time) (first watch.Revision, done bool, err error) {
	group, ok, err := m.proposal(writes, claim, now)
	if !ok || err != nil {
		return 0, false, err
	}
	defer m.endProposals(writes)
	if len(group.Entries) == 0 {
		done, err := m.confirmed(ctx, writes)
		return 0, done, err
	}
	if m.replica.failure() != nil { // a refusal tells the client more than an unknown outcome
		if _, err := m.check(ctx); err != nil {
			return 0, false, err
		}
	}
	verdict, err := m.replica.authority.Commit(ctx, group)
	if err != nil {
		if errors.Is(err, ErrUnknown) && ctx.Err() == nil {
			m.replica.note(err)
		}
		return 0, false, err
	}
	if !verdict.Done {
		return 0, false, m.awaitArrival(ctx, verdict.Revision, Unavailable)
	}
	revision := verdict.Revision
	for i := range writes {
		if w := &writes[i]; w.changes {
			if w.next != nil {
				w.next.stamp(revision)
			}
			revision++
		}
	}
	return verdict.Revision, true, m.awaitArrival(ctx, revision-1, Unknown)
}

// proposal returns the group for the authority, without entries if no write changes anything. It returns false if the replica already shows
// another record for a key. After true, the caller must end the commit.
func (m *Engine) proposal(writes []write, claim Claim, now time.Time) (group Group, ok bool, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return Group{}, false, ErrClosed
	}
	if m.revision+watch.Revision(len(writes)) > maxRevision {
		return Group{}, false, ErrRevision
	}
	changes := false
	group = Group{At: now, Entries: make([]Entry, 0, len(writes))}
	for i := range writes {
		w := &writes[i]
		t := w.table
		if t.dormant {
			return Group{}, false, notRegistered(t.name)
		}
		if t.form != w.form || m.find(t, w.key) != w.base {
			return Group{}, false, nil
		}
		if bad := t.bad[w.key]; bad != nil {
			return Group{}, false, ReadOnly(fmt.Errorf("another replica has stored a text that this program cannot read: %w", bad))
		}
		e := Entry{Key: w.key, Previous: w.base, Current: w.base, Form: w.form.Fingerprint}
		if w.changes {
			if form, ok := t.newer[w.key]; ok && !m.opts.OverwriteNewer {
				return Group{}, false, newerForm(form)
			}
			if w.next != nil {
				w.next.Written = now.UnixMicro()
			}
			changes, e.Current = true, w.next
		}
		group.Entries = append(group.Entries, e)
	}
	if !changes {
		group.Entries = nil
	}
	if claim != nil {
		if err := claim.Check(); err != nil {
			return Group{}, false, err
		}
		group.Accounts, group.Seen = claim.Accounts(), m.revision
	}
	m.replica.commits.Add(1)
	for i := range writes {
		w := &writes[i]
		w.proposals = w.table.proposals
		w.proposals.Add(1)
	}
	return group, true, nil
}

// awaitArrival waits for at most MaxWait until the replica shows a revision. If it does not, awaitArrival returns the cause as the kind of
// error that fail makes.
func (m *Engine) awaitArrival(ctx context.Context, revision watch.Revision, fail func(error) error) error {
	if revision <= m.log.Revision() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, m.opts.MaxWait)
	defer cancel()
	err := m.log.Wait(bounded, revision)
	if err == nil || errors.Is(err, ErrClosed) && m.log.Revision() < revision {
		return err
	}
	return fail(errors.Join(err, m.replica.failure()))
}

// confirmed reports whether the records that an update function saw are the latest.
func (m *Engine) confirmed(ctx context.Context, writes []write) (bool, error) {
	if _, err := m.check(ctx); err != nil {
		return false, err
	}
	return m.unchanged(writes), nil
}

// unchanged reports whether the replica shows the records that an update function saw.
func (m *Engine) unchanged(writes []write) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for i := range writes {
		if w := &writes[i]; w.table.form != w.form || m.find(w.table, w.key) != w.base {
			return false
		}
	}
	return true
}

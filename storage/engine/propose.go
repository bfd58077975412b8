package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// commit implements [committer]. The authority checks the preconditions and assigns the revisions. commit returns when
// the replica shows the group, or what has changed.
func (r *replica) commit(ctx context.Context, writes []write, claim storage.Claim,
	now time.Time) (first watch.Revision, done bool, err error) {
	if claim != nil {
		return r.proposeClaim(ctx, writes, claim, now)
	}
	return r.propose(ctx, writes, nil, now)
}

// claimRounds bounds how often a replica proposes a group again because other replicas have charged the same accounts.
const claimRounds = 64

// proposeClaim proposes a group that charges limited accounts. Writes of this replica that charge the same account
// propose one after the other, because each of them needs the state after the one before. If another replica has
// charged the account meanwhile, the group is proposed again without calling the update function. A refusal needs a
// state at least as recent as the call.
func (r *replica) proposeClaim(
	ctx context.Context, writes []write, claim storage.Claim, now time.Time,
) (first watch.Revision, done bool, err error) {
	accounts := claim.Accounts()
	held := make([]turn, len(accounts))
	for i, account := range accounts {
		held[i].key.Name = account
		held[i].take(ctx, &r.turns, r.opts.MaxWait)
		defer held[i].end()
	}
	recent := false
	for range claimRounds {
		first, done, err = r.propose(ctx, writes, claim, now)
		_, exceeded := errors.AsType[*storage.Exceeded](err)
		switch {
		case exceeded && !recent:
			if _, err := r.check(ctx); err != nil {
				return 0, false, err
			}
			recent = true
		case done || err != nil || !r.unchanged(writes):
			return first, done, err
		}
	}
	return first, done, err
}

// propose makes one proposal.
func (r *replica) propose(ctx context.Context, writes []write, claim storage.Claim,
	now time.Time) (first watch.Revision, done bool, err error) {
	group, ok, err := r.proposal(writes, claim, now)
	if !ok || err != nil {
		return 0, false, err
	}
	defer r.endProposal(writes)
	if len(group.Entries) == 0 {
		done, err := r.confirmed(ctx, writes)
		return 0, done, err
	}
	if r.health.failure() != nil { // a refusal tells the client more than an unknown outcome
		if _, err := r.check(ctx); err != nil {
			return 0, false, err
		}
	}
	began := time.Now()
	verdict, err := r.authority.Commit(ctx, group)
	r.synced(began)
	if err != nil {
		if errors.Is(err, storage.ErrUnknown) && ctx.Err() == nil {
			r.health.note(err)
		}
		return 0, false, err
	}
	if !verdict.Done {
		return 0, false, r.awaitArrival(ctx, verdict.Revision, storage.Unavailable)
	}
	revision := verdict.Revision
	for i := range writes {
		if w := &writes[i]; w.changes {
			if w.next != nil {
				stamp(w.next, revision)
			}
			revision++
		}
	}
	err = r.awaitArrival(ctx, revision-1, storage.Unknown)
	return verdict.Revision, true, cmp.Or(err, replaceKept(writes, verdict.Kept))
}

// replaceKept replaces the records of a committed group by what the authority has kept in their place. It fails if this
// program cannot read what the authority has kept, although the group is committed.
func replaceKept(writes []write, kept []Stored) error {
	for i := range kept {
		for j := range writes {
			w := &writes[j]
			switch {
			case w.key != kept[i].Key:
			case w.base != nil && w.base.Revision == kept[i].Revision:
				w.next, w.changes = nil, false
			default:
				next, err := w.table.received(&kept[i], w.form, w.base)
				if err != nil {
					return aboutKey(w.key,
						fmt.Errorf("the write is committed, but what the authority has kept cannot be read: %w", err))
				}
				w.next = next
			}
		}
	}
	return nil
}

// proposal returns the group for the authority, without entries if no write changes anything. It returns false if the
// replica already shows another record for a key. After true, the caller must end the proposal.
func (r *replica) proposal(writes []write, claim storage.Claim, now time.Time) (group Group, ok bool, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	changes, ok, err := r.examine(writes, r.revision)
	if !ok {
		return Group{}, false, err
	}
	group.At = now
	for i := range writes {
		w := &writes[i]
		if bad := w.table.bad[w.key]; bad != nil {
			return Group{}, false, unreadable(bad)
		}
		if err := r.refuseNewer(w); err != nil {
			return Group{}, false, err
		}
	}
	if changes > 0 {
		group.Entries = entriesOf(writes, now)
	}
	if claim != nil {
		if err := claim.Check(); err != nil {
			return Group{}, false, err
		}
		group.Accounts, group.Seen = claim.Accounts(), r.revision
	}
	r.beginProposal(writes)
	return group, true, nil
}

// entriesOf returns the changes and the preconditions of a group.
func entriesOf(writes []write, now time.Time) []storage.Entry {
	entries := make([]storage.Entry, len(writes))
	for i := range writes {
		w := &writes[i]
		entries[i] = storage.Entry{Key: w.key, Previous: w.base, Current: w.base, Form: w.form.Fingerprint}
		if !w.changes {
			continue
		}
		if w.next != nil {
			w.next.Written = storage.MomentOf(now)
		}
		entries[i].Current = w.next
	}
	return entries
}

// beginProposal makes drain and close wait for a proposal. The caller holds the lock.
func (r *replica) beginProposal(writes []write) {
	r.calls.Add(1)
	for i := range writes {
		w := &writes[i]
		w.proposals = w.table.proposals
		w.proposals.Add(1)
	}
}

func (r *replica) endProposal(writes []write) {
	for i := range writes {
		writes[i].proposals.Done()
	}
	r.calls.Done()
}

// drain implements [committer]. It does not wait for proposals that begin after the call.
func (r *replica) drain(ctx context.Context, t *table) error {
	ended, proposals := make(chan struct{}), r.renewProposals(t)
	go func() {
		proposals.Wait()
		close(ended)
	}()
	return await(ctx, ended)
}

// renewProposals returns the proposals to a table that are in progress. Later proposals do not join them.
func (r *replica) renewProposals(t *table) *sync.WaitGroup {
	r.mu.Lock()
	defer r.mu.Unlock()
	proposals := t.proposals
	t.proposals = &sync.WaitGroup{}
	return proposals
}

// awaitArrival waits for at most MaxWait until the replica shows a revision. If it does not, awaitArrival returns the
// cause as the kind of error that fail makes.
func (r *replica) awaitArrival(ctx context.Context, revision watch.Revision, fail func(error) error) error {
	if revision <= r.log.Revision() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, r.opts.MaxWait)
	defer cancel()
	err := r.log.Wait(bounded, revision)
	if err == nil || errors.Is(err, storage.ErrClosed) && r.log.Revision() < revision {
		return err
	}
	return fail(errors.Join(err, r.health.failure()))
}

func (r *replica) comparesTables() bool { return false }

func (r *replica) takeTurn(ctx context.Context, t *turn, failed int) {
	if failed > 0 || r.turns.wanted(t.key) {
		t.take(ctx, &r.turns, turnWait)
	}
}

func (r *replica) refused(ctx context.Context, writes []write, err error) (again bool, _ error) {
	latest, unconfirmed := r.confirmed(ctx, writes)
	return !latest && unconfirmed == nil, cmp.Or(unconfirmed, err)
}

// confirmed reports whether the records that an update function saw are the latest.
func (r *replica) confirmed(ctx context.Context, writes []write) (bool, error) {
	if _, err := r.check(ctx); err != nil {
		return false, err
	}
	return r.unchanged(writes), nil
}

// unchanged reports whether the replica shows the records that an update function saw.
func (r *replica) unchanged(writes []write) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := range writes {
		if w := &writes[i]; w.table.form != w.form || r.find(w.table, w.key) != w.base {
			return false
		}
	}
	return true
}

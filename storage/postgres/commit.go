package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

const (
	// maxShare bounds how many entries, and so how many groups, share a commit, unless one group has more entries.
	maxShare = 512
	// resolveWait is how long a commit without an answer waits for the feed to show it.
	resolveWait = 2 * time.Second
)

// The operations of an entry in commit_groups.
const (
	opCompare = iota
	opPut
	opDelete
)

// commits gathers the groups of all writers. At most one commit of a replica is under way, and takes all groups that
// wait.
type commits struct {
	mu       sync.Mutex
	waiting  []*proposal
	driven   bool
	expected map[int64]chan watch.Revision // receive the first revision of a group when the feed shows it, by origin
}

// proposal is a group that waits for its commit.
type proposal struct {
	engine.Group
	values  []value
	seen    chan watch.Revision // receives the first revision when the feed shows the group
	verdict engine.Verdict
	err     error
	done    chan struct{} // closed when verdict and err are set
}

// Commit implements [engine.Authority].
func (a *authority) Commit(ctx context.Context, group engine.Group) (engine.Verdict, error) {
	p := &proposal{Group: group, seen: make(chan watch.Revision, 1), done: make(chan struct{})}
	if err := a.encodeGroup(ctx, p); err != nil {
		return engine.Verdict{}, err
	}
	a.commits.mu.Lock()
	a.commits.waiting = append(a.commits.waiting, p)
	leads := !a.commits.driven
	a.commits.driven = true
	a.commits.mu.Unlock()
	switch {
	case leads && a.outlasts(ctx):
		a.lead()
	case leads:
		a.running.Go(a.driveCommits)
	}
	select {
	case <-p.done:
		return p.verdict, p.err
	case <-ctx.Done():
		return engine.Verdict{}, storage.Unknown(ctx.Err())
	}
}

// encodeGroup makes the values of a group.
func (a *authority) encodeGroup(ctx context.Context, p *proposal) (err error) {
	p.values = make([]value, len(p.Entries))
	for i, e := range p.Entries {
		for _, part := range []string{e.Key.Resource, e.Key.Namespace, e.Key.Name} {
			if !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
				return fmt.Errorf("%w: Postgres does not store the name %q", storage.ErrKey, part)
			}
		}
		if e.Current == nil || e.Current == e.Previous {
			continue
		}
		if p.values[i], err = a.encode(ctx, e.Key, a.Forms.Number(e.Key.Resource, e.Form), e.Current); err != nil {
			return err
		}
	}
	return nil
}

// outlasts reports whether a context allows the time that a commit may take at most.
func (a *authority) outlasts(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > a.opts.Timeout+resolveWait
}

// lead commits in the goroutine of a writer, which makes a commit faster by a tenth. Writers that wait afterwards have
// a goroutine of the store, so that the first one returns.
func (a *authority) lead() {
	a.commitNext()
	a.commits.mu.Lock()
	defer a.commits.mu.Unlock()
	if a.commits.driven = len(a.commits.waiting) > 0; a.commits.driven {
		a.running.Go(a.driveCommits)
	}
}

// driveCommits commits what waits, until nothing waits.
func (a *authority) driveCommits() {
	for a.commitNext() {
	}
}

// commitNext makes the next commit. If nothing waits, it returns false, and the next proposer must drive the commits.
func (a *authority) commitNext() bool {
	a.commits.mu.Lock()
	batch := a.commits.take()
	a.commits.driven = len(batch) > 0
	a.commits.mu.Unlock()
	if len(batch) > 0 {
		a.commitAll(batch)
	}
	return len(batch) > 0
}

// take removes the groups of the next commit from those that wait. Two groups that concern the same object or account
// do not share a commit. The caller holds the lock.
func (c *commits) take() (batch []*proposal) {
	var left []*proposal
	keys, accounts, entries := map[storage.Key]bool{}, map[string]bool{}, 0
	for _, p := range c.waiting {
		fits := len(batch) == 0 || entries+len(p.Entries) <= maxShare
		for _, e := range p.Entries {
			fits = fits && !keys[e.Key]
		}
		for _, name := range p.Accounts {
			fits = fits && !accounts[name]
		}
		for _, e := range p.Entries { // a group that waits must not be overtaken by another one of the same object
			keys[e.Key] = true
		}
		for _, name := range p.Accounts {
			accounts[name] = true
		}
		if fits {
			batch, entries = append(batch, p), entries+len(p.Entries)
		} else {
			left = append(left, p)
		}
	}
	c.waiting = left
	return batch
}

// commitAll makes one commit, and passes the verdicts to the writers. The contexts of the writers do not end it,
// because it serves all of them.
func (a *authority) commitAll(batch []*proposal) {
	origin := (1 + rand.Int64N(1<<52)) * maxShare
	a.commits.expect(batch, origin)
	defer a.commits.forget(batch, origin)
	first, last, err := a.send(batch, origin)
	if err != nil {
		a.feed.wake(0)
		a.settle(batch, err)
		return
	}
	a.noteRefusal(nil)
	a.feed.wake(last)
	now := changed{objects: map[storage.Key]watch.Revision{}, accounts: map[string]watch.Revision{}}
	for i, p := range batch {
		if first[i] == 0 {
			p.refuse(last)
			continue
		}
		now.add(p, first[i])
		p.verdict = engine.Verdict{Done: true, Revision: first[i]}
		close(p.done)
	}
	a.commits.refuse(&now, last)
}

// refuse ends the proposal of a group that was not committed. The replica sees why at a revision.
func (p *proposal) refuse(at watch.Revision) {
	p.verdict = engine.Verdict{Revision: at}
	close(p.done)
}

// changed is what a commit has changed: the objects with their new revisions, or 0 for those that were deleted, and the
// accounts.
type changed struct {
	objects  map[storage.Key]watch.Revision
	accounts map[string]watch.Revision
}

// add adds a group whose first revision is given.
func (c *changed) add(p *proposal, first watch.Revision) {
	for _, name := range p.Accounts {
		c.accounts[name] = first
	}
	for _, e := range p.Entries {
		switch e.Current {
		case e.Previous:
			continue
		case nil:
			c.objects[e.Key] = 0
		default:
			c.objects[e.Key] = first
		}
		first++
	}
}

// fails reports whether a group was proposed before the commit, and concerns what the commit has changed.
func (c *changed) fails(p *proposal) bool {
	for _, e := range p.Entries {
		previous := watch.Revision(0)
		if e.Previous != nil {
			previous = e.Previous.Revision
		}
		if now, ok := c.objects[e.Key]; ok && now != previous {
			return true
		}
	}
	for _, name := range p.Accounts {
		if p.Seen < c.accounts[name] {
			return true
		}
	}
	return false
}

// refuse refuses the groups that wait and cannot be committed any more, without asking Postgres. So writers of one
// object learn at once that they must try again.
func (c *commits) refuse(now *changed, last watch.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(p *proposal) bool {
		fails := now.fails(p)
		if fails {
			p.refuse(last)
		}
		return fails
	})
}

const (
	// commitStatement commits groups in one round trip.
	commitStatement = `SELECT o_first, o_last FROM {schema}.commit_groups($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
		$15, $16, $17, $18, $19)`
	// commitOneStatement commits one change. It returns NULL, and changes nothing, if this needs commitStatement.
	commitOneStatement = `SELECT {schema}.commit_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
		$16, $17)`
)

// send commits a batch. It returns the first revision of each group, or 0 if it was refused, and the last revision of
// the store.
func (a *authority) send(batch []*proposal, origin int64) (first []watch.Revision, last watch.Revision, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), a.opts.Timeout)
	defer cancel()
	conn, err := a.opts.Pool.Acquire(ctx)
	if err != nil {
		return nil, 0, storage.Unavailable(fmt.Errorf("Postgres does not answer: %w", err))
	}
	defer conn.Release()
	a.feed.commits(conn.Conn().PgConn().PID())
	defer a.feed.commits(0)
	args := gather(batch)
	if args.single() {
		var revision *watch.Revision
		one := append([]any{newest, a.patience(), a.channel(), a.listener.Load(), origin}, args.one()...)
		err := a.query(ctx, conn, commitOneStatement, one, &revision)
		if err != nil {
			return nil, 0, err
		}
		if revision != nil {
			a.show(batch[0], *revision)
			return []watch.Revision{*revision}, *revision, nil
		}
	}
	all := append([]any{newest, a.patience(), origin}, args.all()...)
	err = a.query(ctx, conn, commitStatement, all, &first, &last)
	return first, last, err
}

// show passes the only change of a group to the engine, if everything before has arrived. Otherwise the feed does that.
func (a *authority) show(p *proposal, revision watch.Revision) {
	if a.feed.at() != revision-1 {
		return
	}
	key, s := p.Entries[0].Key, engine.Stored{Key: p.Entries[0].Key, Revision: revision}
	if p.Entries[0].Current != nil {
		s = a.decode(context.Background(), key, revision, &p.values[0])
	}
	group := engine.Arrival{Entries: []engine.Stored{s}, End: revision, At: p.At, NoWait: true}
	if err := a.feed.arrive(revision, group); err != nil {
		a.feed.wake(0) // the feed reads and passes the change
		return
	}
	a.follows(revision)
}

// settle passes the outcome of a commit that has failed to its writers.
func (a *authority) settle(batch []*proposal, err error) {
	outcome := err
	if !isUnavailable(err) {
		if outcome = refusal(err); outcome != nil && isReadOnly(outcome) {
			a.noteRefusal(outcome)
		}
	}
	if outcome == nil {
		outcome = storage.Unknown(err)
		a.awaitFeed(batch)
	}
	for _, p := range batch {
		select {
		case p.verdict.Revision = <-p.seen:
			p.verdict.Done = true
		default:
			p.err = outcome
		}
		close(p.done)
	}
}

// awaitFeed waits for a while until the feed shows the groups of a commit. It shows all that were committed, or none.
func (a *authority) awaitFeed(batch []*proposal) {
	timer := time.NewTimer(resolveWait)
	defer timer.Stop()
	a.feed.wake(0)
	for _, p := range batch {
		select {
		case revision := <-p.seen:
			p.seen <- revision
		case <-timer.C:
			return
		}
	}
}

// expect makes the feed tell the groups of a batch whether they were committed.
func (c *commits) expect(batch []*proposal, origin int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range batch {
		c.expected[origin+int64(i)] = p.seen
	}
}

func (c *commits) forget(batch []*proposal, origin int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range batch {
		delete(c.expected, origin+int64(i))
	}
}

// resolve tells the writer of a group that the feed has shown it.
func (c *commits) resolve(origin int64, first watch.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seen, ok := c.expected[origin]; ok {
		seen <- first
		delete(c.expected, origin)
	}
}

// columnsOf are the arguments of commit_groups: an element for each entry, and for each account.
type columnsOf struct {
	group, op                []int32
	at                       []int64
	resource, namespace, key []string
	previous                 []int64
	form                     []int32
	written                  []int64
	creator, keyID           []string
	position                 []int32
	body                     [][]byte
	accountGroup             []int32
	account                  []string
	seen                     []int64
}

func (c *columnsOf) all() []any {
	return []any{c.group, c.op, c.at, c.resource, c.namespace, c.key, c.previous, c.form, c.written, c.creator, c.keyID,
		c.position, c.body, c.accountGroup, c.account, c.seen}
}

// single reports whether the arguments have one change and nothing else.
func (c *columnsOf) single() bool {
	return len(c.op) == 1 && c.op[0] != opCompare && len(c.account) == 0
}

// one returns the arguments of commit_one for the only change.
func (c *columnsOf) one() []any {
	return []any{c.op[0], c.at[0], c.resource[0], c.namespace[0], c.key[0], c.previous[0], c.form[0], c.written[0],
		c.creator[0], c.keyID[0], c.position[0], c.body[0]}
}

// gather returns the arguments for a batch.
func gather(batch []*proposal) *columnsOf {
	c := &columnsOf{accountGroup: []int32{}, account: []string{}, seen: []int64{}}
	for i, p := range batch {
		for j, e := range p.Entries {
			v, op := &p.values[j], opPut
			switch e.Current {
			case e.Previous:
				op = opCompare
			case nil:
				op = opDelete
			}
			previous := int64(0)
			if e.Previous != nil {
				previous = int64(e.Previous.Revision)
			}
			c.group, c.op, c.at = append(c.group, int32(i)), append(c.op, int32(op)), append(c.at, p.At.UnixMicro())
			c.resource, c.namespace, c.key = append(c.resource, e.Key.Resource), append(c.namespace, e.Key.Namespace),
				append(c.key, e.Key.Name)
			c.previous, c.form, c.written = append(c.previous, previous), append(c.form, int32(v.form)),
				append(c.written, v.written)
			c.creator, c.keyID = append(c.creator, v.creator), append(c.keyID, v.keyID)
			c.position, c.body = append(c.position, int32(v.position)), append(c.body, notNil(v.body))
		}
		for _, name := range p.Accounts {
			c.accountGroup, c.account, c.seen = append(c.accountGroup, int32(i)), append(c.account, name),
				append(c.seen, int64(p.Seen))
		}
	}
	return c
}

func notNil(body []byte) []byte {
	if body == nil {
		return []byte{}
	}
	return body
}

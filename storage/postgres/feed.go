package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// confirmWait is how long a replica waits for its own notification, with which it finds out whether LISTEN works.
const confirmWait = 5 * time.Second

const (
	// joinAgain is how long a replica waits before it tries again to join a Postgres that was read-only.
	joinAgain = time.Second
	// recount is how many notifications without news a replica receives before it counts the other replicas again. Most
	// of these notifications are its own, and have no use once the others have left.
	recount = 200
)

var errDeaf = errors.New("Postgres does not deliver notifications: " +
	"if the pool connects through PgBouncer in transaction mode, set Options.Poll")

// feed passes the changes to the engine, in order. It wakes the goroutine that follows them.
type feed struct {
	turn sync.Mutex                 // held while a group is passed
	pass func(engine.Arrival) error // nil unless the engine follows

	mu        sync.Mutex
	requested bool               // somebody knows that there is something to read
	interrupt context.CancelFunc // stops the wait; nil without one
	position  watch.Revision     // what was passed; it is written under both locks
	committer uint32             // the process of Postgres that serves a commit of this replica, or 0
}

// begin makes the feed pass the changes after a revision, until end is called.
func (f *feed) begin(after watch.Revision, pass func(engine.Arrival) error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	f.pass = pass
	f.moveTo(after)
}

func (f *feed) end() {
	f.turn.Lock()
	defer f.turn.Unlock()
	f.pass = nil
}

// arrive passes a group, unless that has been done. It returns 410 Expired if a change before the group has not been
// passed.
func (f *feed) arrive(first watch.Revision, group engine.Arrival) error {
	f.turn.Lock()
	defer f.turn.Unlock()
	switch at := f.at(); {
	case group.End <= at:
		return nil
	case f.pass == nil || first != at+1:
		return expired()
	}
	if err := f.pass(group); err != nil {
		return err
	}
	f.moveTo(group.End)
	return nil
}

// at returns the revision up to which the changes were passed.
func (f *feed) at() watch.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position
}

// commits notes which process of Postgres serves a commit of this replica, or 0 after the commit. The notification of
// the commit may arrive before the answer, and is not worth reading, because the receiver of the answer shows the
// changes or wakes the feed.
func (f *feed) commits(process uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.committer = process
}

// knows reports whether a notification from a process says nothing new: its changes were passed, or it may be that of
// the commit under way.
func (f *feed) knows(revision watch.Revision, process uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return revision <= f.position || process == f.committer
}

func (f *feed) moveTo(position watch.Revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position = position
}

// wake makes the feed read again, unless it has read the revision. Revision 0 always makes it read.
func (f *feed) wake(revision watch.Revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if revision > 0 && revision <= f.position {
		return
	}
	f.requested = true
	if f.interrupt != nil {
		f.interrupt()
	}
}

// wait calls listen, whose context ends when the feed is woken. listen returns nil once there is something to read.
func (f *feed) wait(ctx context.Context, listen func(context.Context) error) error {
	for {
		f.mu.Lock()
		if f.requested {
			f.requested = false
			f.mu.Unlock()
			return nil
		}
		bounded, cancel := context.WithCancel(ctx)
		f.interrupt = cancel
		f.mu.Unlock()
		err := listen(bounded)
		woken := bounded.Err() != nil
		cancel()
		f.mu.Lock()
		f.interrupt = nil
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !woken:
			return err
		}
	}
}

// Follow implements [engine.Authority].
func (a *authority) Follow(ctx context.Context, after watch.Revision, yield func(engine.Arrival) error) error {
	a.feed.begin(after, yield)
	defer a.feed.end()
	f := &following{authority: a}
	if a.opts.Poll > 0 {
		return f.poll(ctx)
	}
	conn, err := a.listen(ctx)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	defer a.listener.Store(0)
	for {
		if err := f.join(ctx, conn); err != nil {
			return err
		}
		if err := f.readAll(ctx, conn); err != nil {
			return err
		}
		err := a.feed.wait(ctx, func(waiting context.Context) error { return f.notified(ctx, waiting, conn) })
		if err != nil {
			return err
		}
	}
}

// notified passes the changes in notifications. It returns when a notification says that there is something to read, or
// when waiting ends.
func (f *following) notified(ctx, waiting context.Context, conn *pgx.Conn) error {
	for {
		notification, err := conn.WaitForNotification(waiting)
		if err != nil {
			return led("Postgres ended the connection", err)
		}
		n, err := parseNotice(notification.Payload)
		switch {
		case err != nil: // a newer program may have sent it
			return nil
		case f.feed.knows(n.revision, notification.PID):
			if f.heard++; f.heard < recount {
				continue
			}
			f.joined = false
			return nil
		case n.revision != f.feed.at()+1:
			return nil
		}
		id, c, err := n.change()
		if err != nil || id != f.copy {
			return nil
		}
		if err := f.take(ctx, &arriving{after: n.revision - 1}, c); err != nil {
			return err
		}
	}
}

// channel is the channel of the notifications. Any role of the database can notify a channel that it knows, so only
// those who can read the schema know this one.
func (a *authority) channel() string { return "decorum_" + a.id }

// identity is the public identity of the objects. It does not reveal the channel.
func (a *authority) identity() string {
	sum := sha256.Sum256([]byte(a.id))
	return hex.EncodeToString(sum[:16])
}

// listen returns a connection that receives a notification after each commit.
func (a *authority) listen(ctx context.Context) (conn *pgx.Conn, err error) {
	bounded, cancel := context.WithTimeout(ctx, max(a.opts.Timeout, confirmWait))
	defer cancel()
	pooled, err := a.opts.Pool.Acquire(bounded)
	if err != nil {
		return nil, a.unavailable(ctx, err)
	}
	conn = pooled.Hijack() // the host's limit of connections must not count it
	channel := a.channel()
	// The tables may be empty when a statement is planned, and large later. Without sequential scans, even small plans
	// look expensive, and would be compiled.
	_, err = conn.Exec(bounded, "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan; "+
		"SET default_transaction_isolation = 'read committed'")
	if err == nil {
		_, err = conn.Exec(bounded, "LISTEN "+pgx.Identifier{channel}.Sanitize())
	}
	if err == nil { // PgBouncer delivers to a connection what this connection itself notifies, and nothing else
		_, err = a.opts.Pool.Exec(bounded, "SELECT pg_notify($1, '0')", channel)
	}
	if err == nil {
		if _, err = conn.WaitForNotification(bounded); err != nil {
			err = errors.Join(errDeaf, err)
		}
	}
	if err != nil {
		closeConn(conn)
		return nil, a.unavailable(ctx, err)
	}
	return conn, nil
}

// join makes all later commits of others notify a connection that listens, unless it has joined. While Postgres is
// read-only, replicas cannot join, but others may still commit. The replica then reads at intervals.
func (f *following) join(ctx context.Context, conn *pgx.Conn) error {
	if f.joined {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	listener := 1 + rand.Int64N(math.MaxInt64)
	_, err := conn.Exec(bounded, f.sql("SELECT {schema}.join_listeners($1, $2)"), f.channel(), listener)
	switch {
	case codeOf(err) == codeReadOnly:
		f.noteRefusal(refusal(err))
		time.AfterFunc(joinAgain, func() { f.feed.wake(0) })
		return nil
	case err != nil:
		return f.unavailable(ctx, err)
	}
	f.listener.Store(listener)
	f.joined, f.heard = true, 0
	return nil
}

// tryListening returns an error if this replica would not receive notifications.
func (a *authority) tryListening(ctx context.Context) error {
	conn, err := a.listen(ctx)
	if err == nil {
		closeConn(conn)
	}
	return err
}

// closeConn closes a connection, and does not wait long for a server that does not answer.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_ = conn.Close(ctx)
}

// following reads the changes in order.
type following struct {
	*authority
	copy   uint32 // the copy of the store that was read last
	joined bool   // the other replicas notify this one
	heard  int    // the notifications without news since it joined
}

// poll reads at intervals, and after the commits of this replica.
func (f *following) poll(ctx context.Context) error {
	for {
		bounded, cancel := context.WithTimeout(ctx, f.opts.Timeout)
		conn, err := f.opts.Pool.Acquire(bounded)
		cancel()
		if err != nil {
			return f.unavailable(ctx, err)
		}
		err = f.readAll(ctx, conn.Conn())
		conn.Release()
		if err != nil {
			return err
		}
		err = f.feed.wait(ctx, func(ctx context.Context) error {
			timer := time.NewTimer(f.opts.Poll)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil {
			return err
		}
	}
}

// news is the statement that returns the last revision, what the replica must know about the history, and the changes
// after a revision.
const news = `SELECT s.layout, s.tableoid, s.revision, s.floor, ` + recognized + `, s.slot, s.next_empty, c.revision, c.last, c.at, c.origin,
		c.resource, c.namespace, c.name, c.form, c.position, c.written, c.creator, c.key_id, c.body
	FROM {schema}.state s LEFT JOIN {schema}.changes c ON c.revision > $1 AND NOT c.image ORDER BY c.revision`

// readAll passes the changes that are new.
func (f *following) readAll(ctx context.Context, conn *pgx.Conn) error {
	bounded, cancel := context.WithTimeout(ctx, max(f.opts.Timeout, time.Minute))
	defer cancel()
	from := f.feed.at()
	rows, err := conn.Query(bounded, f.sql(news), int64(from))
	if err != nil {
		return f.unavailable(ctx, err)
	}
	defer rows.Close()
	group := arriving{after: from}
	var at head
	for rows.Next() {
		var c change
		if err := rows.Scan(append(at.fields(), c.fields()...)...); err != nil {
			return f.unavailable(ctx, err)
		}
		if err := f.check(ctx, &at, from); err != nil {
			return err
		}
		f.copy = at.copy
		if c.revision > 0 {
			if err := f.take(ctx, &group, &c); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return f.unavailable(ctx, err)
	}
	if group.after < at.revision {
		return expired() // the changes were dropped after the snapshot was taken
	}
	if !at.nextEmpty {
		f.trim(at.slot)
	}
	return nil
}

// head is what each row of news begins with.
type head struct {
	layout          int
	copy            uint32
	revision, floor watch.Revision
	recognized      bool
	slot            int
	nextEmpty       bool
}

func (h *head) fields() []any {
	return []any{&h.layout, &h.copy, &h.revision, &h.floor, &h.recognized, &h.slot, &h.nextEmpty}
}

// check returns 410 Expired if the replica cannot continue from its position, at which the query began. It returns
// [ErrFormat] if a newer program has upgraded the layout.
func (f *following) check(ctx context.Context, at *head, from watch.Revision) error {
	if at.layout != newest {
		return f.unknownLayout(at.layout)
	}
	if at.recognized && at.revision >= from && at.floor <= from {
		return nil
	}
	if !at.recognized || at.revision < from {
		if _, err := f.recognize(ctx, from); err != nil {
			return err
		}
		if at.revision >= from && at.floor <= from {
			return errAgain
		}
	}
	return expired()
}

// errAgain makes the engine follow again, from the same position.
var errAgain = errors.New("the server was restarted")

// change is one row of news. If nothing is new, it is NULL, and read as zero.
type change struct {
	revision, last, at, origin int64
	resource, namespace, name  string
	form, position             int32
	written                    int64
	creator, keyID             string
	body                       []byte // nil for a deletion
}

func (c *change) fields() []any {
	number := func(n *int64) any { return (*zeronull.Int8)(n) }
	small := func(n *int32) any { return (*zeronull.Int4)(n) }
	text := func(s *string) any { return (*zeronull.Text)(s) }
	return []any{number(&c.revision), number(&c.last), number(&c.at), number(&c.origin),
		text(&c.resource), text(&c.namespace), text(&c.name), small(&c.form), small(&c.position), number(&c.written),
		text(&c.creator), text(&c.keyID), &c.body}
}

// arriving is a group whose changes are being read.
type arriving struct {
	engine.Arrival
	after watch.Revision // the revision before the group
}

// take adds a change to its group, and passes the group once it is complete. Revisions have no gap within an epoch, so
// one that is missing was dropped.
func (f *following) take(ctx context.Context, group *arriving, c *change) error {
	revision := watch.Revision(c.revision)
	if revision != group.after+watch.Revision(len(group.Entries))+1 {
		return expired()
	}
	key := storage.Key{Resource: c.resource, Namespace: c.namespace, Name: c.name}
	s := engine.Stored{Key: key, Revision: revision}
	if c.body != nil {
		s = f.decode(ctx, key, revision,
			&value{form: int(c.form), position: int(c.position), written: c.written, creator: c.creator, keyID: c.keyID,
				body: c.body})
	}
	group.Entries = append(group.Entries, s)
	if c.revision < c.last {
		return nil
	}
	first := group.after + 1
	group.End, group.At = revision, time.UnixMicro(c.at)
	if err := f.feed.arrive(first, group.Arrival); err != nil {
		return err
	}
	f.follows(revision)
	f.commits.resolve(c.origin, first)
	*group = arriving{after: revision}
	return nil
}

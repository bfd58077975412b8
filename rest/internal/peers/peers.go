// Package peers coordinates the replicas of a program that share a store. Each replica keeps a note that says through
// which revision it has applied the changes of something that all replicas follow. So a replica can wait, for a bounded
// time, until the others have caught up.
package peers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/watch"
)

const (
	// liveFor is how long a replica counts as live after the last change of its note, and renewPeriod the time between two
	// changes.
	liveFor     = 15 * time.Second
	renewPeriod = 5 * time.Second
)

// Peers are the replicas that share a store with this one.
type Peers struct {
	notes  *notes.Notes
	logger *slog.Logger
	name   string        // the name of the note of this replica
	due    chan struct{} // wakes hold

	mu       sync.Mutex
	changed  chan struct{}  // closed when others changes
	followed watch.Revision // through which this replica has applied the changes
	renewals int
	others   map[string]peer
}

// peer is what this replica knows of another one.
type peer struct {
	revision watch.Revision // the revision of the note
	followed watch.Revision
	until    time.Time // when the replica ceases to count as live, by the clock of this one
}

// note is the content of a note.
type note struct {
	Followed watch.Revision `json:"followed"`
	// Renewals makes each renewal a change.
	Renewals int `json:"renewals"`
}

// Join makes this replica known to the others. They wait for it from now on, so a replica joins before it reads what it
// follows. A replica that has joined must Run.
func Join(ctx context.Context, n *notes.Notes, logger *slog.Logger) (*Peers, error) {
	p := &Peers{
		notes: n, logger: logger, name: strings.ToLower(rand.Text()), due: make(chan struct{}, 1),
		changed: make(chan struct{}), others: map[string]peer{},
	}
	if _, err := p.refresh(ctx); err != nil {
		return nil, err
	}
	p.tryToRenew(ctx)
	return p, nil
}

// Refresh reads the notes, whose changes may arrive later than those of what the replicas follow.
func (p *Peers) Refresh(ctx context.Context) error {
	_, err := p.refresh(ctx)
	return err
}

func (p *Peers) refresh(ctx context.Context) (from watch.Revision, err error) {
	all, from, err := p.notes.List(ctx)
	for _, n := range all {
		p.see(n, false)
	}
	return from, err
}

// Run keeps this replica known, and reads the notes of the others, until ctx or the API ends. Then it removes the note
// of this replica.
func (p *Peers) Run(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		defer end()
		p.follow(ctx)
	})
	p.hold(ctx)
	running.Wait()
}

// hold renews the note of this replica. A replica without others renews nothing, so it writes nothing while nothing
// happens.
func (p *Peers) hold(ctx context.Context) {
	for {
		select {
		case <-p.tick():
		case <-p.due:
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = p.notes.Delete(ending, p.name) // the others remove it otherwise
			return
		}
		p.tryToRenew(ctx)
		p.removeEnded(ctx)
	}
}

// tick returns a channel that receives when the next renewal is due. It is nil if there are no others.
func (p *Peers) tick() <-chan time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.others) == 0 {
		return nil
	}
	return time.After(renewPeriod)
}

func (p *Peers) tryToRenew(ctx context.Context) {
	p.mu.Lock()
	p.renewals++
	content := note{Followed: p.followed, Renewals: p.renewals}
	p.mu.Unlock()
	if err := p.notes.Put(ctx, p.name, content, nil); err != nil && ctx.Err() == nil && !errors.Is(err, watch.ErrClosed) {
		p.logger.Error("the replica cannot tell the others that it is live", "error", err)
	}
}

// removeEnded removes the notes of replicas that have ended without removing them.
func (p *Peers) removeEnded(ctx context.Context) {
	p.mu.Lock()
	var ended []string
	for name, other := range p.others {
		if other.until.Add(liveFor).Before(time.Now()) {
			ended = append(ended, name)
		}
	}
	p.mu.Unlock()
	for _, name := range ended {
		_ = p.notes.Delete(ctx, name) // a replica that is live after all writes its note again
	}
}

// follow reads the notes of the others until ctx or the API ends.
func (p *Peers) follow(ctx context.Context) {
	for ctx.Err() == nil {
		from, err := p.refresh(ctx)
		if err == nil {
			err = p.notes.Watch(ctx, from, p.see)
		}
		if errors.Is(err, watch.ErrClosed) {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// see takes the state of a note of another replica.
func (p *Peers) see(n notes.Note, gone bool) {
	if n.Name == p.name {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.others[n.Name]
	if ok && known.revision >= n.Revision || gone && !ok {
		return
	}
	if !ok {
		p.wake() // the new replica needs to know how far this one is
	}
	delete(p.others, n.Name)
	if !gone {
		var content note
		_ = json.Unmarshal(n.Content, &content) // a note in another form says nothing about progress
		p.others[n.Name] = peer{revision: n.Revision, followed: content.Followed, until: time.Now().Add(liveFor)}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Report tells the others through which revision this replica has applied the changes.
func (p *Peers) Report(followed watch.Revision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if followed <= p.followed {
		return
	}
	p.followed = followed
	if len(p.others) > 0 {
		p.wake()
	}
}

// wake makes hold renew the note now.
func (p *Peers) wake() {
	select {
	case p.due <- struct{}{}:
	default:
	}
}

// Behind reports whether a live replica has not applied the changes through a revision. The channel is closed when that
// may have changed.
func (p *Peers) Behind(revision watch.Revision) (behind bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.others {
		behind = behind || other.followed < revision && time.Now().Before(other.until)
	}
	return behind, p.changed
}

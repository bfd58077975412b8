package storage

import (
	"context"
	"sync"
)

// repeatWrites gives a table an equal form. Writes under way that saw the old one call their functions again, as after an upgrade.
// repeatWrites waits for those whose commit has begun.
func (m *Engine) repeatWrites(ctx context.Context, t *table, form *Resource) error {
	m.mu.Lock()
	t.form = form
	proposals := t.proposals
	t.proposals = &sync.WaitGroup{}
	m.mu.Unlock()
	if m.replica == nil {
		return m.awaitPending(ctx, t)
	}
	ended := make(chan struct{})
	go func() {
		proposals.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endProposals ends what proposal has begun.
func (m *Engine) endProposals(writes []write) {
	for i := range writes {
		writes[i].proposals.Done()
	}
	m.replica.commits.Done()
}

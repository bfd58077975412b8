package engine

import "context"
import "github.com/decorum-go/decorum/storage"

// claim completes prepared writes for the ledger, and returns what they take from limited accounts. It returns nil if
// they take nothing.
func (o *objects) claim(ctx context.Context, writes []write) storage.Claim {
	if o.ledger == nil {
		return nil
	}
	group := make([]storage.Entry, 0, len(writes))
	for i := range writes {
		w := &writes[i]
		if !w.changes || w.form.Auxiliary {
			continue
		}
		key := w.key
		if w.next != nil {
			key = w.next.Key
			if w.base == nil && w.next.Creator == "" {
				w.next.Creator = o.ledger.Creator(ctx)
			}
		}
		group = append(group, storage.Entry{Key: key, Previous: w.base, Current: w.next})
	}
	if len(group) == 0 {
		return nil
	}
	return o.ledger.Claim(ctx, group)
}

// book passes committed changes to the ledger. The caller holds o.mu.
func (o *objects) book(writes []write) {
	if o.ledger == nil {
		return
	}
	for i := range writes {
		if w := &writes[i]; w.changes && w.table.booked {
			o.ledger.Book(w.base, w.next)
		}
	}
}

// bookTable adds the records of a table to the accounts, unless they are already there or do not count. The caller
// holds o.mu.
func (o *objects) bookTable(t *table) {
	if o.ledger == nil || t.booked || t.form.Auxiliary {
		return
	}
	t.booked = true
	t.tree.Scan(func(r *storage.Record) bool {
		o.ledger.Book(nil, r)
		return true
	})
}

// unbookTable removes the records of a table from the accounts. The caller holds o.mu.
func (o *objects) unbookTable(t *table) {
	if o.ledger == nil || !t.booked {
		return
	}
	t.booked = false
	t.tree.Scan(func(r *storage.Record) bool {
		o.ledger.Book(r, nil)
		return true
	})
}

// replaceTree calls a function that replaces the records of a table, and corrects the accounts. The caller holds o.mu.
func (o *objects) replaceTree(t *table, replace func()) {
	booked := t.booked
	o.unbookTable(t)
	replace()
	if booked {
		o.bookTable(t)
	}
}

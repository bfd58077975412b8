package resource

import (
	"bytes"
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
)

// pending is the conversion of a stored record, shared by all callers that wait for it.
type pending struct {
	done  chan struct{} // closed when shown and err are set
	shown *storage.Record
	err   error
	alone bool // err is about this record, not about another one in the same call
}

// convertedAtOnce is about how many bytes of stored objects are converted in one call.
const convertedAtOnce = 8 << 20

// showOutside replaces stored records by records of the converted objects. It converts those together that no other
// reader is converting. If it fails, the records may be of both kinds.
func (res *Resource) showOutside(ctx context.Context, records []*storage.Record) error {
	own, others := res.assign(ctx, records)
	if err := res.convertAssigned(ctx, records, own); err != nil {
		return err
	}
	for i, p := range others {
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		switch records[i] = p.shown; {
		case p.err != nil && p.alone:
			return p.err
		case p.err != nil: // another object of the same call may have failed
			again := []*storage.Record{p.shown}
			if err := res.showOutside(ctx, again); err != nil {
				return err
			}
			records[i] = again[0]
		}
	}
	return nil
}

// assign replaces the records whose conversion is cached. Of the others, it returns those that the caller must convert,
// and those that another goroutine is converting.
func (res *Resource) assign(ctx context.Context, records []*storage.Record) (own []assigned, others map[int]*pending) {
	o := res.Stored.outside
	head := res.head()
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, r := range records {
		if text, err := r.JSON(ctx); err == nil && bytes.HasPrefix(text, head) { // shown already
			continue
		}
		k := shownKey{revision: r.Revision, as: res}
		if shown := res.shownCache.get(k); shown != nil {
			records[i] = shown
			continue
		}
		if p := o.pending[k]; p != nil {
			if others == nil {
				others = map[int]*pending{}
			}
			others[i] = p
			continue
		}
		p := &pending{done: make(chan struct{}), shown: r}
		o.pending[k] = p
		own = append(own, assigned{p, i})
	}
	return own, others
}

// head returns how the JSON of every object in this version begins.
func (res *Resource) head() []byte {
	return fmt.Appendf(nil, `{"apiVersion":%q,`, res.GVK.GroupVersion())
}

// assigned is the conversion of a record that the caller carries out, and the place of the record among those that the
// reader wants.
type assigned struct {
	*pending
	place int
}

// convertAssigned converts the assigned records, and finishes each conversion. Others may wait for them, so a call does
// not end with the context of the reader that makes it.
func (res *Resource) convertAssigned(ctx context.Context, records []*storage.Record, own []assigned) (err error) {
	defer func() { // what is left after an error
		for _, p := range own {
			res.finish(p.pending, nil, err, false)
		}
	}()
	for len(own) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, size := 0, 0
		for n < len(own) && (n == 0 || size+own[n].shown.Len() <= convertedAtOnce) {
			size += own[n].shown.Len()
			n++
		}
		shown, err := res.convertRecords(context.WithoutCancel(ctx), own[:n], len(records) > 1)
		for i, p := range own[:n] {
			if err != nil {
				res.finish(p.pending, nil, err, n == 1)
				continue
			}
			res.finish(p.pending, shown[i], nil, true)
			records[p.place] = shown[i]
		}
		if own = own[n:]; err != nil {
			return err
		}
	}
	return nil
}

// finish publishes the outcome of a conversion. With an error, shown stays the stored record.
func (res *Resource) finish(p *pending, shown *storage.Record, err error, alone bool) {
	o := res.Stored.outside
	o.mu.Lock()
	delete(o.pending, shownKey{revision: p.shown.Revision, as: res})
	o.mu.Unlock()
	if p.err, p.alone = err, alone; shown != nil {
		p.shown = shown
	}
	close(p.done)
}

// convertRecords converts stored records in one call.
func (res *Resource) convertRecords(ctx context.Context, stored []assigned,
	list bool) (shown []*storage.Record, err error) {
	c := conversion{from: res.Stored.GVK, to: res, list: list, objects: make([]doc.Value, len(stored))}
	for i, p := range stored {
		text, err := p.shown.JSON(ctx)
		if err != nil {
			return nil, err
		}
		if c.objects[i], _, err = codec.DecodeJSON(text); err != nil {
			return nil, err
		}
	}
	converted, err := res.Stored.outside.call(ctx, c)
	if err != nil {
		return nil, err
	}
	shown = make([]*storage.Record, len(stored))
	for i, v := range converted {
		if v, err = res.defaultConverted(v); err != nil {
			return nil, err
		}
		if shown[i], err = res.ShowAs(stored[i].shown, v); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

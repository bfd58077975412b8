package resource

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Converter converts objects of a kind without a Go struct to the version with this apiVersion. It returns one object for each, in the same
// order. It may take long and cost much, as a call of a webhook does, so the resource passes many objects at a time, and asks once if
// several readers want the same object.
type Converter func(ctx context.Context, objects []json.RawMessage, apiVersion string) ([]json.RawMessage, error)

// outside is the Converter of a kind, with the conversions under way.
type outside struct {
	convert Converter
	mu      sync.Mutex
	flights map[view]*flight
}

// flight is the conversion of a stored record for all who wait for it.
type flight struct {
	done  chan struct{} // closed when shown and err are set
	shown *storage.Record
	err   error
	alone bool // err is about this record, not about another one in the same call
}

func newOutside(convert Converter) *outside {
	if convert == nil {
		return nil
	}
	return &outside{convert: convert, flights: map[view]*flight{}}
}

// ConvertsOutside reports whether objects are converted to this version outside of the process.
func (res *Resource) ConvertsOutside() bool {
	return res.fromStored != nil && res.Stored.outside != nil
}

// between returns a function that converts single documents.
func (o *outside) between(from, to *Resource) func(doc.Value) (doc.Value, error) {
	return func(v doc.Value) (doc.Value, error) {
		converted, err := o.call(context.Background(), conversion{from: from.GVK, to: to, objects: []doc.Value{from.WithKind(v)}})
		if err != nil {
			return doc.Value{}, err
		}
		return to.settleConverted(converted[0])
	}
}

// conversion is one call of a Converter.
type conversion struct {
	from    apimeta.GroupVersionKind
	to      *Resource
	objects []doc.Value
	list    bool // the objects belong to a list, which changes the words of errors
}

// call converts objects and checks the answer by the rules for webhooks, whose words the errors have too.
func (o *outside) call(ctx context.Context, c conversion) ([]doc.Value, error) {
	texts := make([]json.RawMessage, len(c.objects))
	for i, v := range c.objects {
		texts[i] = codec.AppendObject(nil, v)
	}
	answered, err := o.run(ctx, texts, c.to.GVK.GroupVersion().String())
	if err != nil {
		return nil, c.failed("failed: %w", err)
	}
	if len(answered) != len(texts) {
		return nil, c.failed("returned %d objects, expected %d", len(answered), len(texts))
	}
	converted := make([]doc.Value, len(answered))
	for i, text := range answered {
		if converted[i], err = c.accept(i, text); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// run calls the Converter. A panic is an error.
func (o *outside) run(ctx context.Context, texts []json.RawMessage, apiVersion string) (answered []json.RawMessage, err error) {
	defer RecoverHook("Convert", &err)
	return o.convert(ctx, texts, apiVersion)
}

// failed returns the error of a conversion, in upstream's words.
func (c *conversion) failed(form string, args ...any) error {
	err := fmt.Errorf("conversion webhook for %v "+form, append([]any{c.from}, args...)...)
	return status.Generic(500, err.Error()).WithCause(err)
}

// accept reads and checks one converted object.
func (c *conversion) accept(i int, text []byte) (doc.Value, error) {
	original := c.objects[i]
	invalid, metadata, at := "returned invalid object: %w", "returned invalid metadata: %w", "returned invalid object at index 0: %w"
	if c.list {
		at = fmt.Sprintf("returned invalid converted object at index %d: %%w", i)
		invalid, metadata = at, fmt.Sprintf("returned invalid metadata in object at index %d: %%w", i)
	}
	v, _, err := codec.DecodeJSON(text)
	if err != nil || v.Kind() != doc.Map {
		return doc.Value{}, c.failed(at, errors.New("it is not a JSON object"))
	}
	expected := c.to.GVK
	if got := v.Get("apiVersion").Text(); got != expected.GroupVersion().String() {
		return doc.Value{}, c.failed(at, fmt.Errorf("invalid groupVersion (expected %v, received %v)", expected.GroupVersion(), got))
	}
	if got := v.Get("kind").Text(); got != c.from.Kind {
		return doc.Value{}, c.failed(at, fmt.Errorf("invalid kind (expected %v, received %v)", c.from.Kind, got))
	}
	if err := objectmeta.CheckConverted(original, v); err != nil {
		return doc.Value{}, c.failed(invalid, err)
	}
	if v, err = objectmeta.RestoreConverted(original, v); err != nil {
		return doc.Value{}, c.failed(metadata, err)
	}
	return v, nil
}

// convertedAtOnce is about how many bytes of stored objects are converted in one call.
const convertedAtOnce = 8 << 20

// showOutside replaces stored records by records of the converted objects. It converts those together that no other reader is converting.
// If it fails, the records may be of both kinds.
func (res *Resource) showOutside(ctx context.Context, records []*storage.Record) error {
	own, others := res.board(records)
	if err := res.fly(ctx, records, own); err != nil {
		return err
	}
	for i, f := range others {
		select {
		case <-f.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		switch records[i] = f.shown; {
		case f.err != nil && f.alone:
			return f.err
		case f.err != nil: // perhaps another object is at fault
			again := []*storage.Record{f.shown}
			if err := res.showOutside(ctx, again); err != nil {
				return err
			}
			records[i] = again[0]
		}
	}
	return nil
}

// board replaces the records whose conversion is cached. Of the others, it returns those that the caller must convert, and those that
// another goroutine is converting.
func (res *Resource) board(records []*storage.Record) (own []boarded, others map[int]*flight) {
	o := res.Stored.outside
	head := fmt.Appendf(nil, `{"apiVersion":%q,`, res.GVK.GroupVersion())
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, r := range records {
		if bytes.HasPrefix(r.JSON, head) { // shown already
			continue
		}
		k := view{revision: r.Revision, as: res}
		if shown := res.views.get(k); shown != nil {
			records[i] = shown
			continue
		}
		if f := o.flights[k]; f != nil {
			if others == nil {
				others = map[int]*flight{}
			}
			others[i] = f
			continue
		}
		f := &flight{done: make(chan struct{}), shown: r}
		o.flights[k] = f
		own = append(own, boarded{f, i})
	}
	return own, others
}

// boarded is a flight of a record and the place of the record among those that the reader wants.
type boarded struct {
	*flight
	place int
}

// fly converts records, and lands all their flights. Others may wait for the flights, so a call does not end with the context of the
// reader that makes it.
func (res *Resource) fly(ctx context.Context, records []*storage.Record, own []boarded) (err error) {
	defer func() { // what is left after an error
		for _, f := range own {
			res.land(f.flight, nil, err, false)
		}
	}()
	for len(own) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, size := 0, 0
		for n < len(own) && (n == 0 || size+len(own[n].shown.JSON) <= convertedAtOnce) {
			size += len(own[n].shown.JSON)
			n++
		}
		shown, err := res.convertRecords(context.WithoutCancel(ctx), own[:n], len(records) > 1)
		for i, f := range own[:n] {
			if err != nil {
				res.land(f.flight, nil, err, n == 1)
				continue
			}
			res.land(f.flight, shown[i], nil, true)
			records[f.place] = shown[i]
		}
		if own = own[n:]; err != nil {
			return err
		}
	}
	return nil
}

// land ends a flight. With an error, shown stays the stored record.
func (res *Resource) land(f *flight, shown *storage.Record, err error, alone bool) {
	o := res.Stored.outside
	o.mu.Lock()
	delete(o.flights, view{revision: f.shown.Revision, as: res})
	o.mu.Unlock()
	if f.err, f.alone = err, alone; shown != nil {
		f.shown = shown
	}
	close(f.done)
}

// convertRecords converts stored records in one call.
func (res *Resource) convertRecords(ctx context.Context, stored []boarded, list bool) (shown []*storage.Record, err error) {
	c := conversion{from: res.Stored.GVK, to: res, list: list, objects: make([]doc.Value, len(stored))}
	for i, f := range stored {
		if c.objects[i], _, err = codec.DecodeJSON(f.shown.JSON); err != nil {
			return nil, err
		}
	}
	converted, err := res.Stored.outside.call(ctx, c)
	if err != nil {
		return nil, err
	}
	shown = make([]*storage.Record, len(stored))
	for i, v := range converted {
		if v, err = res.settleConverted(v); err != nil {
			return nil, err
		}
		if shown[i], err = res.showAs(stored[i].shown, v); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// convertAhead converts the objects of a query together, because Match, which needs them, would convert one at a time.
func (s Selection) convertAhead(ctx context.Context, store storage.Store, q storage.Query) error {
	if s.outside == nil || s.Match == nil {
		return nil
	}
	q.Match, q.Limit = nil, 0
	all, err := store.List(ctx, q, nil)
	if err != nil {
		return nil // the query itself fails too, and its error is for the client
	}
	return s.outside.ShowAhead(ctx, all.Records)
}

// changesAhead converts the objects of changes together. If that fails, the watch gets the error when it converts the first of them.
func (s Selection) changesAhead(changes []*LogChange) {
	var records []*storage.Record
	for _, c := range changes {
		for _, r := range []*storage.Record{c.Previous, c.Current} {
			if r != nil && (r == c.Current || c.Current == nil || s.Match != nil) {
				records = append(records, r)
			}
		}
	}
	_ = s.outside.ShowAhead(context.Background(), records)
}

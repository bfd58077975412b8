package resource

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// exchangeTime limits the conversions within the turn of an exchange, for which other exchanges wait. They are of
// objects that were written since the last round, so the webhook has just answered.
const exchangeTime = 5 * time.Second

// Converted holds objects that were converted to new stored versions before the exchange that upgrades the store to
// these, by their resourceVersions. Each commit has its own.
type Converted map[string]doc.Value

// beforehand is what an exchange has converted beforehand.
type beforehand struct {
	converted Converted
	until     time.Time // when the conversions of other objects fail
}

// Unconverted is the error of an exchange that needs conversions first.
type Unconverted struct {
	res     *Resource // the resource with its new stored version
	records []*storage.Record
}

// Error implements error.
func (u *Unconverted) Error() string {
	return fmt.Sprintf("%d objects are not in the version %s", len(u.records), u.res.GVK.Version)
}

// TakeConverted prepares the resource to upgrade the objects of old with the converted ones. If other stored objects
// have to be converted outside of the process, a patient exchange gets an [Unconverted] error. An impatient one
// converts them itself, because they are few.
func (res *Resource) TakeConverted(ctx context.Context, old *Resource, converted Converted, patient bool) error {
	if res.outside == nil || res.fingerprint() == old.fingerprint() {
		return nil
	}
	page, err := res.Store.List(ctx, storage.Query{Within: watch.Key{Resource: old.StoredName()}}, nil)
	if err != nil {
		return err
	}
	left := &Unconverted{res: res}
	head := res.head()
	for _, r := range page.Records {
		text, err := r.JSON(ctx)
		if err != nil {
			return err
		}
		if _, ok := converted[strconv.FormatUint(uint64(r.Revision), 10)]; !ok && !bytes.HasPrefix(text, head) {
			left.records = append(left.records, r)
		}
	}
	if len(left.records) > 0 && patient {
		return left
	}
	res.outside.beforehand.Store(&beforehand{converted: converted, until: time.Now().Add(exchangeTime)})
	return nil
}

// Convert converts the records, many in a call, and adds the objects to converted.
func (u *Unconverted) Convert(ctx context.Context, converted Converted) error {
	for rest := u.records; len(rest) > 0; {
		n, err := u.convertSome(ctx, rest, converted)
		if err != nil {
			return fmt.Errorf("kind %q: %w", u.res.GVK.Kind, err)
		}
		rest = rest[n:]
	}
	return nil
}

// convertSome converts the first records in one call, and returns how many.
func (u *Unconverted) convertSome(ctx context.Context, records []*storage.Record,
	converted Converted) (n int, err error) {
	c := conversion{to: u.res, list: len(u.records) > 1}
	for size := 0; n < len(records) && (n == 0 || size+records[n].Len() <= convertedAtOnce); n++ {
		text, err := records[n].JSON(ctx)
		if err != nil {
			return 0, err
		}
		v, _, err := codec.DecodeJSON(text)
		if err != nil {
			return 0, err
		}
		from, err := u.res.versionOf(v)
		if err != nil {
			return 0, err
		}
		if n > 0 && c.from != from.GVK {
			break
		}
		c.from, c.objects, size = from.GVK, append(c.objects, v), size+records[n].Len()
	}
	objects, err := u.res.outside.call(ctx, c)
	if err != nil {
		return 0, err
	}
	for i, v := range objects {
		if v, err = u.res.defaultConverted(v); err != nil {
			return 0, err
		}
		converted[strconv.FormatUint(uint64(records[i].Revision), 10)] = v
	}
	return n, nil
}

// convertedBeforehand returns the earlier conversion of a stored object. ok is false if it was not converted.
func (o *outside) convertedBeforehand(v doc.Value) (converted doc.Value, ok bool) {
	if o == nil {
		return doc.Value{}, false
	}
	b := o.beforehand.Load()
	if b == nil {
		return doc.Value{}, false
	}
	converted, ok = b.converted[v.Get("metadata").Get("resourceVersion").Text()]
	return converted, ok
}

// withinExchange returns the context for the conversion of one object. It ends with the time that an exchange has.
func (o *outside) withinExchange() (context.Context, context.CancelFunc) {
	if b := o.beforehand.Load(); b != nil {
		return context.WithDeadline(context.Background(), b.until)
	}
	return context.Background(), func() {}
}

// ForgetConverted ends what TakeConverted has begun.
func (res *Resource) ForgetConverted() {
	if res.outside != nil {
		res.outside.beforehand.Store(nil)
	}
}

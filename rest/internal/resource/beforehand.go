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

const (
	// patientRounds is how often an exchange lets objects be converted that clients have written during the conversion of the others.
	patientRounds = 8
	// exchangeTime limits the conversions within the turn of an exchange, for which other exchanges wait. They are of objects that were
	// written since the last round, so the webhook has just answered.
	exchangeTime = 5 * time.Second
)

// beforehand holds objects that were converted to a new stored version before the exchange that upgrades the store to it.
type beforehand struct {
	converted map[string]doc.Value // by resourceVersion, which each commit has its own
	until     time.Time            // when the conversions of other objects fail
}

// unconverted is the error of an exchange that needs conversions first.
type unconverted struct {
	res     *Resource // in its new stored version
	records []*storage.Record
}

// Error implements error.
func (u *unconverted) Error() string {
	return fmt.Sprintf("%d objects are not in the version %s", len(u.records), u.res.GVK.Version)
}

// convertFirst returns an unconverted error if stored objects have to be converted outside of the process. If only those of the last
// moments are left, the exchange converts them itself.
func (x *Exchange) convertFirst(ctx context.Context) error {
	for i, next := range x.next {
		if next.outside == nil || next.fingerprint() == x.replaced[i].fingerprint() {
			continue
		}
		page, err := next.Store.List(ctx, storage.Query{Scope: watch.Scope{Resource: x.replaced[i].StoredName()}}, nil)
		if err != nil {
			return err
		}
		left := &unconverted{res: next}
		head := next.head()
		for _, r := range page.Records {
			if _, ok := x.converted[strconv.FormatUint(uint64(r.Revision), 10)]; !ok && !bytes.HasPrefix(r.JSON, head) {
				left.records = append(left.records, r)
			}
		}
		if len(left.records) > 0 && x.patient {
			return left
		}
		next.outside.beforehand.Store(&beforehand{converted: x.converted, until: time.Now().Add(exchangeTime)})
	}
	return nil
}

// convert converts the records, many in a call, and adds the objects to converted.
func (u *unconverted) convert(ctx context.Context, converted map[string]doc.Value) error {
	for rest := u.records; len(rest) > 0; {
		c := conversion{to: u.res, list: len(u.records) > 1}
		n := 0
		for size := 0; n < len(rest) && (n == 0 || size+len(rest[n].JSON) <= convertedAtOnce); n++ {
			v, _, err := codec.DecodeJSON(rest[n].JSON)
			if err != nil {
				return err
			}
			from, err := u.res.versionOf(v)
			if err != nil {
				return err
			}
			if n > 0 && c.from != from.GVK {
				break
			}
			c.from, c.objects, size = from.GVK, append(c.objects, v), size+len(rest[n].JSON)
		}
		objects, err := u.res.outside.call(ctx, c)
		if err != nil {
			return err
		}
		for i, v := range objects {
			if v, err = u.res.defaultConverted(v); err != nil {
				return err
			}
			converted[strconv.FormatUint(uint64(rest[i].Revision), 10)] = v
		}
		rest = rest[n:]
	}
	return nil
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

// forgetBeforehand ends the exchange.
func (o *outside) forgetBeforehand() {
	if o != nil {
		o.beforehand.Store(nil)
	}
}

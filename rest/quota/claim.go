package quota

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/storage"
)

// claim implements [storage.Claim].
type claim struct {
	ledger  *ledger
	demands []demand
	writer  string
}

// demand is what a group of changes adds to the objects under a limit.
type demand struct {
	account Account
	limit   Limit
	added   usage
}

// growth is what a group adds to a counter. Its resource is set.
type growth struct {
	counter
	added usage
}

// Claim implements [storage.Ledger].
func (l *ledger) Claim(ctx context.Context, group []storage.Entry) storage.Claim {
	growths := growthsOf(group)
	var demands []demand
	for i, g := range growths {
		if slices.ContainsFunc(growths[:i], func(earlier growth) bool { return earlier.Account == g.Account }) {
			continue
		}
		for _, limit := range l.limits(g.Account) {
			if d := demandOn(g.Account, limit, growths); d.matters() {
				demands = append(demands, d)
			}
		}
	}
	if len(demands) == 0 {
		return nil
	}
	return &claim{l, demands, access.UserFrom(ctx).Name}
}

// markSize is more than the bytes that the beginning of a deletion adds to an object: its time, its grace period and a
// finalizer.
const markSize = 256

// growthsOf returns what a group adds to the counters. The beginning of a deletion needs no room, because a client
// could not free any otherwise. What else a transaction adds to the object does.
func growthsOf(group []storage.Entry) (all []growth) {
	for _, e := range group {
		record, more := cmp.Or(e.Current, e.Previous), added(e.Previous, e.Current)
		if e.Previous != nil && e.Current != nil && !e.Previous.Deleting && e.Current.Deleting && more.bytes > 0 {
			more.bytes = max(0, more.bytes-markSize)
		}
		in, n := accounts(record)
		for _, account := range in[:n] {
			to := counter{account, record.Key.Resource}
			if i := slices.IndexFunc(all, func(g growth) bool { return g.counter == to }); i >= 0 {
				all[i].added = all[i].added.plus(more)
			} else {
				all = append(all, growth{to, more})
			}
		}
	}
	return all
}

// demandOn returns what a group adds to the objects under a limit.
func demandOn(account Account, limit Limit, growths []growth) demand {
	d := demand{account: account, limit: limit}
	for _, g := range growths {
		if g.Account == account && (limit.Resource == "" || limit.Resource == g.resource) {
			d.added = d.added.plus(g.added)
		}
	}
	return d
}

// matters reports whether the demand could exceed the limit.
func (d *demand) matters() bool {
	return d.limit.Objects != 0 && d.added.objects > 0 || d.limit.Bytes != 0 && d.added.bytes > 0
}

// Accounts implements [storage.Claim].
func (c *claim) Accounts() []string {
	names := make([]string, 0, len(c.demands))
	for _, d := range c.demands {
		names = append(names, d.account.name())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Check implements [storage.Claim].
func (c *claim) Check() error {
	for i := range c.demands {
		d := &c.demands[i]
		used := c.ledger.used[counter{d.account, d.limit.Resource}]
		var f figures
		f.compare("bytes", d, amounts{d.added.bytes, used.bytes, d.limit.Bytes})
		f.compare("count", d, amounts{d.added.objects, used.objects, d.limit.Objects})
		switch {
		case f.used == nil:
		case d.account.User != "" && d.account.User != c.writer:
			return &storage.Exceeded{Quota: d.limit.Name}
		default:
			return &storage.Exceeded{Quota: d.limit.Name, Figures: f.String()}
		}
	}
	return nil
}

// amounts are three numbers of objects or of bytes.
type amounts struct{ requested, used, limited int64 }

// figures lists what exceeds a limit, in the words of Kubernetes.
type figures struct{ requested, used, limited []string }

// compare adds the amounts to the figures if they exceed the limit.
func (f *figures) compare(unit string, d *demand, a amounts) {
	if a.limited == 0 || a.requested <= 0 || a.used+a.requested <= max(a.limited, 0) {
		return
	}
	name := cmp.Or(d.limit.shown, unit+"/"+cmp.Or(d.limit.Resource, "*"))
	for _, part := range []struct {
		to *[]string
		n  int64
	}{{&f.requested, a.requested}, {&f.used, a.used}, {&f.limited, max(a.limited, 0)}} {
		*part.to = append(*part.to, name+"="+quantity(part.n))
	}
}

func (f *figures) String() string {
	return "requested: " + strings.Join(f.requested, ",") + ", used: " + strings.Join(f.used, ",") + ", limited: " +
		strings.Join(f.limited, ",")
}

// quantity writes a number as Kubernetes does: 2000 as 2k.
func quantity(n int64) string {
	suffix := []string{"", "k", "M", "G", "T", "P", "E"}
	for n != 0 && n%1000 == 0 && len(suffix) > 1 {
		n, suffix = n/1000, suffix[1:]
	}
	return strconv.FormatInt(n, 10) + suffix[0]
}

package etcd

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// forms holds the fingerprints of each resource, in the order in which they were first used. The index of a fingerprint is its number.
type forms struct {
	mu  sync.RWMutex
	all map[string][]string
}

// number returns the number of a form, or -1.
func (f *forms) number(resource, form string) int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Index(f.all[resource], form)
}

// name returns the fingerprint of a number, and whether it is known.
func (f *forms) name(resource string, number int) (string, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if all := f.all[resource]; number < len(all) {
		return all[number], true
	}
	return "", false
}

func (f *forms) set(resource string, all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(all) > len(f.all[resource]) {
		f.all[resource] = all
	}
}

// readForms reads the forms of a resource.
func (a *authority) readForms(ctx context.Context, resource string) error {
	prefix := a.keys.formsOf(resource)
	response, err := a.get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	var all []string
	for _, kv := range response.Kvs {
		if n, err := strconv.Atoi(strings.TrimPrefix(string(kv.Key), prefix)); err != nil || n != len(all) {
			break // somebody has changed the keys; what follows cannot be trusted
		}
		all = append(all, string(kv.Value))
	}
	a.forms.set(resource, all)
	return nil
}

// Announce implements [storage.Authority].
func (a *authority) Announce(ctx context.Context, resource, form string) error {
	for a.forms.number(resource, form) < 0 {
		if err := a.readForms(ctx, resource); err != nil {
			return err
		}
		if a.forms.number(resource, form) >= 0 {
			break
		}
		a.forms.mu.RLock()
		next := len(a.forms.all[resource])
		a.forms.mu.RUnlock()
		key := formKey(a.keys.formsOf(resource), next)
		bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
		_, err := a.client.Txn(bounded).If(absent(key)).Then(clientv3.OpPut(key, form)).Commit()
		cancel()
		if err != nil {
			return unavailable(ctx, err)
		}
	}
	return nil
}

// Newer implements [storage.Authority].
func (a *authority) Newer(resource, form, than string) bool {
	return a.forms.number(resource, form) > a.forms.number(resource, than)
}

func absent(key string) clientv3.Cmp { return clientv3.Compare(clientv3.CreateRevision(key), "=", 0) }

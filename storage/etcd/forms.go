package etcd

import (
	"context"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// readForms returns the forms of a resource in the order of their numbers.
func (a *authority) readForms(ctx context.Context, resource string) (all []string, err error) {
	prefix := a.keys.formsOf(resource)
	response, err := a.get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	for _, kv := range response.Kvs {
		if n, err := strconv.Atoi(strings.TrimPrefix(string(kv.Key), prefix)); err != nil || n != len(all) {
			break // somebody has changed the keys; what follows cannot be trusted
		}
		all = append(all, string(kv.Value))
	}
	return all, nil
}

// addForm stores a form under a number, unless another replica has used the number.
func (a *authority) addForm(ctx context.Context, resource, form string, number int) error {
	key := formKey(a.keys.formsOf(resource), number)
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	if _, err := a.client.Txn(bounded).If(absent(key)).Then(clientv3.OpPut(key, form)).Commit(); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

func absent(key string) clientv3.Cmp { return clientv3.Compare(clientv3.CreateRevision(key), "=", 0) }

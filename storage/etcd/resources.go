package etcd

import (
	"context"
	"net/url"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// ResourcesIn implements [engine.Authority]. Every resource that ever had a record has announced a form, so one
// request finds all names, and one more for each resource that is not known tells whether it has a record.
func (a *authority) ResourcesIn(ctx context.Context, namespace string,
	known func(resource string) bool) ([]string, error) {
	response, err := a.get(ctx, a.keys.forms, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return nil, err
	}
	var all []string
	last := ""
	for _, kv := range response.Kvs {
		escaped, _, _ := strings.Cut(strings.TrimPrefix(string(kv.Key), a.keys.forms), "/")
		if escaped == last { // another form of the same resource
			continue
		}
		last = escaped
		resource, err := url.PathUnescape(escaped)
		if err != nil || known(resource) {
			continue
		}
		prefix := a.keys.resource(resource)
		if namespace != "" {
			prefix += escape(namespace) + "/"
		}
		found, err := a.get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(1))
		if err != nil {
			return nil, err
		}
		if len(found.Kvs) > 0 {
			all = append(all, resource)
		}
	}
	return all, nil
}

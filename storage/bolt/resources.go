package bolt

import (
	"bytes"
	"context"

	bbolt "go.etcd.io/bbolt"
)

// ResourcesIn implements [engine.Backend]. A resource has a bucket, whose keys begin with the namespace.
func (f *file) ResourcesIn(_ context.Context, namespace string,
	known func(resource string) bool) (all []string, err error) {
	var prefix []byte
	if namespace != "" {
		prefix = append([]byte(namespace), 0)
	}
	at := &place{}
	err = f.view(at, func(tx *bbolt.Tx) error {
		objects := tx.Bucket([]byte(objectsBucket))
		return objects.ForEachBucket(func(name []byte) error {
			if at.resource = string(name); known(at.resource) {
				return nil
			}
			if key, _ := objects.Bucket(name).Cursor().Seek(prefix); key != nil && bytes.HasPrefix(key, prefix) {
				all = append(all, string(name))
			}
			return nil
		})
	})
	return all, err
}

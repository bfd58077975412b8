package etcd

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// keys are the keys of one store.
type keys struct {
	meta, commit, history, forms, accounts, objects string
}

func keysOf(prefix string) keys {
	return keys{prefix + "/meta", prefix + "/commit", prefix + "/history", prefix + "/forms/", prefix + "/accounts/",
		prefix + "/objects/"}
}

// object returns the key of an object.
func (k *keys) object(of storage.Key) string {
	return k.objects + escape(of.Resource) + "/" + escape(of.Namespace) + "/" + escape(of.Name)
}

// account returns the key that each commit writes which charges a limited account.
func (k *keys) account(name string) string { return k.accounts + escape(name) }

// resource returns the prefix of the objects of a resource.
func (k *keys) resource(name string) string { return k.objects + escape(name) + "/" }

// formsOf returns the prefix of the forms of a resource.
func (k *keys) formsOf(resource string) string { return k.forms + escape(resource) + "/" }

func formKey(prefix string, number int) string { return fmt.Sprintf("%s%04d", prefix, number) }

// parseObject returns the key of the object that is stored under a key of etcd.
func (k *keys) parseObject(key string) (of storage.Key, err error) {
	parts := strings.Split(strings.TrimPrefix(key, k.objects), "/")
	if len(parts) != 3 {
		return of, fmt.Errorf("the key %q does not name an object", key)
	}
	if !strings.Contains(key, "%") {
		return storage.Key{Resource: parts[0], Namespace: parts[1], Name: parts[2]}, nil
	}
	var errs [3]error
	of.Resource, errs[0] = url.PathUnescape(parts[0])
	of.Namespace, errs[1] = url.PathUnescape(parts[1])
	of.Name, errs[2] = url.PathUnescape(parts[2])
	return of, errors.Join(errs[:]...)
}

// escape writes the bytes of a part that would make the key ambiguous or unreadable as %XX.
func escape(part string) string {
	for i := range len(part) {
		if !plain(part[i]) {
			return escapeFrom(part, i)
		}
	}
	return part
}

func plain(c byte) bool { return c > ' ' && c < 0x7f && c != '/' && c != '%' }

func escapeFrom(part string, first int) string {
	escaped := []byte(part[:first])
	for i := first; i < len(part); i++ {
		if plain(part[i]) {
			escaped = append(escaped, part[i])
		} else {
			escaped = fmt.Appendf(escaped, "%%%02X", part[i])
		}
	}
	return string(escaped)
}

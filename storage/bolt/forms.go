package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	bbolt "go.etcd.io/bbolt"
)

// forms holds the fingerprints of each resource, in the order in which they were first used. The index of a fingerprint
// is its number in the file.
type forms map[string][]string

func formKey(resource string, number int) []byte {
	key := append([]byte(resource), 0)
	return binary.BigEndian.AppendUint32(key, uint32(number))
}

// readForms reads all forms of a file.
func readForms(tx *bbolt.Tx) (forms, error) {
	all := forms{}
	err := tx.Bucket([]byte(formsBucket)).ForEach(func(key, value []byte) error {
		fingerprint, err := verified(formsBucket, key, value)
		if err != nil {
			return fmt.Errorf("%w: form %q: %w", ErrDamaged, key, err)
		}
		i := bytes.IndexByte(key, 0)
		if i < 0 || len(key) != i+5 || int(binary.BigEndian.Uint32(key[i+1:])) != len(all[string(key[:i])]) {
			return fmt.Errorf("%w: form %q is not the next one", ErrDamaged, key)
		}
		resource := string(key[:i])
		all[resource] = append(all[resource], string(fingerprint))
		return nil
	})
	return all, err
}

// number returns the number of a form, or -1.
func (f forms) number(resource, fingerprint string) int {
	return slices.Index(f[resource], fingerprint)
}

// name returns the fingerprint of a number.
func (f forms) name(resource string, number uint32) (string, error) {
	if all := f[resource]; int(number) < len(all) {
		return all[number], nil
	}
	return "", fmt.Errorf("form %d of %q is not known", number, resource)
}

// with returns a copy of the forms with an additional one.
func (f forms) with(resource, fingerprint string) forms {
	next := forms{}
	for name, all := range f {
		next[name] = all
	}
	next[resource] = append(slices.Clone(f[resource]), fingerprint)
	return next
}

// putForm writes the next form of a resource.
func putForm(tx *bbolt.Tx, resource string, number int, fingerprint string) error {
	key := formKey(resource, number)
	return tx.Bucket([]byte(formsBucket)).Put(key, withChecksum(formsBucket, key, []byte(fingerprint)))
}

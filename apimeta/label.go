package apimeta

import (
	"slices"
	"strings"
)

// Label is one label of an object: an element of [Labels].
type Label struct {
	Key, Value string
}

// Labels are the labels of an object, sorted by key and without duplicate keys:
// the form in which a store keeps them beside the bytes, so that selecting needs
// neither a map nor a decoded object.
type Labels []Label

// scanLimit is the number of labels up to which a scan beats a binary search:
// most comparisons of a scan end at the length of the key.
const scanLimit = 16

// LabelsOf returns the entries of m in the sorted form, nil if there are none.
func LabelsOf(m map[string]string) Labels {
	if len(m) == 0 {
		return nil
	}
	labels := make(Labels, 0, len(m))
	for k, v := range m {
		labels = append(labels, Label{Key: k, Value: v})
	}
	slices.SortFunc(labels, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return labels
}

// Lookup returns the value of the label with that key, and whether there is one.
func (l Labels) Lookup(key string) (value string, ok bool) {
	if len(l) <= scanLimit {
		for i := range l {
			if l[i].Key == key {
				return l[i].Value, true
			}
		}
		return "", false
	}
	i, ok := slices.BinarySearchFunc(l, key, func(label Label, key string) int {
		return strings.Compare(label.Key, key)
	})
	if !ok {
		return "", false
	}
	return l[i].Value, true
}

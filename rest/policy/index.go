package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"

	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/storage"
)

// halfName distinguishes the two kinds of policies.
type halfName int

const (
	validatingHalf halfName = iota
	mutatingHalf
	halves
)

// The names of the resources in the store.
const (
	validatingPolicies = "validatingadmissionpolicies." + ar.Group
	validatingBindings = "validatingadmissionpolicybindings." + ar.Group
	mutatingPolicies   = "mutatingadmissionpolicies." + ar.Group
	mutatingBindings   = "mutatingadmissionpolicybindings." + ar.Group
)

// followed are the resources that the index follows.
func followed() []string {
	return []string{validatingPolicies, validatingBindings, mutatingPolicies, mutatingBindings}
}

// index holds the policies and bindings of an API.
type index struct{ halves [halves]*half }

// half holds the policies and bindings of one kind.
type half struct {
	policies map[string]*policy
	bindings map[string]*binding
	active   atomic.Pointer[[]activePolicy] // nil after a change
}

// activePolicy is a policy with its bindings, in the order of their names. It does not change.
type activePolicy struct {
	*policy
	bindings []*binding
}

func newIndex() *index {
	x := &index{}
	for i := range x.halves {
		x.halves[i] = &half{policies: map[string]*policy{}, bindings: map[string]*binding{}}
	}
	return x
}

// Put implements mirror.Index. An object that cannot be decoded has no effect.
func (x *index) Put(ctx context.Context, key storage.Key, record *storage.Record) error {
	var text []byte
	if record != nil {
		var err error
		if text, err = record.JSON(ctx); err != nil {
			return err
		}
	}
	switch key.Resource {
	case validatingPolicies:
		put(x.halves[validatingHalf], x.halves[validatingHalf].policies, key.Name, decoded(text, newValidatingPolicy))
	case validatingBindings:
		put(x.halves[validatingHalf], x.halves[validatingHalf].bindings, key.Name, decoded(text, newValidatingBinding))
	case mutatingPolicies:
		put(x.halves[mutatingHalf], x.halves[mutatingHalf].policies, key.Name, decoded(text, newMutatingPolicy))
	case mutatingBindings:
		put(x.halves[mutatingHalf], x.halves[mutatingHalf].bindings, key.Name, decoded(text, newMutatingBinding))
	}
	return nil
}

func put[T any](h *half, in map[string]*T, name string, value *T) {
	h.active.Store(nil)
	if value == nil {
		delete(in, name)
	} else {
		in[name] = value
	}
}

// decoded decodes the text of a stored object and converts the object with become. It returns nil for a deleted object,
// which has no text, and if it cannot decode the text.
func decoded[O, T any](text []byte, become func(*O) *T) *T {
	var object O
	if text == nil || json.Unmarshal(text, &object) != nil {
		return nil
	}
	return become(&object)
}

// activeNow returns the policies that have bindings, in the order of their names.
func (h *half) activeNow() []activePolicy {
	if known := h.active.Load(); known != nil {
		return *known
	}
	of := map[string][]*binding{}
	for _, b := range h.bindings {
		of[b.policy] = append(of[b.policy], b)
	}
	active := []activePolicy{}
	for name, bindings := range of {
		if p := h.policies[name]; p != nil {
			slices.SortFunc(bindings, func(a, b *binding) int { return cmp.Compare(a.name, b.name) })
			active = append(active, activePolicy{p, bindings})
		}
	}
	slices.SortFunc(active, func(a, b activePolicy) int { return cmp.Compare(a.name, b.name) })
	h.active.Store(&active)
	return active
}

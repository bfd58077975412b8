package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/storage"
)

// phase is the part of admission in which a webhook is called.
type phase int

const (
	mutating phase = iota
	validating
	phases
)

// The names of the resources in the store.
const (
	mutatingConfigurations   = "mutatingwebhookconfigurations." + ar.Group
	validatingConfigurations = "validatingwebhookconfigurations." + ar.Group
)

// followed are the resources that the index follows.
func followed() []string { return []string{mutatingConfigurations, validatingConfigurations} }

// index holds the webhooks of an API.
type index struct {
	webhooks       *webhooks
	configurations [phases][]configuration // sorted by name
	ordered        [phases][]*webhook      // all webhooks, in the order in which they are called; never changed in place
}

// configuration is an object with its webhooks.
type configuration struct {
	name  string
	hooks []*webhook
}

func (h *webhooks) newIndex() *index { return &index{webhooks: h} }

// Put implements mirror.Index. An object that cannot be decoded has no effect.
func (x *index) Put(ctx context.Context, key storage.Key, record *storage.Record) error {
	k, hooks := validating, []*webhook(nil)
	if key.Resource == mutatingConfigurations {
		k = mutating
	}
	if record != nil {
		text, err := record.JSON(ctx)
		if err != nil {
			return err
		}
		hooks = x.webhooks.decode(k, key.Name, text)
	}
	list := x.configurations[k]
	i, found := slices.BinarySearchFunc(list, key.Name,
		func(c configuration, name string) int { return cmp.Compare(c.name, name) })
	switch {
	case found && hooks == nil:
		list = slices.Delete(list, i, i+1)
	case found:
		list[i].hooks = hooks
	case hooks != nil:
		list = slices.Insert(list, i, configuration{key.Name, hooks})
	}
	x.configurations[k], x.ordered[k] = list, nil
	for _, c := range list {
		x.ordered[k] = append(x.ordered[k], c.hooks...)
	}
	return nil
}

// decode returns the webhooks of a configuration.
func (h *webhooks) decode(k phase, name string, text []byte) (out []*webhook) {
	if k == mutating {
		var c ar.MutatingWebhookConfiguration
		if json.Unmarshal(text, &c) == nil {
			for i := range c.Webhooks {
				out = append(out, h.newMutating(name, &c.Webhooks[i]))
			}
		}
		return out
	}
	var c ar.ValidatingWebhookConfiguration
	if json.Unmarshal(text, &c) == nil {
		for i := range c.Webhooks {
			out = append(out, h.newWebhook(name, &c.Webhooks[i]))
		}
	}
	return out
}

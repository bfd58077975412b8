package main

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Widget is a kind with a status and a scale.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Size     int32 `json:"size" api:"min=1"`
		Replicas int32 `json:"replicas" api:"default=1"`
	} `json:"spec"`
	Status struct {
		Replicas int32 `json:"replicas,omitempty"`
	} `json:"status,omitzero"`
}

// Gadget is the same in the built-in dialect.
type Gadget Widget

const (
	widgets = "/apis/example.com/v1/namespaces/default/widgets"
	gadgets = "/apis/example.com/v1/namespaces/default/gadgets"
)

// host is an API that notes how deep the stack is where a request leaves the library.
type host struct {
	api             *rest.API
	store           *storage.Memory
	atHook, atStore depth
}

func newHost() (*host, error) {
	h := &host{store: storage.NewMemory(storage.MemoryOptions{})}
	scale := &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}
	var err error
	h.api, err = rest.New(rest.Options{Store: noticingStore{h.store, &h.atStore}},
		rest.Resource[Widget]{
			Group: "example.com", Version: "v1", Plural: "widgets", Scale: scale, Wire: rest.Wire{CreateOnUpdate: true},
			Hooks: rest.Hooks[Widget]{Default: func(context.Context, *Widget) error { h.atHook.here(); return nil }},
		},
		rest.Resource[Gadget]{
			Group: "example.com", Version: "v1", Plural: "gadgets", Wire: rest.Wire{Dialect: rest.Builtin},
			Hooks: rest.Hooks[Gadget]{Default: func(context.Context, *Gadget) error { h.atHook.here(); return nil }},
		})
	return h, err
}

func (h *host) close() error { return errors.Join(h.api.Close(), h.store.Close()) }

// noticingStore notes the stack of every call that reads or writes objects.
type noticingStore struct {
	*storage.Memory
	at *depth
}

func (s noticingStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	s.at.here()
	return s.Memory.Get(ctx, key, atLeast)
}

func (s noticingStore) List(ctx context.Context, opts storage.Query, into []*storage.Record) (storage.Listing, error) {
	s.at.here()
	return s.Memory.List(ctx, opts, into)
}

func (s noticingStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	s.at.here()
	return s.Memory.Update(ctx, key, fn)
}

func (s noticingStore) UpdateAll(ctx context.Context, keys []storage.Key, fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	s.at.here()
	return s.Memory.UpdateAll(ctx, keys, fn)
}

func (s noticingStore) Watch(ctx context.Context, scope watch.Scope, after watch.Revision, terms ...watch.Term) (*watch.Cursor[storage.Record], error) {
	s.at.here()
	return s.Memory.Watch(ctx, scope, after, terms...)
}

package main

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
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

// host is an API over a store in memory.
type host struct {
	api   *rest.API
	store *memory.Store
}

func newHost() (*host, error) {
	h := &host{store: memory.New(storage.Options{})}
	scale := &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}
	var err error
	h.api, err = rest.New(rest.Options{Store: h.store},
		rest.Resource[Widget]{
			Group: "example.com", Version: "v1", Plural: "widgets", Scale: scale, Wire: rest.Wire{CreateOnUpdate: true},
			Hooks: rest.Hooks[Widget]{Default: func(context.Context, *Widget) error { return nil }},
		},
		rest.Resource[Gadget]{
			Group: "example.com", Version: "v1", Plural: "gadgets", Wire: rest.Wire{Dialect: rest.DialectBuiltin},
			Hooks: rest.Hooks[Gadget]{Default: func(context.Context, *Gadget) error { return nil }},
		})
	return h, err
}

func (h *host) close() error { return errors.Join(h.api.Close(), h.store.Close()) }

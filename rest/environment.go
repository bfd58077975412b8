package rest

import (
	"time"

	"github.com/decorum-go/decorum/storage"
)

// environment is what all resources of an API share.
type environment struct {
	store  storage.Store
	views  *views
	reaper *reaper
	now    func() time.Time
	newUID func() string
	// maxBytes bounds what an object may grow to.
	maxBytes int64
	// unsafeDeletion allows clients to delete an object that cannot be read any more.
	unsafeDeletion bool
	admission      []Admission
	// served returns what the API serves now.
	served func() *serving
}

func newEnvironment(a *API) *environment {
	o := a.options
	return &environment{
		store: a.store, views: newViews(o.MaxConvertedBytes), reaper: a.reaper, now: o.Now, newUID: o.NewUID,
		maxBytes: growth * o.MaxBodyBytes, unsafeDeletion: o.UnsafeDeletion, admission: o.Admission, served: a.serving.Load,
	}
}

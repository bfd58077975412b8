package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/notes"
)

func init() {
	notes.Of = func(ctx context.Context, api any, name string) (*notes.Notes, error) {
		a := api.(*API)
		return notes.Open(ctx, a.store, a.ending, name)
	}
}

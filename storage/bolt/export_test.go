package bolt

import (
	"context"

	"github.com/decorum-go/decorum/storage/engine"
)

// hooked is a file that calls functions before and after each commit.
type hooked struct {
	*file
	before, after func() error
}

func (h *hooked) Append(ctx context.Context, groups []engine.Group) error {
	if err := h.before(); err != nil {
		return err
	}
	if err := h.file.Append(ctx, groups); err != nil {
		return err
	}
	return h.after()
}

// OpenHooked is Open with functions that the store calls before and after each commit. Their errors
// make the commit fail.
func OpenHooked(ctx context.Context, opts Options, before, after func() error) (*Store, error) {
	if err := createEmpty(opts.Path); err != nil {
		return nil, err
	}
	f, err := openFile(opts)
	if err != nil {
		return nil, err
	}
	engine, err := engine.Open(ctx, &hooked{f, before, after}, opts.Engine)
	return &Store{engine, f}, err
}

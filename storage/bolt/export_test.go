package bolt

import (
	"context"

	"github.com/decorum-go/decorum/storage"
)

// hooked is a file whose commits call functions before and after.
type hooked struct {
	*file
	before, after func() error
}

func (h *hooked) Append(groups []storage.Group) error {
	if err := h.before(); err != nil {
		return err
	}
	if err := h.file.Append(groups); err != nil {
		return err
	}
	return h.after()
}

// OpenHooked is Open with functions that are called before and after each commit, and may fail it.
func OpenHooked(ctx context.Context, opts Options, before, after func() error) (*Store, error) {
	if err := createEmpty(opts.Path); err != nil {
		return nil, err
	}
	f, err := openFile(opts)
	if err != nil {
		return nil, err
	}
	engine, err := storage.Open(ctx, &hooked{f, before, after}, opts.Engine)
	return &Store{engine, f}, err
}

package bolt

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/storage/engine"
)

// Dump calls take with every object of a file that no store has open for writing, in the order of resources, namespaces
// and names. It needs no declaration of their kinds, so it also reads what the program does not serve any more. It
// changes nothing. It uses Path, Transformer and SkipDamaged: with SkipDamaged, Dump omits damaged objects, and those
// in pages that it cannot read; otherwise it returns the first error. If take returns an error, Dump returns it.
func Dump(ctx context.Context, opts Options, take func(engine.Stored) error) error {
	path, err := opts.path()
	if err != nil {
		return err
	}
	f, err := openFile(Options{Path: path, ReadOnly: true, Transformer: opts.Transformer})
	if err != nil {
		return err
	}
	taking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &checking{file: f, ctx: taking, report: func(err error) error {
		if opts.SkipDamaged == nil || taking.Err() != nil {
			return err
		}
		opts.SkipDamaged(err)
		return nil
	}}
	err = c.walk(func() error {
		return c.objects(func(s engine.Stored) {
			if taking.Err() != nil {
				return
			}
			if err := take(s); err != nil {
				stop(err)
			}
		})
	})
	if taking.Err() != nil {
		err = context.Cause(taking)
	}
	return errors.Join(err, f.release(err))
}

package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// maxFindings bounds how many errors a check collects.
const maxFindings = 100

// Check reads the whole file and verifies checksums, forms, sealed texts, revisions, and the figures of the file. It
// returns nil if the file is intact, and otherwise up to 100 joined errors, each of which names an object or a
// revision. The store serves reads and writes during the check, but cannot reuse the space of deleted objects until
// Check ends.
func (s *Store) Check(ctx context.Context) error { return s.file.check(ctx) }

// Check is [Store.Check] for a file that no store has open. It also verifies that the freelist of bbolt contains no
// page in use, as Open does. It changes nothing. It uses Path and Transformer.
func Check(ctx context.Context, opts Options) error {
	path, err := opts.path()
	if err != nil {
		return err
	}
	f, err := openFile(Options{Path: path, ReadOnly: true, Transformer: opts.Transformer})
	if err != nil {
		return err
	}
	err = errors.Join(f.checkPages(), f.check(ctx))
	return errors.Join(err, f.release(err))
}

// checking is one walk through a file.
type checking struct {
	*file
	ctx      context.Context
	tx       *bbolt.Tx
	state    state
	forms    forms
	seen     state
	report   func(error) error // takes an error; the walk ends if it returns one
	findings []error
}

var errEnough = errors.New("there are more errors")

// collect records an error. It returns errEnough after maxFindings errors.
func (c *checking) collect(err error) error {
	if c.findings = append(c.findings, err); len(c.findings) == maxFindings {
		c.findings = append(c.findings, errEnough)
		return errEnough
	}
	return nil
}

func (f *file) check(ctx context.Context) error {
	c := &checking{file: f, ctx: ctx}
	c.report = c.collect
	err := c.walk(func() error {
		if err := c.objects(func(engine.Stored) {}); err != nil {
			return err
		}
		if err := c.history(); err != nil {
			return err
		}
		c.seen.revision, c.seen.oldest = c.state.revision, c.state.oldest
		if c.seen != c.state && len(c.findings) == 0 {
			return c.report(damaged(f.path, nil, "it holds %+v, but claims %+v", c.seen, c.state))
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough), err == nil:
		return errors.Join(c.findings...)
	case ctx.Err() != nil:
		return err
	}
	return errors.Join(append(c.findings, withPath(f.path, err))...)
}

// walk reads the beginning of the file, and then calls look within a transaction.
func (c *checking) walk(look func() error) error {
	return c.view(&place{resource: "the beginning"}, func(tx *bbolt.Tx) (err error) {
		c.tx = tx
		if _, c.state, err = readMeta(tx); err != nil {
			return err
		}
		if c.forms, err = readForms(tx); err != nil {
			return err
		}
		return look()
	})
}

// each calls look for the values of a bucket. If it cannot read a page, it ends the bucket, but the check continues.
func (c *checking) each(b *bbolt.Bucket, at *place, look func(key, value []byte) error) error {
	visited := 0
	var stop error
	err := guard(c.path, at, func() error {
		return b.ForEach(func(key, value []byte) error {
			if visited++; visited%stepRecords == 0 && c.ctx.Err() != nil {
				stop = c.ctx.Err()
				return stop
			}
			if err := look(key, value); err != nil {
				stop = c.report(damaged(c.path, at, "%w", err))
			}
			return stop
		})
	})
	if err != nil && stop == nil {
		stop = c.report(err)
	}
	return stop
}

// objects checks all objects, and calls intact with those that pass.
func (c *checking) objects(intact func(engine.Stored)) error {
	objects := c.tx.Bucket([]byte(objectsBucket))
	var resources []string
	at := &place{resource: "the list of resources"}
	err := c.each(objects, at, func(key, value []byte) error {
		if value != nil {
			return fmt.Errorf("%q is no bucket", key)
		}
		resources = append(resources, string(key))
		return nil
	})
	for _, resource := range resources {
		if err != nil {
			return err
		}
		at := &place{resource: resource}
		err = c.each(objects.Bucket([]byte(resource)), at, func(key, value []byte) error {
			at.key = keyText(key)
			c.seen.objects++
			c.seen.objectBytes += int64(len(value))
			s, err := c.stored(resource, key, value, c.forms, bytes.Clone)
			if err == nil && s.Revision > c.state.revision {
				return fmt.Errorf("revision %d is above the last one, %d", s.Revision, c.state.revision)
			}
			if err == nil {
				intact(s)
			}
			return err
		})
	}
	return err
}

func (c *checking) history() error {
	last := watch.Revision(0)
	at := &place{}
	return c.each(c.tx.Bucket([]byte(historyBucket)), at, func(key, value []byte) error {
		c.seen.historyEntries++
		c.seen.historyBytes += int64(len(value))
		if len(key) != 8 {
			return fmt.Errorf("the key %x is no revision", key)
		}
		*at = place{revision: binary.BigEndian.Uint64(key)}
		u, err := c.undo(key, value, c.forms)
		if err != nil {
			return err
		}
		*at = place{resource: u.Key.Resource, key: u.Key.Namespace + "/" + u.Key.Name, revision: uint64(u.Revision)}
		if u.GroupEnd < u.Revision || u.GroupEnd > c.state.revision || u.Revision <= last {
			return fmt.Errorf("it belongs to a group that ends at %d, after a change at %d", u.GroupEnd, last)
		}
		last = u.Revision
		return nil
	})
}

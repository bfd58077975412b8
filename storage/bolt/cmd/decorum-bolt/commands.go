package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/engine"
)

func backup(ctx context.Context, c call) error {
	store, err := bolt.Open(ctx, bolt.Options{Path: c.arguments[0], ReadOnly: true})
	if err != nil {
		return err
	}
	err = create(c.arguments[1], func(into *os.File) error { return store.Backup(ctx, into) })
	return errors.Join(err, store.Close())
}

// create makes a new file that only the owner may read. If write fails, no file is left.
func create(path string, write func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func restore(ctx context.Context, c call) error {
	from, err := os.Open(c.arguments[0])
	if err != nil {
		return err
	}
	defer from.Close()
	return bolt.Restore(ctx, from, bolt.Options{Path: c.arguments[1]})
}

func check(ctx context.Context, c call) error {
	keys, err := readKeys(c.keys)
	if err == nil {
		err = bolt.Check(ctx, bolt.Options{Path: c.arguments[0], Transformer: keys})
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%s is intact\n", c.arguments[0])
	return err
}

func compact(ctx context.Context, c call) error {
	return bolt.CompactTo(ctx, bolt.Options{Path: c.arguments[0]}, c.arguments[1])
}

func dump(ctx context.Context, c call) error {
	keys, err := readKeys(c.keys)
	if err != nil {
		return err
	}
	omitted := 0
	out := bufio.NewWriter(c.stdout)
	opts := bolt.Options{Path: c.arguments[0], Transformer: keys, SkipDamaged: func(err error) {
		omitted++
		fmt.Fprintln(c.stderr, err)
	}}
	err = bolt.Dump(ctx, opts, func(s engine.Stored) error {
		if c.resource != "" && s.Key.Resource != c.resource {
			return nil
		}
		_, err := out.Write(append(s.JSON, '\n'))
		return err
	})
	if err = errors.Join(err, out.Flush()); err == nil && omitted > 0 {
		err = fmt.Errorf("what could not be read is not printed: %d errors above", omitted)
	}
	return err
}

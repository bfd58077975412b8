package bolt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// journal measures the minimum cost of a durable write: writers share an append to a file and its sync, as those of a
// store do.
type journal struct {
	file  *os.File
	syncs int // how many times each batch is synced

	mu      sync.Mutex
	batches int
	waiting []chan error
	bytes   []byte
	driven  bool
}

func (j *journal) write(b []byte) error {
	j.mu.Lock()
	done := make(chan error, 1)
	j.waiting, j.bytes = append(j.waiting, done), append(j.bytes, b...)
	if j.driven {
		j.mu.Unlock()
		return <-done
	}
	j.driven = true
	for len(j.waiting) > 0 {
		waiting, bytes := j.waiting, j.bytes
		j.waiting, j.bytes = nil, nil
		j.batches++
		j.mu.Unlock()
		err := j.append(bytes)
		for _, done := range waiting {
			done <- err
		}
		j.mu.Lock()
	}
	j.driven = false
	j.mu.Unlock()
	return <-done
}

// append writes a batch and syncs the file. Each further sync has a page of its own, as the meta page of a file of
// bbolt is written and synced after the others.
func (j *journal) append(bytes []byte) error {
	for range j.syncs {
		if _, err := j.file.Write(bytes); err != nil {
			return err
		}
		if err := datasync(j.file); err != nil {
			return err
		}
		bytes = make([]byte, 4096)
	}
	return nil
}

// spread runs b.N writes by a number of writers.
func spread(b *testing.B, writers int, write func(writer, n int) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for w := range writers {
		all.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := write(w, int(n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

// BenchmarkWrites replaces objects of 2 KB, and compares that with appends of the same texts, with one sync for each
// batch and with two, as the store has.
func BenchmarkWrites(b *testing.B) {
	text := strings.Repeat("some text. ", 180)
	object := func(w, n int) (name string, json []byte) {
		name = strconv.Itoa((w*7919 + n*104729) % 10_000)
		json = append(make([]byte, 0, len(text)+100), `{"metadata":{"name":"`...)
		json = append(append(json, name...), `","resourceVersion":"1234567890123456"},"text":"`...)
		json = strconv.AppendInt(json, int64(n), 10)
		return name, append(append(json, text...), `"}`...)
	}
	for _, writers := range []int{1, 16, 64, 256} {
		for _, syncs := range []int{1, 2} {
			b.Run(fmt.Sprintf("bare, syncs: %d/%d", syncs, writers), func(b *testing.B) {
				file, err := os.Create(filepath.Join(b.TempDir(), "journal"))
				if err != nil {
					b.Fatal(err)
				}
				defer file.Close()
				j := &journal{file: file, syncs: syncs}
				spread(b, writers, func(w, n int) error {
					_, json := object(w, n)
					return j.write(json)
				})
				b.ReportMetric(float64(b.N)/float64(j.batches), "writes/batch")
			})
		}
		b.Run(fmt.Sprintf("bolt/%d", writers), func(b *testing.B) {
			store := openNotes(b, filepath.Join(b.TempDir(), "objects.db"))
			defer store.Close()
			fillNotes(b, store, 10_000, text)
			spread(b, writers, func(w, n int) error {
				name, json := object(w, n)
				_, err := store.Update(context.Background(), note(name), func(*storage.Record) ([]byte, error) { return json, nil })
				return err
			})
		})
	}
}

func openNotes(b *testing.B, path string) *bolt.Store {
	store, err := bolt.Open(context.Background(), bolt.Options{Path: path})
	if err == nil {
		err = store.Register(context.Background(), storage.Resource{Name: notes, Extract: storage.NewExtractor()})
	}
	if err != nil {
		b.Fatal(err)
	}
	return store
}

func fillNotes(b *testing.B, store *bolt.Store, count int, text string) {
	for first := 0; first < count; first += 1000 {
		var keys []storage.Key
		for n := range 1000 {
			keys = append(keys, note(fmt.Sprint(first+n)))
		}
		_, err := store.UpdateAll(context.Background(), keys, func([]*storage.Record) ([][]byte, error) {
			var next [][]byte
			for _, key := range keys {
				next = append(next, noteJSON(key.Name, text))
			}
			return next, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a file with objects of 2 KB and loads them. The heap is that of the open store.
func BenchmarkOpen(b *testing.B) {
	for _, count := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "objects.db")
			store := openNotes(b, path)
			fillNotes(b, store, count, strings.Repeat("some text. ", 180))
			if err := store.Close(); err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			var heap runtime.MemStats
			for b.Loop() {
				store = openNotes(b, path)
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&heap)
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(heap.HeapAlloc)/float64(count), "heap-B/object")
			b.ReportMetric(float64(info.Size())/float64(count), "file-B/object")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*count), "µs/object")
		})
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// lines is a log that readers can follow.
type lines struct {
	mu   sync.Mutex
	all  []string
	more chan struct{} // closed when a line is added
}

func newLines() *lines { return &lines{more: make(chan struct{})} }

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
	close(l.more)
	l.more = make(chan struct{})
}

func (l *lines) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// from returns the lines after the first n, and a channel that is closed when there are more.
func (l *lines) from(n int) ([]string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[n:], l.more
}

// print writes the part of the log that the options select.
func (l *lines) print(ctx context.Context, o *corev1.PodLogOptions, out io.Writer) error {
	first := 0
	if o.TailLines != nil {
		first = max(0, l.len()-int(*o.TailLines))
	}
	if o.Follow {
		return l.follow(ctx, first, out)
	}
	all, _ := l.from(first)
	return write(out, all)
}

// follow writes the lines after the first n, and later ones as they are added, until ctx ends.
func (l *lines) follow(ctx context.Context, n int, out io.Writer) error {
	for {
		fresh, more := l.from(n)
		n += len(fresh)
		if err := write(out, fresh); err != nil {
			return err
		}
		select {
		case <-more:
		case <-ctx.Done():
			fresh, _ = l.from(n)
			return write(out, fresh)
		}
	}
}

func write(out io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

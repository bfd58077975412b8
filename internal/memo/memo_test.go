package memo_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/memo"
)

func TestMap(t *testing.T) {
	var m memo.Map[string, int]
	_, ok := m.Load("a")
	assert.False(t, ok)
	assert.Equal(t, 1, m.Add("a", 1))
	assert.Equal(t, 1, m.Add("a", 2), "the first value remains")
	value, ok := m.Load("a")
	assert.True(t, ok)
	assert.Equal(t, 1, value)
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Load("a") }))
}

func TestMapIsBounded(t *testing.T) {
	var m memo.Map[int, int]
	for i := range 3000 {
		assert.Equal(t, i, m.Add(i, i), "the value of a full map too")
	}
	_, first := m.Load(0)
	_, last := m.Load(2999)
	assert.True(t, first)
	assert.False(t, last)
}

func TestMapForManyGoroutines(t *testing.T) {
	var m memo.Map[int, *int]
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for key := range 100 {
				value := m.Add(key, new(int))
				seen, ok := m.Load(key)
				assert.True(t, ok)
				assert.Same(t, value, seen)
			}
		})
	}
	running.Wait()
}

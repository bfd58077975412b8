package torture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// sector is the unit that a disk writes as a whole.
const sector = 512

// disk tracks which writes to a file have reached the disk.
type disk struct {
	durable []byte
	pending []change // the changes after the last sync
	lost    []change // changes of a failed sync, which later syncs do not cover
}

// change is a write to a file, or a new size if data is nil.
type change struct {
	at   int64
	data []byte
}

func (c change) apply(image []byte, sectors func() bool) []byte {
	if c.data == nil {
		if !sectors() {
			return image
		}
		return slices.Grow(image, max(0, int(c.at)-len(image)))[:c.at]
	}
	for from := 0; from < len(c.data); from += sector {
		if !sectors() {
			continue
		}
		to := min(from+sector, len(c.data))
		if grown := int(c.at) + to; grown > len(image) {
			image = append(image, make([]byte, grown-len(image))...)
		}
		copy(image[int(c.at)+from:], c.data[from:to])
	}
	return image
}

func (c change) String() string {
	if c.data == nil {
		return fmt.Sprintf("truncate %d", c.at)
	}
	return fmt.Sprintf("write %d at %d", len(c.data), c.at)
}

func always() bool { return true }

// sync records the end of a sync, which covers the changes from before its beginning.
func (d *disk) sync(began int, ok bool) {
	for _, c := range d.pending[:began] {
		if ok {
			d.durable = c.apply(d.durable, always)
		}
		for _, part := range c.sectors() {
			d.lost = slices.DeleteFunc(d.lost,
				func(l change) bool { return l.at == part.at && (l.data == nil) == (part.data == nil) })
			if !ok {
				d.lost = append(d.lost, part)
			}
		}
	}
	d.pending = slices.Clone(d.pending[began:])
}

// sectors splits a write, so that later ones may replace a part of it. bbolt writes whole pages.
func (c change) sectors() (all []change) {
	if c.data == nil {
		return []change{c}
	}
	for from := 0; from < len(c.data); from += sector {
		all = append(all, change{c.at + int64(from), c.data[from:min(from+sector, len(c.data))]})
	}
	return all
}

// cache returns the file as processes see it while the power is on.
func (d *disk) cache() []byte {
	image := slices.Clone(d.durable)
	for _, c := range slices.Concat(d.lost, d.pending) {
		image = c.apply(image, always)
	}
	return image
}

// images calls use with different contents that the file may have after a power failure, at most n.
func (d *disk) images(random *rand.Rand, n int, use func([]byte)) {
	open := slices.Concat(d.lost, d.pending)
	var seen [][]byte
	try := func(written func(i int) func() bool) {
		image := slices.Clone(d.durable)
		for i, c := range open {
			image = c.apply(image, written(i))
		}
		if !slices.ContainsFunc(seen, func(s []byte) bool { return bytes.Equal(s, image) }) {
			seen = append(seen, image)
			use(image)
		}
	}
	coin := func() bool { return random.IntN(2) == 0 }
	never := func() bool { return false }
	ways := []func(i int) func() bool{
		func(int) func() bool { return always },
		func(int) func() bool { return never },
		func(int) func() bool { return coin },
	}
	for i := range open {
		only := func(j int) func() bool { return func() bool { return i == j } }
		but := func(j int) func() bool { return func() bool { return i != j } }
		torn := func(j int) func() bool { return map[bool]func() bool{true: coin, false: always}[i == j] }
		first := func(j int) func() bool { return func() bool { return j <= i } }
		ways = append(ways, only, but, torn, first)
	}
	if len(ways) > n {
		random.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		ways = ways[:n]
	}
	for _, way := range ways {
		try(way)
	}
}

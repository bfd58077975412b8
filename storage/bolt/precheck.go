package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The layout of bbolt's page header and meta page. bbolt writes them in the byte order of the machine.
const (
	pageHeader = 16
	metaSum    = 56 // where the checksum of a meta begins
	metaSize   = metaSum + 8
	metaMagic  = 0xED0CDAED
	noFreelist = ^uint64(0)
)

// metaPage is the content of a meta page.
type metaPage struct {
	pageSize uint32
	root     uint64
	freelist uint64
	pages    uint64
	tx       uint64
}

// parseMeta parses a meta page. ok is false if its checksum does not match.
func parseMeta(b []byte) (m metaPage, ok bool) {
	b = b[pageHeader:]
	order := binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(b[:metaSum])
	if order.Uint32(b) != metaMagic || order.Uint64(b[metaSum:]) != sum.Sum64() {
		return m, false
	}
	return metaPage{order.Uint32(b[8:]), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]),
		order.Uint64(b[48:])}, true
}

// precheck compares the size of a file with the size in its younger meta page before bbolt maps the file. Reading a
// mapped page beyond the end of the file would cause a memory fault.
func precheck(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var best metaPage
	var unreadable error
	found := false
	try := func(at int64) bool {
		b := make([]byte, pageHeader+metaSize)
		if n, err := file.ReadAt(b, at); n < len(b) {
			if !errors.Is(err, io.EOF) {
				unreadable = err
			}
			return false
		}
		if m, ok := parseMeta(b); ok && (!found || m.tx > best.tx) {
			best, found = m, true
			return true
		}
		return false
	}
	if try(0) {
		try(int64(best.pageSize))
	} else {
		for size := int64(1 << 10); size <= 1<<24 && !try(size); size <<= 1 {
		}
	}
	switch {
	case !found && unreadable != nil:
		return unreadable
	case !found && info.Size() == 0:
		return fmt.Errorf("%s: %w: it is empty; remove it to begin with no objects", path, ErrFormat)
	case !found:
		return fmt.Errorf("%s: %w: it has no valid meta page of bbolt", path, ErrFormat)
	case uint64(info.Size()) < best.pages*uint64(best.pageSize):
		return fmt.Errorf("%s: %w: it has %d bytes, but its meta page claims %d pages of %d", path, ErrDamaged, info.Size(),
			best.pages, best.pageSize)
	case best.freelist == noFreelist:
		return fmt.Errorf("%s: %w: it has no freelist", path, ErrFormat)
	}
	return nil
}

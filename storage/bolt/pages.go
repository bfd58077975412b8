package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The layout of bbolt's pages. Each element of a branch or a leaf, and the header of a bucket, has 16 bytes.
const (
	branchPage   = 1
	leafPage     = 2
	freelistPage = 16
	element      = 16
	bucketFlag   = 1
	manyFree     = 0xffff // the length of a freelist then stands before its ids
)

// pages finds out which pages of a file are in use. bbolt trusts its freelist, which has no checksum: if a damaged
// freelist contains a page that is in use, a later commit overwrites this page.
type pages struct {
	file   io.ReaderAt
	meta   metaPage
	used   []uint64 // a bit for each page
	buffer []byte
}

// checkPages reads the headers of all pages that the meta page leads to. It returns [ErrDamaged] if two nodes share a
// page, or if the freelist contains a page that is in use. It accepts pages that are neither in use nor free, because
// they only waste space.
func checkPages(file *os.File, meta metaPage) error {
	if err := newPages(file, meta).check(); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func newPages(file *os.File, meta metaPage) *pages {
	return &pages{file: file, meta: meta, used: make([]uint64, meta.pages/64+1), buffer: make([]byte, meta.pageSize)}
}

func (p *pages) check() error {
	for id := range uint64(2) {
		if err := p.use(id, 1); err != nil {
			return err
		}
	}
	if err := p.tree(p.meta.root); err != nil {
		return err
	}
	return p.freelist()
}

// use marks pages as used.
func (p *pages) use(id, count uint64) error {
	if id >= p.meta.pages || count > p.meta.pages-id {
		return fmt.Errorf("page %d lies beyond the end, which is page %d", id+count-1, p.meta.pages)
	}
	for ; count > 0; id, count = id+1, count-1 {
		if p.used[id/64]&(1<<(id%64)) != 0 {
			return fmt.Errorf("page %d is in use twice, or it is both in use and free", id)
		}
		p.used[id/64] |= 1 << (id % 64)
	}
	return nil
}

// page is a page with its overflow.
type page struct {
	id    uint64
	flags uint16
	count uint16
	size  int64
	start []byte // its first bytes, which the next call of open overwrites
}

// open reads the beginning of a page, marks it and its overflow as used, and checks that its elements fit into it.
func (p *pages) open(id uint64) (page, error) {
	if id >= p.meta.pages {
		return page{}, fmt.Errorf("page %d lies beyond the end, which is page %d", id, p.meta.pages)
	}
	if err := p.read(p.buffer, id, 0); err != nil {
		return page{}, err
	}
	order := binary.NativeEndian
	opened := page{id: id, flags: order.Uint16(p.buffer[8:]), count: order.Uint16(p.buffer[10:]), start: p.buffer}
	if own := order.Uint64(p.buffer); own != id {
		return page{}, fmt.Errorf("page %d claims to be page %d", id, own)
	}
	run := 1 + uint64(order.Uint32(p.buffer[12:]))
	opened.size = int64(run) * int64(p.meta.pageSize)
	if err := p.use(id, run); err != nil {
		return page{}, err
	}
	if opened.flags == freelistPage {
		return opened, nil
	}
	need := pageHeader + int(opened.count)*element
	if int64(need) > opened.size {
		return page{}, fmt.Errorf("page %d is too small for %d elements", id, opened.count)
	}
	if need > len(opened.start) {
		opened.start = make([]byte, need)
		return opened, p.read(opened.start, id, 0)
	}
	return opened, nil
}

// read reads a part of a page.
func (p *pages) read(into []byte, id uint64, at int64) error {
	_, err := p.file.ReadAt(into, int64(id)*int64(p.meta.pageSize)+at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("page %d is cut off", id)
	}
	return err
}

// tree visits the pages of a bucket, and of the buckets in it.
func (p *pages) tree(root uint64) error {
	opened, err := p.open(root)
	if err != nil {
		return err
	}
	var below []uint64
	switch opened.flags {
	case branchPage:
		for i := range int(opened.count) {
			below = append(below, binary.NativeEndian.Uint64(opened.start[pageHeader+i*element+8:]))
		}
	case leafPage:
		if below, err = p.buckets(opened); err != nil {
			return err
		}
	default:
		return fmt.Errorf("page %d has the flags %x, which are not those of a branch or a leaf", root, opened.flags)
	}
	for _, id := range below {
		if err := p.tree(id); err != nil {
			return err
		}
	}
	return nil
}

// buckets returns the root pages of the buckets in a leaf. A small bucket has no page of its own.
func (p *pages) buckets(leaf page) (roots []uint64, err error) {
	order := binary.NativeEndian
	for i := range int(leaf.count) {
		start := pageHeader + i*element
		e := leaf.start[start : start+element]
		if order.Uint32(e)&bucketFlag == 0 {
			continue
		}
		at := int64(start) + int64(order.Uint32(e[4:])) + int64(order.Uint32(e[8:]))
		if at+element > leaf.size {
			return nil, fmt.Errorf("page %d has a bucket beyond its end", leaf.id)
		}
		var header [element]byte
		if err := p.read(header[:], leaf.id, at); err != nil {
			return nil, err
		}
		if root := order.Uint64(header[:]); root != 0 {
			roots = append(roots, root)
		}
	}
	return roots, nil
}

// freelist checks that no free page is in use.
func (p *pages) freelist() error {
	opened, err := p.open(p.meta.freelist)
	if err != nil {
		return err
	}
	if opened.flags != freelistPage {
		return fmt.Errorf("page %d is not a freelist", opened.id)
	}
	order := binary.NativeEndian
	count, at := int64(opened.count), int64(pageHeader)
	if count == manyFree {
		count, at = int64(order.Uint64(opened.start[pageHeader:])), at+8
	}
	if count < 0 || count > (opened.size-at)/8 {
		return fmt.Errorf("the freelist is too small for %d pages", count)
	}
	all := io.NewSectionReader(p.file, int64(opened.id)*int64(p.meta.pageSize)+at, 8*count)
	for buffer := p.buffer[:len(p.buffer)/8*8]; count > 0; {
		part := buffer[:min(8*count, int64(len(buffer)))]
		if _, err := io.ReadFull(all, part); err != nil {
			return err
		}
		for ; len(part) > 0; part, count = part[8:], count-1 {
			if err := p.use(order.Uint64(part), 1); err != nil {
				return fmt.Errorf("the freelist: %w", err)
			}
		}
	}
	return nil
}

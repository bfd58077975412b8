// Package watch records changes: a bounded log of changes in revision order, and cursors that read it.
//
// The log is the only buffer. A watch is a position in it:
//
//	revision   4      5      6      7      8      9
//	         ┌──────┬──────┬──────┬──────┬──────┬──────┐
//	log      │ a/x  │ b/y  │ a/x  │ a/z  │ b/y  │ a/x  │  ← Append, one group at a time
//	         └──────┴──────┴──────┴──────┴──────┴──────┘
//	           ↑ oldest, trimmed by age and bytes   ↑ Revision
//
//	topic {a}    4 · 6 · 7 · 9      pointers into the log, made when a cursor watches namespace a
//	cursor       after 6            a number: Poll returns 7 and 9, Position becomes 9
//
// A cursor has no queue of its own and pins no memory, so it can neither slow a writer nor grow. A cursor that falls
// behind the log gets 410 Expired, and its reader lists again (API concepts, Efficient detection of changes). The cost
// of Append does not depend on how many cursors wait. Append marks the topics of a change: those of everything, its
// resource, its namespace and its object, and those of its values in the indexes that cursors use, see [Term]. One
// dispatcher goroutine wakes the cursors that wait on marked topics. The first waiting cursor starts it, and Close ends
// it. A timer drops changes that are too old if nobody appends. It exists only while the log holds changes.
//
// Several changes appended together are a group. No reader sees a part of a group, and no [Cursor.Position] lies inside
// one. A client that stopped inside a group can still resume there: it gets the rest of the group.
//
// A store feeds a [Log] and decides the revisions.
package watch

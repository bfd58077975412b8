// Package watch keeps what happened: a bounded log of changes in revision order, and cursors that read it.
//
// The log is the only buffer. A watch is a position in it:
//
//	revision   4      5      6      7      8      9
//	         ┌──────┬──────┬──────┬──────┬──────┬──────┐
//	log      │ a/x  │ b/y  │ a/x  │ a/z  │ b/y  │ a/x  │  ← Append, one group at a time
//	         └──────┴──────┴──────┴──────┴──────┴──────┘
//	           ↑ oldest, trimmed by age and bytes   ↑ Revision
//
//	topic {a}    4 · 6 · 7 · 9      pointers into the log, made when somebody watches namespace a
//	cursor       after 6            a number: Poll returns 7 and 9, Position becomes 9
//
// A cursor has no queue of its own and pins no memory, so it can neither slow a writer nor grow; one that falls behind what the log
// still holds is told so with 410 Expired and lists again (API concepts, Efficient detection of changes). Appending costs the same whether
// one cursor waits or ten thousand do: Append marks the at most four topics of a change (everything, its resource, its namespace, its object, and those of
// its values in the indexes that somebody watches by, see [Term]), and one dispatcher goroutine wakes those who wait on them. It is started when
// the first cursor waits and ended by Close.
//
// Several changes appended together are a group: no reader sees a part of one, and no [Cursor.Position] lies inside one, yet a client
// that stopped after half a group and resumes there gets the other half.
//
// A [Log] is fed by a store, which decides the revisions. A program that only wants to tell many readers what changed uses a
// [Broadcaster].
package watch

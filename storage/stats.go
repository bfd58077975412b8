package storage

import (
	"time"

	"github.com/decorum-go/decorum/watch"
)

// Reporter is a [Store] that reports figures about itself. The API shows them to its host, for metrics.
type Reporter interface {
	// StoreStats returns the present figures. It visits each resource but no objects, and asks neither a disk nor another
	// process.
	StoreStats() StoreStats
}

// StoreStats are the figures of a store. Counts begin with the process. Later versions of this package may add fields.
type StoreStats struct {
	// ID identifies the stored data, such as one file. It is empty if the store has no identity.
	ID string
	// Revision is that of the latest visible commit.
	Revision watch.Revision
	// Resources are the figures of the registered resources, by [Resource].Name.
	Resources map[string]ResourceStats
	// ObjectBytes is how much memory the latest records take with all their texts.
	ObjectBytes int64
	// Texts describes the texts in memory. It is nil if all texts are in memory.
	Texts *TextStats
	// History describes the recent changes that the store keeps for watches, and for reads of old states.
	History HistoryStats
	// Commits is how many groups of changes the store has made visible. A replica also counts those of other replicas.
	Commits uint64
	// Conflicts is how many attempts to commit were repeated, because another write had changed an object first, or
	// because the resource was registered again.
	Conflicts uint64
	// Syncs is how often the store has made changes durable, and SyncTime the sum of the time for that. Several commits
	// may share a sync. A replica counts each request to commit. Both are zero for a store in memory.
	Syncs    uint64
	SyncTime time.Duration
	// Waiting is how many commits wait to be made durable.
	Waiting int
	// FileBytes is the size of the stored data on disk, and FreeBytes the part of it that later writes can reuse. Both are
	// zero if the store does not know. A replica asks its authority when somebody reads the figures, so they may be a
	// minute old, and the first ones are zero.
	FileBytes, FreeBytes int64
	// Replica describes how up to date a replica is. It is nil if no other process writes to the store.
	Replica *ReplicaStats
}

// ResourceStats are the figures of one resource in [StoreStats].
type ResourceStats struct {
	// Objects is how many objects the store holds, with those that it cannot read.
	Objects int
	// Unreadable is how many objects a replica does not serve, because it cannot read what another one has stored.
	Unreadable int
	// Changes is how many changes of objects the store has made visible.
	Changes uint64
}

// HistoryStats describes the recent changes that a store keeps. Reads and watches from revisions before Oldest give 410
// Expired.
type HistoryStats struct {
	// Changes is the number of changes. Bytes is the memory that they take, and MaxBytes its present bound.
	Changes         int
	Bytes, MaxBytes int64
	// Oldest is the revision from which the history of all resources is complete.
	Oldest watch.Revision
	// Since is the time of the oldest change, or zero without changes.
	Since time.Time
}

// TextStats describes the texts that a store with a limit for texts holds in memory for readers. It does not count the
// texts that the history needs.
type TextStats struct {
	// Bytes is what these texts take, and MaxBytes its limit.
	Bytes, MaxBytes int64
	// Reads is how many texts the store has read from durable storage since the process has begun.
	Reads uint64
}

// ReplicaStats describe how up to date a replica is.
type ReplicaStats struct {
	// UpToDate is the latest time at which the replica is known to have shown everything that was committed. An idle
	// replica checks this every few seconds, or less often if its authority reports a lost connection on its own. The
	// time stands still while the authority cannot be reached, and while the replica does not keep up.
	UpToDate time.Time
	// Delay is how long the latest commit took from its beginning until this replica showed it. If another replica made
	// the commit, Delay depends on the clocks of both. It is never negative.
	Delay time.Duration
	// Err is why the replica cannot reach its authority. It is nil if it can.
	Err error
}

package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// revisionBump is added to the revision of a restored backup, because clients may have seen revisions that are newer
// than the backup.
const revisionBump = 1_000_000_000

// Restore creates the directory of a new cluster with one member from a backup by [Cluster.Backup] or etcdctl. Other
// processes with empty directories then join the cluster. Clients must list again, because older revisions cannot be
// read. Restore refuses a damaged backup and a directory that has a member. No process of the old cluster may be
// running.
func Restore(backup string, opts Options) error {
	id, err := opts.identify()
	if err == nil {
		err = id.place()
	}
	if err != nil {
		return err
	}
	if hasMember(id.Dir) {
		return fmt.Errorf("embedded: the directory %s has a member already", id.Dir)
	}
	name, url := id.Self, id.url(id.Self)
	if len(id.peers) == 0 {
		name, url = aloneName, aloneURL
	}
	// etcd refuses an existing directory, so it restores into a new directory, which is then moved into place.
	made, err := os.MkdirTemp(filepath.Dir(id.Dir), filepath.Base(id.Dir)+".restored.*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	inside := filepath.Join(made, "cluster")
	err = snapshot.NewV3(zap.New(core{id.Logger})).Restore(snapshot.RestoreConfig{
		SnapshotPath: backup, Name: name, OutputDataDir: inside, PeerURLs: []string{url},
		InitialCluster: name + "=" + url, InitialClusterToken: newToken(), RevisionBump: revisionBump, MarkCompacted: true,
	})
	if err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	if err := os.MkdirAll(id.Dir, 0o700); err != nil {
		return err
	}
	return os.Rename(filepath.Join(inside, "member"), filepath.Join(id.Dir, "member"))
}

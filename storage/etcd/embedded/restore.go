package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// revisionBump is how far the revisions of a restored backup are above those of the backup. Clients may have seen
// that many later ones.
const revisionBump = 1_000_000_000

// Restore makes the directory of a new cluster with one member from a backup of [Cluster.Backup] or etcdctl. The other
// processes join it if their directories are empty. Clients list again, because no older revision can be read. Restore
// refuses a damaged backup, and a directory that has a member. No process of the old cluster may run.
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
	// etcd refuses a directory that exists. The restored one is moved into place as a whole.
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

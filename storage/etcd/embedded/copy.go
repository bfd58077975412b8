package embedded

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// startsFile is the file in Options.Dir that counts the starts of the member. The cluster keeps the same count, so a
// member detects that its directory was restored to an earlier state.
const startsFile = "starts.json"

// startsPrefix is the prefix of the keys under which the cluster keeps the counts.
const startsPrefix = "/decorum-embedded/starts/"

// ErrOldCopy means that the directory of a member is an older copy of itself. The member has lost the promises that it
// has made to the others since then, so acknowledged writes could be lost if it continued.
var ErrOldCopy = errors.New("embedded: the directory is an older copy: empty it, and the process joins again")

// starts is the content of startsFile.
type starts struct {
	Member string `json:"member"` // the id of the member, in hexadecimal
	Starts int    `json:"starts"`
}

func newToken() string { return rand.Text() }

func (id *identity) readStarts() (s starts, err error) {
	text, err := os.ReadFile(filepath.Join(id.Dir, startsFile))
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("embedded: %s: %w", startsFile, err)
	}
	return s, nil
}

// checkDirectory asks the other members, before this one starts, whether this member still belongs to the cluster and
// whether it has started more often than its directory records. If the others have no quorum without this member, it
// must start first, and countStart compares the counts.
func (id *identity) checkDirectory(ctx context.Context) error {
	own, err := id.readStarts()
	if err != nil || own.Member == "" || len(id.others()) == 0 {
		return err
	}
	client, err := id.peerClient()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	found, _ := id.ask(ctx, client, id.others())
	endpoints := endpointsOf(found)
	if len(endpoints) == 0 {
		return nil
	}
	if !slices.ContainsFunc(found, func(k known) bool { return types.ID(k.ID).String() == own.Member }) {
		return fmt.Errorf("%w: %s", ErrRemoved, id.Dir)
	}
	members, err := id.dial(endpoints)
	if err != nil {
		return err
	}
	defer members.Close()
	bounded, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	cluster, err := startsIn(clientv3.WithRequireLeader(bounded), members, own.Member)
	if err != nil {
		return nil // no quorum
	}
	return own.compare(id.Dir, cluster)
}

// compare returns ErrOldCopy if the cluster has counted more starts than the directory.
func (s starts) compare(dir string, cluster int) error {
	if cluster > s.Starts {
		return fmt.Errorf("%w: %s records %d starts, and the cluster records %d", ErrOldCopy, dir, s.Starts, cluster)
	}
	return nil
}

// startsIn returns the number of starts that the cluster has recorded for a member.
func startsIn(ctx context.Context, client *clientv3.Client, member string) (int, error) {
	response, err := client.Get(ctx, startsPrefix+member)
	if err != nil || len(response.Kvs) == 0 {
		return 0, err
	}
	return strconv.Atoi(string(response.Kvs[0].Value))
}

func isFull(err error) bool { return errors.Is(rpctypes.Error(err), rpctypes.ErrNoSpace) }

// countStart records this start, first in the directory and then in the cluster.
func (m *member) countStart(ctx context.Context, client *clientv3.Client) error {
	own, err := m.id.readStarts()
	if err != nil {
		return err
	}
	if id := m.server().MemberID().String(); own.Member != id {
		own = starts{Member: id}
	}
	return insist(ctx, func(ctx context.Context) error {
		cluster, err := startsIn(ctx, client, own.Member)
		if err != nil {
			return err
		}
		if err := own.compare(m.id.Dir, cluster); err != nil {
			return err
		}
		next := starts{Member: own.Member, Starts: own.Starts + 1}
		text, err := json.Marshal(next)
		if err != nil {
			return err
		}
		if err := replaceFile(filepath.Join(m.id.Dir, startsFile), text); err != nil {
			return err
		}
		own = next // the cluster may count the start even if the answer to the next request is lost
		if _, err = client.Put(ctx, startsPrefix+own.Member, strconv.Itoa(next.Starts)); isFull(err) {
			return nil // a full cluster keeps a lower count, which compare accepts
		}
		return err
	})
}

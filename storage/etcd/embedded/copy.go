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
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// countFile is the file in Options.Dir with the count of the member. The member counts its starts, its ends and the
// minutes between them. The cluster keeps the same count, so a member detects that its directory was restored to an
// earlier state.
const countFile = "count.json"

// countPrefix is the prefix of the keys under which the cluster keeps the counts.
const countPrefix = "/decorum-embedded/counts/"

const (
	// countEvery is how often a running member counts. If a member is killed, the counts reveal each copy that was made
	// longer before.
	countEvery = time.Minute
	// countTimeout bounds the count of a member that ends. The cluster may have no quorum then.
	countTimeout = time.Second
)

// ErrOldCopy means that the directory of a member is an older copy of itself. The member has lost the promises that it
// has made to the others since then, so acknowledged writes could be lost if it continued.
var ErrOldCopy = errors.New("embedded: the directory is an older copy: empty it, and the process joins again")

// tally is the content of countFile.
type tally struct {
	Member string `json:"member"` // the id of the member, in hexadecimal
	Count  int    `json:"count"`
}

func newToken() string { return rand.Text() }

func (id *identity) readTally() (t tally, err error) {
	text, err := os.ReadFile(filepath.Join(id.Dir, countFile))
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return t, fmt.Errorf("embedded: %s: %w", countFile, err)
	}
	return t, nil
}

// checkDirectory asks the other members, before this one starts, whether this member still belongs to the cluster and
// whether the cluster has counted further than the directory. If the others have no quorum without this member, it must
// start first, and countStart compares the counts.
func (id *identity) checkDirectory(ctx context.Context) error {
	own, err := id.readTally()
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
	cluster, err := countIn(clientv3.WithRequireLeader(bounded), members, own.Member)
	if err != nil {
		return nil // no quorum
	}
	return own.compare(id.Dir, cluster)
}

// compare returns ErrOldCopy if the cluster has counted further than the directory.
func (t tally) compare(dir string, cluster int) error {
	if cluster > t.Count {
		return fmt.Errorf("%w: %s has the count %d, and the cluster has %d", ErrOldCopy, dir, t.Count, cluster)
	}
	return nil
}

// countIn returns the count that the cluster has of a member.
func countIn(ctx context.Context, client *clientv3.Client, member string) (int, error) {
	response, err := client.Get(ctx, countPrefix+member)
	if err != nil || len(response.Kvs) == 0 {
		return 0, err
	}
	return strconv.Atoi(string(response.Kvs[0].Value))
}

func isFull(err error) bool { return errors.Is(rpctypes.Error(err), rpctypes.ErrNoSpace) }

// countStart compares the counts, and counts this start.
func (m *member) countStart(ctx context.Context) error {
	own, err := m.id.readTally()
	if err != nil {
		return err
	}
	if id := m.server().MemberID().String(); own.Member != id {
		own = tally{Member: id}
	}
	m.counted = own
	return insist(ctx, func(ctx context.Context) error {
		cluster, err := countIn(ctx, m.client, own.Member)
		if err != nil {
			return err
		}
		// The cluster may have counted this start although the answer to an earlier attempt was lost.
		if err := m.counted.compare(m.id.Dir, cluster); err != nil {
			return err
		}
		return m.count(ctx)
	})
}

// count counts first in the directory and then in the cluster. The count in the directory is durable before the cluster
// has it. Otherwise, a member would take its own directory for an older copy after a power failure.
func (m *member) count(ctx context.Context) error {
	next := tally{Member: m.counted.Member, Count: m.counted.Count + 1}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(m.id.Dir, countFile), text); err != nil {
		return err
	}
	m.counted = next
	_, err = m.client.Put(ctx, countPrefix+next.Member, strconv.Itoa(next.Count))
	if isFull(err) {
		return nil // a full cluster keeps a lower count, which compare accepts
	}
	return err
}

// keepCounting counts while the member runs, until ctx ends. It ignores errors, because the member counts again soon.
func (m *member) keepCounting(ctx context.Context) {
	tick := time.NewTicker(m.id.countEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			bounded, cancel := context.WithTimeout(ctx, requestTimeout)
			_ = m.count(bounded)
			cancel()
		}
	}
}

// countEnd counts the end of the member, so that the cluster recognizes all earlier copies of its directory. It does
// nothing if the member has not counted its start.
func (m *member) countEnd() {
	if m.counted.Member == "" {
		return
	}
	bounded, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	_ = m.count(bounded) // without a quorum, the cluster keeps a lower count
}

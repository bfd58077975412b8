package bootstrap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

const (
	identityRenewed = 10 * time.Second
	identitySeconds = 3600
)

// KeepIdentity keeps the Lease that says which machine serves the API, as kube-apiserver does, until ctx ends. The
// store discards old revisions when it writes, so the renewals also let resourceVersions expire while no client writes.
//
// logger receives the errors of renewals, which KeepIdentity tries again. It returns an error if the API does not serve
// Leases.
func KeepIdentity(ctx context.Context, api *rest.API, host string, logger *slog.Logger) error {
	hash := sha256.Sum256([]byte(host))
	name := "apiserver-" + hex.EncodeToString(hash[:16])
	leases, err := rest.ClientForType[coordinationv1.Lease](api)
	if err != nil {
		return err
	}
	leases = leases.Namespace(metav1.NamespaceSystem)
	renew := func() error {
		_, err := leases.Modify(ctx, name, func(l *coordinationv1.Lease) error {
			l.Spec.RenewTime = new(metav1.NowMicro())
			return nil
		})
		if status.IsNotFound(err) {
			return ensure(ctx, api, metav1.NamespaceSystem, coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: name,
					Labels: map[string]string{"apiserver.kubernetes.io/identity": "kube-apiserver"}},
				Spec: coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: new(int32(identitySeconds)),
					RenewTime: new(metav1.NowMicro())},
			})
		}
		return err
	}
	tick := time.NewTicker(identityRenewed)
	defer tick.Stop()
	for {
		if err := renew(); err != nil && ctx.Err() == nil {
			logger.LogAttrs(ctx, slog.LevelWarn, "the Lease of the server was not renewed", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

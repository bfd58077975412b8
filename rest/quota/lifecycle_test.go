package quota_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
)

// The garbage collector works in full accounts, and what it deletes frees room.
func TestGarbageCollection(t *testing.T) {
	for policy, left := range map[apimeta.DeletionPropagation]int{apimeta.DeletePropagationOrphan: 1,
		apimeta.DeletePropagationForeground: 0} {
		t.Run(string(policy), func(t *testing.T) {
			limits := map[quota.Account][]quota.Limit{}
			store := inMemory(t, limits)
			api := serve(t, store, nil)
			client := as(t, api, "alice", "a")
			owner, err := client.Create(t.Context(), &Note{ObjectMeta: apimeta.ObjectMeta{Name: "owner"}})
			require.NoError(t, err)
			blocks := true
			_, err = client.Create(t.Context(),
				&Note{ObjectMeta: apimeta.ObjectMeta{Name: "dependent", OwnerReferences: []apimeta.OwnerReference{
					{APIVersion: "example.com/v1", Kind: "Note", Name: "owner", UID: owner.UID, BlockOwnerDeletion: &blocks}}}})
			require.NoError(t, err)
			full := sizeOf(t, store, "a", "owner") + sizeOf(t, store, "a", "dependent")
			limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Objects: 2, Bytes: full}}
			limits[quota.Account{User: "alice"}] = []quota.Limit{{Name: "q", Objects: 2, Bytes: full}}

			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- lifecycle.Run(ctx, api, lifecycle.Options{}) }()
			require.NoError(t, client.Delete(t.Context(), "owner", rest.DeleteOptions{PropagationPolicy: policy}))
			resttest.WaitForGone(t, client, "owner")
			stop()
			<-ended

			page, err := client.List(t.Context(), rest.ListOptions{})
			require.NoError(t, err)
			assert.Len(t, page.Items, left)
			for _, n := range page.Items {
				assert.Empty(t, n.OwnerReferences)
			}
		})
	}
}

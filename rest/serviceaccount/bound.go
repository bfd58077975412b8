package serviceaccount

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// The resources to whose objects a token can be bound.
const (
	pods    = "pods"
	secrets = "secrets"
	nodes   = "nodes"
)

// object holds the fields that are read from an account, or from the object that a token is bound to.
type object struct {
	Metadata struct {
		UID               string        `json:"uid"`
		DeletionTimestamp *apimeta.Time `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		ServiceAccountName string `json:"serviceAccountName"` // set for a Pod
		NodeName           string `json:"nodeName"`           // set for a Pod
	} `json:"spec"`
}

// bind adds the object that the client names to the claims, if it exists and has the uid that the client expects. Like
// kube-apiserver, it accepts any version of the core group, and an apiVersion that is empty or none.
func (i *Issuer) bind(ctx context.Context, claims *account, ref *BoundObjectReference) error {
	key := storage.Key{Namespace: claims.Namespace, Name: ref.Name}
	var into **reference
	switch ref.Kind {
	case "Pod":
		key.Resource, into = pods, &claims.Pod
	case "Secret":
		key.Resource, into = secrets, &claims.Secret
	case "Node":
		key.Resource, key.Namespace, into = nodes, "", &claims.Node
	}
	version, err := apimeta.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		version = apimeta.GroupVersion{}
	}
	if key.Resource == "" || version.Group != "" || !serves(i.objects, key.Resource) {
		return status.BadRequest(fmt.Sprintf("cannot bind token to object of type %v", version.WithKind(ref.Kind)))
	}
	if msgs := apimeta.ValidatePathSegmentName(ref.Name); len(msgs) > 0 {
		return status.BadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", ref.Name, strings.Join(msgs, ";")))
	}
	record, err := i.objects.Get(ctx, key)
	if err != nil {
		return err
	}
	if ref.UID != "" && ref.UID != record.UID {
		// Like kube-apiserver, the error names the kind, and not the resource.
		return status.Conflict(apimeta.GroupResource{Resource: ref.Kind}, ref.Name,
			fmt.Sprintf("the UID in the bound object reference (%s) does not match "+
				"the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	*into = &reference{Name: ref.Name, UID: record.UID}
	if key.Resource == pods {
		return i.bindPod(ctx, claims, record)
	}
	return nil
}

// bindPod checks that a pod runs as the account, and adds the node of the pod to the claims.
func (i *Issuer) bindPod(ctx context.Context, claims *account, pod *storage.Record) error {
	text, err := pod.JSON(ctx)
	if err != nil {
		return err
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	if o.Spec.ServiceAccountName != claims.Account.Name {
		return status.BadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", claims.Account.Name))
	}
	if o.Spec.NodeName == "" {
		return nil
	}
	claims.Node = &reference{Name: o.Spec.NodeName}
	if record, err := i.objects.Get(ctx, storage.Key{Resource: nodes, Name: o.Spec.NodeName}); err == nil {
		claims.Node.UID = record.UID
	}
	return nil
}

// dependsOn returns the objects with which the token dies.
func (a *account) dependsOn() []existing {
	on := []existing{{storage.Key{Resource: accounts, Namespace: a.Namespace, Name: a.Account.Name}, a.Account.UID}}
	switch {
	case a.Secret != nil:
		on = append(on, existing{storage.Key{Resource: secrets, Namespace: a.Namespace, Name: a.Secret.Name}, a.Secret.UID})
	case a.Pod != nil: // the token then names the node only for information
		on = append(on, existing{storage.Key{Resource: pods, Namespace: a.Namespace, Name: a.Pod.Name}, a.Pod.UID})
	case a.Node != nil:
		on = append(on, existing{storage.Key{Resource: nodes, Name: a.Node.Name}, a.Node.UID})
	}
	return on
}

// left returns an error unless the object exists. A deleted object that finalizers hold is dead; a pod in its grace
// period is alive until the period ends. left is how much of the grace period is left, or 0 without one.
//
// The error is one of package status if the store could not tell. Without that, a client with a valid token would get
// 401.
func (i *Issuer) left(ctx context.Context, e existing) (left time.Duration, err error) {
	record, err := i.objects.Get(ctx, e.Key)
	switch {
	case status.IsNotFound(err):
		return 0, fmt.Errorf("the %s of the token does not exist", e.noun())
	case err != nil:
		return 0, status.From(err)
	case record.UID != e.uid:
		return 0, fmt.Errorf("the %s of the token existed earlier, with uid %s", e.noun(), e.uid)
	case !record.Deleting:
		return 0, nil
	}
	text, err := record.JSON(ctx)
	if err != nil {
		return 0, status.From(err)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return 0, status.From(err)
	}
	if at := o.Metadata.DeletionTimestamp; at != nil {
		left = at.Sub(i.objects.Now())
	}
	if left <= 0 {
		return 0, fmt.Errorf("the %s of the token has been deleted", e.noun())
	}
	return left, nil
}

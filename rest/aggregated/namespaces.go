package aggregated

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// followNamespaces follows the namespaces of the cluster.
func (c *Cluster) followNamespaces(ctx context.Context) {
	c.namespaces.AddHandler(controller.Handler[namespace]{OnSynced: func() { c.missing.set(needsNamespaces, nil) }})
	c.follow(ctx, needsNamespaces, c.namespaces.Run)
}

// probeNamespaces returns why the namespaces have not been read.
func (c *Cluster) probeNamespaces(ctx context.Context) error {
	if c.namespaces.HasSynced() {
		return nil
	}
	_, err := c.clients.namespaces.List(ctx, rest.ListOptions{Limit: 1})
	if err == nil && !c.namespaces.HasSynced() {
		err = errReading
	}
	return err
}

// checkNamespace is the admission hook that refuses to create objects in a namespace that does not exist, or that is
// being deleted. kube-apiserver does so for its own kinds, and in the same words.
func (c *Cluster) checkNamespace(ctx context.Context, r *admission.Request) error {
	if r.Namespace == "" {
		return nil
	}
	if !c.namespaces.HasSynced() {
		return unavailable("the server does not know the namespaces of the cluster yet")
	}
	found, ok := c.namespaces.Get("", r.Namespace)
	if !ok { // the namespace may be newer than what the informer has seen
		var err error
		if found, err = c.namespaceNow(ctx, r.Namespace); err != nil {
			return err
		}
	}
	if found.DeletionTimestamp == nil {
		return nil
	}
	refused := status.Forbidden(apimeta.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}, r.Name,
		fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", r.Namespace))
	refused.Status.Details.Causes = append(refused.Status.Details.Causes, status.Cause{Type: "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", r.Namespace), Field: "metadata.namespace"})
	return refused
}

// namespaceNow asks the cluster for a namespace.
func (c *Cluster) namespaceNow(ctx context.Context, name string) (*namespace, error) {
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	found, err := c.clients.namespaces.Get(ctx, name)
	switch {
	case status.IsNotFound(err):
		return nil, status.NotFound(apimeta.GroupResource{Resource: "namespaces"}, name)
	case err != nil:
		c.options.Logger.Error("aggregated: the cluster does not answer about a namespace", "error", err)
		return nil, unavailable("the cluster cannot tell now whether the namespace exists")
	}
	return found, nil
}
